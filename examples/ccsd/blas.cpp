// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas.hpp"

#include <algorithm>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
            const int*, const double*, const int*, const double*, double*, const int*);
}

namespace ccsd {

using tessera::index_t;
using tessera::View;

namespace {

// BLAS stores matrices by columns: one that is stored by rows is its transpose there.
struct Operand {
  explicit Operand(const View<const double, 2>& matrix)
      : by_rows(matrix.stride(1) == 1),
        leading(
            static_cast<int>(std::max(by_rows ? matrix.stride(0) : matrix.stride(1),
                                      std::max<index_t>(1, by_rows ? matrix.extent(1) : matrix.extent(0))))) {}
  bool by_rows;
  int leading;
};

View<const double, 2> transposed(const View<const double, 2>& matrix) {
  return {matrix.data_handle(), {matrix.extent(1), matrix.extent(0)}, {matrix.stride(1), matrix.stride(0)}};
}

}  // namespace

void add_product(const View<const double, 2>& a, const View<const double, 2>& b, const View<double, 2>& c) {
  if (c.size() == 0 || a.size() == 0) return;
  if (c.stride(1) == 1) {  // c^T = b^T a^T is stored by columns
    const View<double, 2> turned(c.data_handle(), {c.extent(1), c.extent(0)}, {1, c.stride(0)});
    if (c.stride(0) != 1) return add_product(transposed(b), transposed(a), turned);
  }
  const Operand left(a), right(b);
  const int m = static_cast<int>(c.extent(0)), n = static_cast<int>(c.extent(1)),
            k = static_cast<int>(a.extent(1)), ldc = static_cast<int>(std::max(c.stride(1), c.extent(0)));
  const double one = 1;
  dgemm_(left.by_rows ? "T" : "N", right.by_rows ? "T" : "N", &m, &n, &k, &one, a.data_handle(), &left.leading,
         b.data_handle(), &right.leading, &one, c.data_handle(), &ldc);
}

}  // namespace ccsd
