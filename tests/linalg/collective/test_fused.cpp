// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/linalg.hpp>

#include "message_of.hpp"
#include "test_matrix.hpp"

// Slices with fused dimensions as matrices, against serial loops and against the same matrix in an array of two
// dimensions.
namespace tessera::test {
namespace {

using linalg::adjoint;
using linalg::gemm;
using linalg::transpose;

// An array of four dimensions in any layout, and the matrix whose rows are the dimensions `rows`.
template <class T>
class FusedModel {
 public:
  FusedModel(Random& random, const Extents<4>& dims, std::vector<int> rows)
      : array(world(), any_layout(random, dims), {.name = "t"}), rows_(std::move(rows)), dims_(dims) {
    for (int d = 0; d < 4; ++d)
      if (std::find(rows_.begin(), rows_.end(), d) == rows_.end()) columns_.push_back(d);
    std::shuffle(columns_.begin(), columns_.end(), random);
    std::vector<T> values(at(dims.size()));
    for (T& x : values) x = number<T>(pick(random, -3, 3), pick(random, -2, 2));
    set_contents(array, values);
  }
  Fused<T> fused() {
    const auto list = [](const std::vector<int>& all) {
      return all.size() == 1   ? std::vector{all[0], -1, -1}
             : all.size() == 2 ? std::vector{all[0], all[1], -1}
                               : all;
    };
    const auto r = list(rows_), c = list(columns_);
    switch (rows_.size()) {
      case 1:
        return array.slice().fused({r[0]}, {c[0], c[1], c[2]});
      case 2:
        return array.slice().fused({r[0], r[1]}, {c[0], c[1]});
      default:
        return array.slice().fused({r[0], r[1], r[2]}, {c[0]});
    }
  }
  // The matrix, element by element.
  LocalArray<T, 2> values() const {
    const std::vector<T> all = contents(array);
    const auto extent_of = [&](const std::vector<int>& list) {
      index_t extent = 1;
      for (const int d : list) extent *= dims_[at(d)];
      return extent;
    };
    LocalArray<T, 2> matrix({extent_of(rows_), extent_of(columns_)});
    for_each_index(Patch<4>::whole(dims_), [&](const Index<4>& place) {
      matrix(number_in(rows_, place), number_in(columns_, place)) = all[at(number_of(place, dims_))];
    });
    return matrix;
  }

  Array<T, 4> array;

 private:
  index_t number_in(const std::vector<int>& list, const Index<4>& place) const {
    index_t number = 0;
    for (const int d : list) number = number * dims_[at(d)] + place[at(d)];
    return number;
  }
  std::vector<int> rows_, columns_;
  Extents<4> dims_;
};

template <class T>
class FusedProducts : public testing::Test {};
using FusedScalars = testing::Types<float, std::complex<double>>;
TYPED_TEST_SUITE(FusedProducts, FusedScalars);

// All numbers are whole, so that every sum is exact.
TYPED_TEST(FusedProducts, are_those_of_the_matrices) {
  using T = TypeParam;
  Random random(21);
  for (int round = 0; round < 8; ++round) {
    // c is 12 x 10, the sums are over 15 or over 8 indices
    FusedModel<T> a(random, {3, 4, 5, 3}, {1, 0}), b(random, {5, 3, 2, 5}, {2, 3}),
        c(random, {2, 3, 4, 5}, {2, 1});
    const LocalArray<T, 2> left = a.values(), right = b.values();
    LocalArray<T, 2> expected = c.values();
    const bool is_adjoint = round % 2 == 1;
    for (index_t i = 0; i < 12; ++i) {
      for (index_t j = 0; j < 10; ++j) {
        T sum{};
        for (index_t k = 0; k < 15; ++k)
          sum += left(i, k) * (is_adjoint ? conjugate(right(j, k)) : right(j, k));
        expected(i, j) = T{2} * sum - expected(i, j);
      }
    }
    gemm(2, a.fused(), is_adjoint ? adjoint(b.fused()) : transpose(b.fused()), -1, c.fused());
    const LocalArray<T, 2> found = c.values();
    Comparison compared;
    for_each_index(Patch<2>({0, 0}, {12, 10}),
                   [&](const Index<2>& place) { compared(place, expected[place], found[place]); });
    EXPECT_TRUE(compared.equal());
  }
}

TYPED_TEST(FusedProducts, with_arrays_and_with_themselves_are_right) {
  using T = TypeParam;
  Random random(22);
  for (int round = 0; round < 4; ++round) {
    FusedModel<T> t(random, {3, 4, 2, 3}, round % 2 == 0 ? std::vector{3, 0} : std::vector{2});
    const LocalArray<T, 2> m = t.values();
    const index_t n = m.extent(0), k = m.extent(1);
    Array<T, 2> c(world(), any_layout(random, Extents<2>(n, n)), {.name = "c"}), d(c.duplicate("d"));
    const Array<T, 2> plain = t.fused().matrix();
    linalg::herk(1, t.fused(), 0, c);
    gemm(1, t.fused(), adjoint(plain), 0, d);
    const auto found = c.get(Patch<2>::whole(c.dims())), same = d.get(Patch<2>::whole(d.dims()));
    Array<T, 2> turned(world(), any_layout(random, Extents<2>(k, k)), {.name = "turned"});
    linalg::syrk(1, transpose(t.fused()), 0, turned);
    const auto columns = turned.get(Patch<2>::whole(turned.dims()));
    Comparison compared;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) {
        T sum{};
        for (index_t x = 0; x < k; ++x) sum += m(i, x) * conjugate(m(j, x));
        compared(Index<2>(i, j), sum, found(i, j));
        compared(Index<2>(i, j), sum, same(i, j));
      }
    }
    for (index_t i = 0; i < k; ++i) {
      for (index_t j = 0; j < k; ++j) {
        T sum{};
        for (index_t x = 0; x < n; ++x) sum += m(x, i) * m(x, j);
        compared(Index<2>(i, j), sum, columns(i, j));
      }
    }
    EXPECT_TRUE(compared.equal());
  }
}

// A symmetric matrix of pairs, as of two-electron integrals.
TEST(FusedRoutines, take_fused_slices) {
  Random random(23);
  Array<double, 4> v(world(), any_layout(random, Extents<4>(3, 4, 3, 4)), {.name = "v"});
  for_each_local(v, [](const Index<4>& at, double& x) {
    const auto p = static_cast<double>(4 * at[0] + at[1]), q = static_cast<double>(4 * at[2] + at[3]);
    x = 1 / (1 + std::abs(p - q)) + (p == q ? 2 : 0);
  });
  v.sync();
  const Fused<const double> pairs = std::as_const(v).slice().fused({0, 1}, {2, 3});
  EXPECT_EQ(pairs.dims(), (Extents<2>{12, 12}));
  const Array<double, 2> matrix = pairs.matrix("M");
  const auto [w, vectors] = linalg::eigh(pairs);
  EXPECT_EQ(w, linalg::eigh(matrix).values);
  EXPECT_EQ(linalg::svdvals(pairs), linalg::svdvals(matrix));
  const auto expect_equal = [](const Array<double, 2>& a, const Array<double, 2>& b) {
    const auto x = a.get(Patch<2>::whole(a.dims())), y = b.get(Patch<2>::whole(b.dims()));
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin()));
  };
  expect_equal(vectors, linalg::eigh(matrix).vectors);
  expect_equal(linalg::cholesky(pairs), linalg::cholesky(matrix));
  expect_equal(linalg::inverse(pairs), linalg::inverse(matrix));
  Array<double, 2> x(world(), {12, 2}, {.name = "x"}), y(world(), {12, 2}, {.name = "y"});
  fill(x, 1.0), fill(y, 1.0);
  linalg::solve(pairs, x), linalg::solve(matrix, y);
  EXPECT_EQ(contents(x), contents(y));
}

TEST(FusedUse, lists_that_are_no_permutation_are_told) {
  Array<double, 3> t(world(), {2, 3, 4}, {.name = "t"});
  const char* const told =
      "fused: list each of the dimensions 0 to 2 of array \"t\" once, as a row or a column";
  EXPECT_EQ(message_of<UsageError>([&] { t.slice().fused({0, 1}, {1}); }), told);
  EXPECT_EQ(message_of<UsageError>([&] { t.slice().fused({0}, {1}); }), told);
  EXPECT_EQ(message_of<UsageError>([&] { t.slice().fused({0, 1}, {3}); }), told);
  EXPECT_EQ(t.slice().fused({}, {2, 0, 1}).dims(), (Extents<2>{1, 24}));
  EXPECT_EQ(t.slice().fused({1, 0, 2}, {}).dims(), (Extents<2>{24, 1}));
  Array<double, 2> c(world(), {6, 6}, {.name = "c"});
  fill(t, 1.0);
  EXPECT_THROW(gemm(1, t.slice().fused({0, 1}, {2}), t.slice().fused({0, 1}, {2}), 0, c), UsageError);
  gemm(1, t.slice().fused({0, 1}, {2}), transpose(t.slice().fused({0, 1}, {2})), 0, c);
  EXPECT_EQ(contents(c), std::vector<double>(36, 4.0));
}

}  // namespace
}  // namespace tessera::test
