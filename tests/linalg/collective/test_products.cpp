// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>

#include "test_matrix.hpp"

// Products with symmetric matrices, with vectors, and many at once. The numbers are whole, so that every sum is
// exact.
namespace tessera::test {
namespace {

using linalg::Op;
using linalg::Side;
using linalg::Triangle;

template <class T>
class Products : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Products, Scalars);

template <class T>
T value_of(Random& random, bool real) {
  return real ? T(static_cast<RealOf<T>>(pick(random, -2, 2))) : number<T>(pick(random, -2, 2), 1);
}

// c = alpha op(a) op(a)^T + beta c, or with the adjoint.
template <class T>
void check_rank_k(Random& random, bool hermitian, index_t n, index_t k, const Layout<2>* result = nullptr) {
  const Op op = static_cast<Op>(pick(random, 0, 2));
  TestMatrix<T> a(random, op == Op::none ? Extents<2>(n, k) : Extents<2>(k, n)),
      c(random, Extents<2>(n, n), result);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < i; ++j) c.at(j, i) = hermitian ? conjugate(c.at(i, j)) : c.at(i, j);
    if (hermitian) c.at(i, i) = T(std::real(c.at(i, i)));
  }
  c.update();
  const T alpha = value_of<T>(random, hermitian), beta = value_of<T>(random, hermitian);
  SCOPED_TRACE(testing::Message() << n << " x " << k << ", a " << a.description() << ", c " << c.description());
  c.with_result([&](auto&& out) {
    hermitian ? linalg::herk(std::real(alpha), a.operand(op), std::real(beta), out)
              : linalg::syrk(alpha, a.operand(op), beta, out);
  });
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t l = 0; l < k; ++l) {
        const T right = a.element(op, j, l);
        sum += a.element(op, i, l) * (hermitian ? conjugate(right) : right);
      }
      c.at(i, j) = alpha * sum + beta * c.at(i, j);
    }
  }
  EXPECT_TRUE(c.equals_model());
  EXPECT_TRUE(a.equals_model()) << "the operand changed";
  world().sync();
}

TYPED_TEST(Products, of_a_matrix_and_its_adjoint_equal_loops) {
  Random random(5);
  for (int round = 0; round < rounds_of(world(), 8); ++round) {
    check_rank_k<TypeParam>(random, round % 2 == 0, pick(random, 0, 24), pick(random, 0, 24));
    // More than one of the squares that the ranks share out.
    if (round < 2) check_rank_k<TypeParam>(random, round % 2 == 0, times(world(), 200, 80), 3);
  }
  // One owner and long sums, which all processes compute.
  const Extents<2> dims(80, 80);
  const auto layout = Layout<2>::blocked(dims, 1).on_ranks({world().size() - 1}, world().size());
  check_rank_k<TypeParam>(random, true, 80, times(world(), 300, 100), &layout);
  check_rank_k<TypeParam>(random, false, 80, times(world(), 300, 100), &layout);
}

// Sums of real numbers depend on their order. Both triangles must be equal to the last bit.
TYPED_TEST(Products, are_symmetric_to_the_last_bit) {
  using T = TypeParam;
  const index_t n = times(world(), 150, 70), k = 37;
  const auto numbers = random_matrix<T>(n, k, 3);
  auto all_layouts = layouts({n, n});
  // One row of the first rank is in another square than the other rows.
  const std::vector<index_t> starts{0, 65};
  if (world().size() > 1) all_layouts.push_back(Layout<2>::irregular({n, n}, {starts, {0}}, world().size()));
  for (const auto& layout : all_layouts) {
    Array<T, 2> a(world(), {n, k}), c(world(), layout);
    set(a, numbers);
    linalg::herk(RealOf<T>{1}, a, RealOf<T>{0}, c);
    const auto all = c.get(Patch<2>::whole(c.dims()));
    Comparison mirrored;
    LargestDistance distance;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j <= i; ++j) {
        mirrored(Index<2>{i, j}, conjugate(all(j, i)), all(i, j));
        T sum{};
        for (index_t l = 0; l < k; ++l) sum += numbers(i, l) * conjugate(numbers(j, l));
        distance(Index<2>{i, j}, sum, all(i, j));
      }
    }
    EXPECT_TRUE(mirrored.equal());
    EXPECT_TRUE(distance.below(1000 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon())));
    world().sync();
  }
}

TYPED_TEST(Products, read_one_triangle_of_a_symmetric_matrix) {
  using T = TypeParam;
  Random random(6);
  for (int round = 0; round < rounds_of(world(), 8); ++round) {
    const bool hermitian = round % 2 == 0;
    const Side side = pick(random, 0, 1) == 0 ? Side::left : Side::right;
    const Triangle triangle = pick(random, 0, 1) == 0 ? Triangle::lower : Triangle::upper;
    const index_t m = pick(random, 1, 20), n = pick(random, 1, 20), order = side == Side::left ? m : n;
    // The other triangle must not matter.
    TestMatrix<T> a(random, Extents<2>(order, order)), b(random, Extents<2>(m, n)), c(random, Extents<2>(m, n));
    const T alpha = value_of<T>(random, false), beta = value_of<T>(random, false);
    a.with_result([&](auto&& matrix) {
      b.with_result([&](auto&& other) {
        c.with_result([&](auto&& out) {
          hermitian ? linalg::hemm(side, triangle, alpha, matrix, other, beta, out)
                    : linalg::symm(side, triangle, alpha, matrix, other, beta, out);
        });
      });
    });
    const auto element = [&](index_t i, index_t j) {
      if (i == j) return hermitian ? T(std::real(a.at(i, i))) : a.at(i, i);
      const bool stored = triangle == Triangle::lower ? i > j : i < j;
      return stored ? a.at(i, j) : hermitian ? conjugate(a.at(j, i)) : a.at(j, i);
    };
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < n; ++j) {
        T sum{};
        for (index_t l = 0; l < order; ++l)
          sum += side == Side::left ? element(i, l) * b.at(l, j) : b.at(i, l) * element(l, j);
        c.at(i, j) = alpha * sum + beta * c.at(i, j);
      }
    }
    EXPECT_TRUE(c.equals_model());
    EXPECT_TRUE(a.equals_model()) << "an operand changed";
    EXPECT_TRUE(b.equals_model()) << "an operand changed";
    world().sync();
  }
}

TYPED_TEST(Products, with_vectors_equal_loops) {
  using T = TypeParam;
  Random random(7);
  for (int round = 0; round < rounds_of(world(), 20); ++round) {
    const Op op = static_cast<Op>(pick(random, 0, 2));
    const index_t m = pick(random, 0, 40), n = pick(random, 0, 40);
    TestMatrix<T> a(random, op == Op::none ? Extents<2>(m, n) : Extents<2>(n, m));
    // Rows and columns of matrices, so that the vectors have all kinds of strides.
    TestMatrix<T> left(random, Extents<2>(3, n)), right(random, Extents<2>(m, 2));
    const T alpha = value_of<T>(random, false), beta = value_of<T>(random, pick(random, 0, 1) == 0);
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", a " << a.description());
    left.with_result([&](auto&& x) {
      right.with_result([&](auto&& y) {
        linalg::gemv(alpha, a.operand(op), slice_of(x).fix(0, 1), beta, slice_of(y).fix(1, 1));
      });
    });
    for (index_t i = 0; i < m; ++i) {
      T sum{};
      for (index_t l = 0; l < n; ++l) sum += a.element(op, i, l) * left.at(1, l);
      right.at(i, 1) = alpha * sum + beta * right.at(i, 1);
    }
    EXPECT_TRUE(right.equals_model());
    EXPECT_TRUE(a.equals_model()) << "an operand changed";
    EXPECT_TRUE(left.equals_model()) << "an operand changed";
    world().sync();
  }
}

TYPED_TEST(Products, many_at_once_equal_loops) {
  using T = TypeParam;
  Random random(8);
  const int count = times(world(), 12, 5);
  std::vector<std::unique_ptr<TestMatrix<T>>> matrices;
  std::vector<linalg::BatchProduct<T>> products;
  std::vector<std::pair<Op, Op>> ops;
  const T alpha = value_of<T>(random, false), beta = value_of<T>(random, false);
  for (int i = 0; i < count; ++i) {
    const index_t m = pick(random, 0, 12), n = pick(random, 0, 12), k = pick(random, 0, 12);
    const auto& [op_a, op_b] =
        ops.emplace_back(static_cast<Op>(pick(random, 0, 2)), static_cast<Op>(pick(random, 0, 2)));
    const Extents<2> shapes[3] = {op_a == Op::none ? Extents<2>(m, k) : Extents<2>(k, m),
                                  op_b == Op::none ? Extents<2>(k, n) : Extents<2>(n, k), Extents<2>(m, n)};
    for (const auto& dims : shapes) matrices.push_back(std::make_unique<TestMatrix<T>>(random, dims));
    const std::size_t first = matrices.size() - 3;
    matrices[first + 2]->with_result([&](auto&& c) {
      products.push_back({matrices[first]->operand(op_a), matrices[first + 1]->operand(op_b), slice_of(c)});
    });
  }
  linalg::gemm_batch<T>(alpha, products, beta);
  for (int i = 0; i < count; ++i) {
    const std::size_t first = 3 * static_cast<std::size_t>(i);
    TestMatrix<T>&a = *matrices[first], &b = *matrices[first + 1], &c = *matrices[first + 2];
    const auto [op_a, op_b] = ops[static_cast<std::size_t>(i)];
    const Extents<2> dims = products[static_cast<std::size_t>(i)].c.dims();
    const index_t k = products[static_cast<std::size_t>(i)].a.core().extents()[op_a == Op::none ? 1 : 0];
    for (index_t p = 0; p < dims[0]; ++p) {
      for (index_t q = 0; q < dims[1]; ++q) {
        T sum{};
        for (index_t l = 0; l < k; ++l) sum += a.element(op_a, p, l) * b.element(op_b, l, q);
        c.at(p, q) = alpha * sum + beta * c.at(p, q);
      }
    }
    EXPECT_TRUE(c.equals_model()) << "product " << i;
    EXPECT_TRUE(a.equals_model()) << "an operand changed";
    EXPECT_TRUE(b.equals_model()) << "an operand changed";
  }
  world().sync();
}

TEST(Batch, multiplies_the_matrices_of_arrays_of_three_dimensions) {
  const index_t count = 7, m = 4, n = 5, k = 6;
  Array<double, 3> a(world(), {count, m, k}, {.name = "a"}), b(world(), {count, k, n}, {.name = "b"}),
      c(world(), {count, m, n}, {.name = "c"});
  const auto left = [](index_t i, index_t p, index_t l) { return static_cast<double>(i + 2 * p - 3 * l); };
  const auto right = [](index_t i, index_t l, index_t q) { return static_cast<double>(4 * i - l + q); };
  for_each_local(a, [&](const Index<3>& at, double& x) { x = left(at[0], at[1], at[2]); });
  for_each_local(b, [&](const Index<3>& at, double& x) { x = right(at[0], at[1], at[2]); });
  fill(c, std::numeric_limits<double>::quiet_NaN());
  linalg::gemm_batch(2.0, a, b, 0.0, c);
  Comparison compared;
  for_each_local(c, [&](const Index<3>& at, const double& x) {
    double sum = 0;
    for (index_t l = 0; l < k; ++l) sum += left(at[0], at[1], l) * right(at[0], l, at[2]);
    compared(at, 2 * sum, x);
  });
  EXPECT_TRUE(compared.equal());
  Array<double, 3> fewer(world(), {count - 1, m, n});
  EXPECT_NE(message_of<UsageError>([&] { linalg::gemm_batch(1.0, a, b, 0.0, fewer); }).find("6 c"),
            std::string::npos);
}

TEST(ProductErrors, name_what_does_not_fit) {
  Array<double, 2> a(world(), {4, 5}, {.name = "A"}), c(world(), {4, 4}, {.name = "C"});
  Array<double, 1> x(world(), {5}, {.name = "x"}), y(world(), {3}, {.name = "y"});
  EXPECT_NE(message_of<UsageError>([&] { linalg::syrk(1.0, linalg::transpose(a), 0.0, c); }).find("5 x 5"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::syrk(1.0, c, 0.0, c); }).find("also an operand"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { linalg::gemv(1.0, a, x, 0.0, y); }).find("y 3"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::symm(Side::left, Triangle::lower, 1.0, a, c, 0.0, c);
            }).find("square"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::test
