// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas.hpp"

#include <vector>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*,
            const double*, const int*, double*, const int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
}

namespace tessera::benchmark::lu {
namespace {

int rows(const ConstBlock& block) { return static_cast<int>(block.extent(0)); }
int columns(const ConstBlock& block) { return static_cast<int>(block.extent(1)); }
int leading(const ConstBlock& block) { return static_cast<int>(block.stride(1)); }

// Rows and columns from `lo` to `hi`, of `a`.
Block part(const Block& a, const Index<2>& lo, const Index<2>& hi) { return a.subview({lo, hi}); }

// One column after the other: for the few columns where calls of BLAS would take longer than the work.
void factor_small(const Block& a) {
  const index_t n = a.extent(0);
  for (index_t k = 0; k < n; ++k) {
    const double pivot = 1 / a(k, k);
    for (index_t i = k + 1; i < n; ++i) a(i, k) *= pivot;
    for (index_t j = k + 1; j < n; ++j) {
      for (index_t i = k + 1; i < n; ++i) a(i, j) -= a(i, k) * a(k, j);
    }
  }
}

}  // namespace

void factor(const Block& a) {
  constexpr index_t small = 8;
  const index_t n = a.extent(0), half = n / 2;
  if (n <= small) return factor_small(a);
  const Block diagonal = part(a, {0, 0}, {half, half}), right = part(a, {0, half}, {half, n});
  const Block below = part(a, {half, 0}, {n, half}), rest = part(a, {half, half}, {n, n});
  factor(diagonal);
  divide_by_lower(diagonal, right);
  divide_by_upper(diagonal, below);
  subtract_product(below, right, rest);
  factor(rest);
}

void divide_by_lower(const ConstBlock& factors, const Block& b) {
  if (b.size() == 0) return;
  const int m = rows(b), n = columns(b), lda = leading(factors), ldb = leading(b);
  const double one = 1;
  dtrsm_("L", "L", "N", "U", &m, &n, &one, factors.data_handle(), &lda, b.data_handle(), &ldb);
}

void divide_by_upper(const ConstBlock& factors, const Block& b) {
  if (b.size() == 0) return;
  const int m = rows(b), n = columns(b), lda = leading(factors), ldb = leading(b);
  const double one = 1;
  dtrsm_("R", "U", "N", "N", &m, &n, &one, factors.data_handle(), &lda, b.data_handle(), &ldb);
}

void subtract_product(const ConstBlock& a, const ConstBlock& b, const Block& c) {
  if (c.size() == 0) return;
  const int m = rows(c), n = columns(c), k = columns(a), lda = leading(a), ldb = leading(b), ldc = leading(c);
  const double minus_one = -1, one = 1;
  dgemm_("N", "N", &m, &n, &k, &minus_one, a.data_handle(), &lda, b.data_handle(), &ldb, &one, c.data_handle(),
         &ldc);
}

bool factor_by_lapack(const Block& a) {
  const int n = rows(a), lda = leading(a);
  int info = 0;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  dgetrf_(&n, &n, a.data_handle(), &lda, pivots.data(), &info);
  for (int i = 0; i < n; ++i) {
    if (pivots[static_cast<std::size_t>(i)] != i + 1) return false;
  }
  return info == 0;
}

}  // namespace tessera::benchmark::lu
