// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

#include "blas/blas.hpp"
#include "comparison.hpp"
#include "message_of.hpp"

// The interface to BLAS, checked against plain loops over whole numbers, which are exact.
namespace tessera::test {
namespace {

using linalg::blas::can_read;
using linalg::blas::Order;
using linalg::blas::order_of;
using linalg::blas::Panel;

constexpr index_t largest_int = std::numeric_limits<int>::max();

TEST(BlasOrder, follows_the_dimension_of_unit_stride) {
  EXPECT_EQ(order_of(1, 5, 5, 3), Order::by_columns);
  EXPECT_EQ(order_of(1, 8, 5, 3), Order::by_columns);
  EXPECT_EQ(order_of(3, 1, 5, 3), Order::by_rows);
  EXPECT_EQ(order_of(8, 1, 5, 3), Order::by_rows);
  EXPECT_EQ(order_of(2, 10, 5, 3), Order::neither);
}

TEST(BlasOrder, is_neither_if_columns_or_rows_overlap) {
  EXPECT_EQ(order_of(1, 4, 5, 3), Order::neither);
  EXPECT_EQ(order_of(2, 1, 5, 3), Order::neither);
}

TEST(BlasOrder, is_neither_if_a_stride_exceeds_32_bits) {
  EXPECT_EQ(order_of(1, largest_int, 5, 3), Order::by_columns);
  EXPECT_EQ(order_of(1, largest_int + 1, 5, 3), Order::neither);
  EXPECT_EQ(order_of(largest_int + 1, 1, 5, 3), Order::neither);
}

TEST(BlasOrder, of_a_single_row_or_column_is_by_columns) {
  EXPECT_EQ(order_of(7, 1, 1, 3), Order::by_columns);
  EXPECT_EQ(order_of(7, 4, 1, 3), Order::by_columns);
  EXPECT_EQ(order_of(1, 2, 5, 1), Order::by_columns);
  EXPECT_EQ(order_of(largest_int + 1, largest_int + 1, 1, 1), Order::by_columns);
}

TEST(BlasOrder, of_a_conjugated_operand_differs_from_that_of_the_result) {
  for (const Order result : {Order::by_columns, Order::by_rows}) {
    for (const Order operand : {Order::by_columns, Order::by_rows}) {
      EXPECT_TRUE(can_read(operand, false, result));
      EXPECT_EQ(can_read(operand, true, result), operand != result);
    }
    EXPECT_FALSE(can_read(Order::neither, false, result));
    EXPECT_FALSE(can_read(Order::neither, true, result));
  }
}

TEST(BlasVector, holds_zeros_with_room_behind) {
  for (const index_t size : {0, 1, 100}) {
    const auto vector = linalg::blas::vector_of<float>(size);
    EXPECT_EQ(vector, std::vector<float>(static_cast<std::size_t>(size)));
    EXPECT_GE((vector.capacity() - vector.size()) * sizeof(float), linalg::blas::room_behind);
  }
}

// A matrix of whole numbers with any strides, which has room behind it.
template <class T>
class Strided {
 public:
  Strided(std::mt19937& random, index_t rows, index_t columns, index_t row_stride, index_t column_stride)
      : all_(linalg::blas::vector_of<T>(1 + rows * row_stride + columns * column_stride)),
        row_stride_(row_stride),
        column_stride_(column_stride) {
    for (T& x : all_) x = number(random);
  }
  T at(index_t i, index_t j, bool conjugated = false) const {
    const T value = all_[static_cast<std::size_t>(i * row_stride_ + j * column_stride_)];
    if constexpr (std::is_floating_point_v<T>)
      return value;
    else
      return conjugated ? std::conj(value) : value;
  }
  Panel<T> panel() { return {all_.data(), row_stride_, column_stride_}; }
  Panel<const T> read() const { return {all_.data(), row_stride_, column_stride_}; }
  void fill(T value) { std::fill(all_.begin(), all_.end(), value); }

 private:
  static T number(std::mt19937& random) {
    std::uniform_int_distribution<int> pick(-4, 4);
    const auto real = static_cast<decltype(std::abs(T{}))>(pick(random));
    if constexpr (std::is_floating_point_v<T>)
      return real;
    else
      return {real, static_cast<decltype(std::abs(T{}))>(pick(random))};
  }

  std::vector<T> all_;
  index_t row_stride_, column_stride_;
};

// By columns or by rows, with padding between these.
template <class T>
Strided<T> in_order(std::mt19937& random, index_t rows, index_t columns, Order order, index_t padding) {
  return order == Order::by_columns ? Strided<T>(random, rows, columns, 1, rows + padding)
                                    : Strided<T>(random, rows, columns, columns + padding, 1);
}

struct Extents3 {
  index_t m, n, k;
};
struct Operands {
  Order a, b, c;
  bool conjugate_a, conjugate_b;
};

template <class T>
void check_gemm(std::mt19937& random, const Extents3& extents, const Operands& kind, T beta) {
  const auto [m, n, k] = extents;
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", orders " << static_cast<int>(kind.a)
                                  << static_cast<int>(kind.b) << static_cast<int>(kind.c) << ", conjugated "
                                  << kind.conjugate_a << kind.conjugate_b << ", beta " << beta);
  const auto a = in_order<T>(random, m, k, kind.a, 2), b = in_order<T>(random, k, n, kind.b, 0);
  auto c = in_order<T>(random, m, n, kind.c, 3);
  const T alpha{2};
  std::vector<T> expected;
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t l = 0; l < k; ++l) sum += a.at(i, l, kind.conjugate_a) * b.at(l, j, kind.conjugate_b);
      expected.push_back(alpha * sum + (beta == T{0} ? T{0} : beta * c.at(i, j)));
    }
  }
  if (beta == T{0}) c.fill(T(std::numeric_limits<decltype(std::abs(T{}))>::quiet_NaN()));
  linalg::blas::gemm<T>(m, n, k, alpha, a.read(), kind.conjugate_a, b.read(), kind.conjugate_b, beta,
                        c.panel());
  Comparison compared;
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j)
      compared(std::pair(i, j), expected[static_cast<std::size_t>(i * n + j)], c.at(i, j));
  }
  EXPECT_TRUE(compared.equal());
}

template <class T>
class BlasCalls : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(BlasCalls, Scalars);

TYPED_TEST(BlasCalls, of_gemm_equal_loops_for_all_orders_that_can_be_read) {
  using T = TypeParam;
  std::mt19937 random(1);
  const std::vector<Order> orders{Order::by_columns, Order::by_rows};
  for (const Extents3& extents : {Extents3{5, 7, 3}, {1, 4, 6}, {6, 1, 2}, {1, 1, 9}, {3, 4, 1}, {3, 2, 0}}) {
    for (const Order a : orders) {
      for (const Order b : orders) {
        for (const Order c : orders) {
          for (int conjugated = 0; conjugated < 4; ++conjugated) {
            const Operands kind{a, b, c, conjugated % 2 == 1, conjugated / 2 == 1};
            if (!can_read(a, kind.conjugate_a, c) || !can_read(b, kind.conjugate_b, c)) continue;
            for (const T beta : {T{0}, T{1}, T{-3}}) check_gemm<T>(random, extents, kind, beta);
          }
        }
      }
    }
  }
}

TYPED_TEST(BlasCalls, of_gemm_refuse_a_panel_in_neither_order) {
  using T = TypeParam;
  std::mt19937 random(2);
  const Strided<T> spread(random, 4, 4, 2, 8);
  Strided<T> c(random, 4, 4, 1, 4);
  const auto message = message_of<UsageError>([&] {
    linalg::blas::gemm<T>(4, 4, 4, T{1}, spread.read(), false, spread.read(), false, T{0}, c.panel());
  });
  EXPECT_NE(message.find("32 bits"), std::string::npos) << message;
}

TYPED_TEST(BlasCalls, of_gemv_equal_loops_for_any_strides) {
  using T = TypeParam;
  std::mt19937 random(3);
  struct Strides {
    index_t row, column;
  };
  for (const auto& [m, n] : {std::pair<index_t, index_t>{5, 7}, {1, 6}, {6, 1}, {1, 1}, {0, 3}, {3, 0}}) {
    for (const auto& [row, column] : {Strides{1, 8}, {9, 1}, {2, 20}, {20, 2}}) {
      for (const bool conjugated : {false, true}) {
        SCOPED_TRACE(testing::Message() << m << " x " << n << ", strides " << row << " and " << column
                                        << (conjugated ? ", conjugated" : ""));
        const Strided<T> a(random, m, n, row, column), x(random, n, 1, 1, 1);
        Strided<T> y(random, m, 1, 1, 1);
        std::vector<T> expected;
        for (index_t i = 0; i < m; ++i) {
          T sum{};
          for (index_t j = 0; j < n; ++j) sum += a.at(i, j, conjugated) * x.at(j, 0);
          expected.push_back(y.at(i, 0) + T{3} * sum);
        }
        linalg::blas::gemv<T>(m, n, T{3}, a.read(), conjugated, x.read().data, y.panel().data);
        Comparison compared;
        for (index_t i = 0; i < m; ++i) compared(i, expected[static_cast<std::size_t>(i)], y.at(i, 0));
        EXPECT_TRUE(compared.equal());
      }
    }
  }
}

}  // namespace
}  // namespace tessera::test
