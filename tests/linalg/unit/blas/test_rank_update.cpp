// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "blas/rank_update.hpp"
#include "comparison.hpp"

// Sums of few products by each kernel, checked against plain loops over whole numbers, which are exact.
namespace tessera::test {
namespace {

using linalg::blas::Panel;
using linalg::blas::rank_update;

struct Shape {
  index_t m, n, k;
};

// A matrix inside larger memory, stored by columns or by rows, with padding between these and around.
template <class T>
class Matrix {
 public:
  Matrix(index_t rows, index_t columns, bool by_rows, index_t more, index_t shift)
      : rows_(rows),
        columns_(columns),
        row_stride_(by_rows ? columns + more : 1),
        column_stride_(by_rows ? 1 : rows + more),
        shift_(shift),
        all_(static_cast<std::size_t>(shift + (by_rows ? rows * row_stride_ : columns * column_stride_) + 64),
             T{77}) {}

  T& at(index_t i, index_t j) { return data()[i * row_stride_ + j * column_stride_]; }
  Panel<T> panel() { return {data(), row_stride_, column_stride_}; }
  Panel<const T> read() { return {data(), row_stride_, column_stride_}; }
  void randomize(std::mt19937& random) {
    std::uniform_int_distribution<int> number(-4, 4);
    for (index_t i = 0; i < rows_; ++i) {
      for (index_t j = 0; j < columns_; ++j) at(i, j) = static_cast<T>(number(random));
    }
  }
  // Whether the numbers around the matrix are as they were.
  testing::AssertionResult is_intact_around() {
    std::vector<bool> inside(all_.size(), false);
    for (index_t i = 0; i < rows_; ++i) {
      for (index_t j = 0; j < columns_; ++j)
        inside[static_cast<std::size_t>(begin() + i * row_stride_ + j * column_stride_)] = true;
    }
    Comparison compared;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!inside[i]) compared(i, T{77}, all_[i]);
    }
    return compared.equal();
  }

 private:
  // The matrix begins `shift` elements behind a cache line. Cache lines begin at multiples of 64.
  index_t begin() const {
    const auto address = reinterpret_cast<std::uintptr_t>(all_.data());
    return static_cast<index_t>((64 - address % 64) % 64 / sizeof(T)) + shift_;
  }
  T* data() { return all_.data() + begin(); }

  index_t rows_, columns_, row_stride_, column_stride_, shift_;
  std::vector<T> all_;
};

template <class T>
void compare(const Shape& shape, T alpha, T beta, unsigned kind, index_t widest) {
  SCOPED_TRACE(std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " + std::to_string(shape.k) +
               ", alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta) + ", kind " +
               std::to_string(kind) + ", vectors of " + std::to_string(widest));
  std::mt19937 random(7 + kind);
  const auto [m, n, k] = shape;
  Matrix<T> a(m, k, (kind & 1) != 0, 3, 1), b(k, n, (kind & 2) != 0, 0, 0),
      c(m, n, (kind & 4) != 0, (kind & 8) != 0 ? 5 : 0, (kind & 8) != 0 ? 3 : 0);
  a.randomize(random);
  b.randomize(random);
  c.randomize(random);
  std::vector<T> expected;
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t l = 0; l < k; ++l) sum += a.at(i, l) * b.at(l, j);
      expected.push_back(alpha * sum + (beta == T{0} ? T{0} : beta * c.at(i, j)));
      if (beta == T{0}) c.at(i, j) = std::numeric_limits<T>::quiet_NaN();  // is not read then
    }
  }
  ASSERT_TRUE(rank_update<T>(m, n, k, alpha, a.read(), b.read(), beta, c.panel(), widest));
  Comparison compared;
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j)
      compared(std::pair(i, j), expected[static_cast<std::size_t>(i * n + j)], c.at(i, j));
  }
  EXPECT_TRUE(compared.equal());
  EXPECT_TRUE(c.is_intact_around());
}

template <class T>
class RankUpdate : public testing::Test {
 public:
  static bool works(index_t widest) {
    Matrix<T> a(64, 1, false, 0, 0), b(1, 64, false, 0, 0), c(64, 64, false, 0, 0);
    return rank_update<T>(64, 64, 1, T{1}, a.read(), b.read(), T{0}, c.panel(), widest);
  }
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RankUpdate, Reals);

TYPED_TEST(RankUpdate, is_what_loops_compute) {
  if (!this->works(32)) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
  for (const index_t widest : {32, 64}) {
    for (const Shape& shape :
         {Shape{1, 1, 3}, Shape{5, 2, 1}, Shape{64, 64, 1}, Shape{65, 71, 7}, Shape{96, 128, 32},
          Shape{203, 149, 33}, Shape{64, 1030, 64}, Shape{2100, 67, 5}}) {
      for (unsigned kind = 0; kind < 16; ++kind) {
        const auto one_of = [kind](int first, int second, int third) {
          return static_cast<TypeParam>(kind % 3 == 0 ? first : kind % 3 == 1 ? second : third);
        };
        compare<TypeParam>(shape, one_of(1, 3, 3), one_of(0, 1, -2), kind, widest);
      }
    }
  }
}

// Results larger than the caches: some whose lines can be written past them, and some whose lines cannot.
TYPED_TEST(RankUpdate, is_what_loops_compute_for_results_larger_than_caches) {
  if (!this->works(32)) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
  constexpr index_t n = (index_t{8} << 20) / 1024 / static_cast<index_t>(sizeof(TypeParam));
  for (const index_t widest : {32, 64}) {
    for (const unsigned kind : {0u, 4u, 8u}) {
      compare<TypeParam>({1024, n, 4}, 2, 0, kind, widest);
      compare<TypeParam>({1040, n + 9, 3}, 1, 0, kind, widest);
    }
  }
}

TYPED_TEST(RankUpdate, of_a_result_in_neither_order_is_left_to_others) {
  using T = TypeParam;
  Matrix<T> a(80, 80, false, 0, 0), b(80, 80, false, 0, 0), c(80, 80, false, 0, 0);
  const Panel<T> spread{c.panel().data, 2, 160};
  EXPECT_FALSE(rank_update<T>(40, 40, 8, T{1}, a.read(), b.read(), T{1}, spread));
  EXPECT_EQ(c.at(0, 0), T{77});
}

// No products are added: c is only scaled, and the values in the factors do not matter.
TYPED_TEST(RankUpdate, of_no_products_scales_the_result) {
  using T = TypeParam;
  if (!this->works(32)) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
  for (const T beta : {T{0}, T{1}, T{3}}) {
    compare<T>({70, 30, 0}, 1, beta, 0, 64);
    Matrix<T> a(40, 8, false, 0, 0), b(8, 40, false, 0, 0), c(40, 40, false, 0, 0);
    a.at(3, 4) = std::numeric_limits<T>::quiet_NaN();
    ASSERT_TRUE(rank_update<T>(40, 40, 8, T{0}, a.read(), b.read(), beta, c.panel()));
    for (index_t i = 0; i < 40; ++i) EXPECT_EQ(c.at(3, i), 77 * beta);
  }
}

// Neither factor holds its product with alpha, but the result does.
TYPED_TEST(RankUpdate, multiplies_only_sums_by_alpha) {
  using T = TypeParam;
  if (!this->works(32)) GTEST_SKIP() << "this processor has neither AVX2 nor AVX-512";
  constexpr int half = std::numeric_limits<T>::max_exponent / 2 + 20;
  const T small = std::ldexp(T{1}, -half), large = std::ldexp(T{1}, half);
  for (const index_t widest : {32, 64}) {
    for (const bool left_is_small : {true, false}) {
      Matrix<T> a(70, 2, false, 0, 0), b(2, 71, false, 0, 0), c(70, 71, false, 0, 0);
      for (index_t l = 0; l < 2; ++l) {
        for (index_t i = 0; i < 70; ++i) a.at(i, l) = left_is_small ? small : large;
        for (index_t j = 0; j < 71; ++j) b.at(l, j) = left_is_small ? large : small;
      }
      for (const T& alpha : {small, large}) {
        ASSERT_TRUE(rank_update<T>(70, 71, 2, alpha, a.read(), b.read(), T{0}, c.panel(), widest));
        Comparison compared;
        for (index_t i = 0; i < 70; ++i) {
          for (index_t j = 0; j < 71; ++j) compared(std::pair(i, j), 2 * alpha, c.at(i, j));
        }
        EXPECT_TRUE(compared.equal());
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
