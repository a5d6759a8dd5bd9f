// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/sparse.hpp>

#include "mpi_test.hpp"

// Long sums of float in sparse products. In float they would stand still: 2^24 + 1 is 2^24.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t large = 16, all = large + 4096;
constexpr float expected = 16 * 16777216.0F + 4096;

template <class T>
T element(index_t k) {
  return k < large ? T{16777216} : T{1};
}

// A matrix whose element k is at place(k).
template <class T, class Place>
SparseMatrix<T> matrix(const Extents<2>& dims, Place&& place) {
  std::vector<Triplet<T>> mine;
  for (index_t k = world().rank(); k < all; k += world().size()) {
    const auto [row, column] = place(k);
    mine.push_back({row, column, element<T>(k)});
  }
  return {world(), dims[0], dims[1], mine};
}

template <class T>
void check_sums() {
  struct At {
    index_t row, column;
  };
  const float rounding = 64.0F * static_cast<float>(world().size());
  const auto near = [&](const T& found) { EXPECT_NEAR(std::real(found), expected, rounding); };
  Array<T, 1> ones(world(), {all}), one(world(), {1}), sum(world(), {1});
  fill(ones, T{1}), fill(one, T{1}), fill(sum, T{0});

  const auto row = matrix<T>({1, all}, [](index_t k) { return At{0, k}; });
  row.multiply(ones, sum);
  near(sum.load({0}));
  Array<T, 2> b(world(), {all, 3}), c(world(), {1, 3});
  fill(b, T{1});
  row.multiply(b, c);
  near(c.load({0, 2}));
  sum.sync();

  const auto column = matrix<T>({all, 1}, [](index_t k) { return At{k, 0}; });
  column.multiply_transposed(T{1}, ones, T{0}, sum);
  near(sum.load({0}));
  sum.sync();

  const auto dot = matrix<T>({1, 1}, [](index_t) { return At{0, 0}; });
  dot.multiply(one, sum);
  near(sum.load({0}));
  sum.sync();
}

TEST(SparseSums, of_float_grow) {
  check_sums<float>();
  check_sums<std::complex<float>>();
}

}  // namespace
