// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>

#include "test_matrix.hpp"

// Products of arrays and slices of every layout. The numbers are whole, so that every sum is exact.
namespace tessera::test {
namespace {

using linalg::Op;

/// Whether there was anything to multiply.
template <class T>
bool check(Random& random, index_t m, index_t n, index_t k, const Layout<2>* result = nullptr) {
  const auto op = [&] { return static_cast<Op>(pick(random, 0, 2)); };
  const Op op_a = op(), op_b = op();
  TestMatrix<T> a(random, op_a == Op::none ? Extents<2>(m, k) : Extents<2>(k, m)),
      b(random, op_b == Op::none ? Extents<2>(k, n) : Extents<2>(n, k)), c(random, Extents<2>(m, n), result);
  const T alpha = number<T>(pick(random, -2, 2), 1), beta = number<T>(pick(random, -1, 1));
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", a " << a.description() << ", b "
                                  << b.description() << ", c " << c.description());
  c.with_result([&](auto&& out) { linalg::gemm(alpha, a.operand(op_a), b.operand(op_b), beta, out); });
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t l = 0; l < k; ++l) sum += a.element(op_a, i, l) * b.element(op_b, l, j);
      c.at(i, j) = alpha * sum + beta * c.at(i, j);
    }
  }
  EXPECT_TRUE(c.equals_model());
  EXPECT_TRUE(a.equals_model()) << "an operand changed";
  EXPECT_TRUE(b.equals_model()) << "an operand changed";
  world().sync();
  return alpha != T{0};
}

template <class T>
class Gemm : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Gemm, Scalars);

TYPED_TEST(Gemm, equals_loops_for_any_layouts_and_slices) {
  Random random(20261122);
  for (int round = 0; round < rounds_of(world(), 25); ++round)
    check<TypeParam>(random, pick(random, 0, 24), pick(random, 0, 24), pick(random, 0, 24));
}

// Blocks that are read in place in parts, and operands larger than one fetch. They are smaller between nodes,
// where a tile of a few elements is a message.
TYPED_TEST(Gemm, equals_loops_for_larger_matrices) {
  Random random(7);
  const int most = times(world(), 200, 30);
  for (int round = 0; round < rounds_of(world(), 3); ++round)
    check<TypeParam>(random, pick(random, most / 2, most), pick(random, most / 2, most),
                     pick(random, most / 2, most));
  check<TypeParam>(random, 5, 7, times(world(), 1300, 60));
}

// Few products in each sum, and a result of more than 1 MiB on each rank. These use Tessera's own kernels.
TYPED_TEST(Gemm, equals_loops_for_sums_of_few_products) {
  Random random(9);
  if (world().size() > 3 || world().node_count() > 1) GTEST_SKIP() << "takes long there, and is the same";
  const Extents<2> dims(world().size() * 530, 530);
  for (const StorageOrder order : {StorageOrder::row_major, StorageOrder::column_major}) {
    const auto layout = Layout<2>::blocked(dims, world().size()).with_storage(order);
    check<TypeParam>(random, dims[0], dims[1], 3, &layout);
  }
}

std::uint64_t accumulates() {
  const Statistics statistics = runtime().statistics();
  std::uint64_t count = 0;
  for (const Path path : {Path::node, Path::window, Path::agent})
    count += statistics.of(path, Operation::accumulate).operations;
  return count;
}

// Long sums with a result that one process owns. All processes compute parts of them and accumulate the parts.
TYPED_TEST(Gemm, shares_out_long_sums_to_all_ranks) {
  Random random(8);
  const Extents<2> dims(6, 9);
  const auto layout = Layout<2>::blocked(dims, 1).on_ranks({world().size() - 1}, world().size());
  std::uint64_t products = 0;
  const std::uint64_t before = accumulates();
  for (int round = 0; round < rounds_of(world(), 3); ++round) {
    if (check<TypeParam>(random, dims[0], dims[1], times(world(), 400, 200) + round, &layout)) ++products;
  }
  // Between nodes this depends on where the operands are.
  if (world().size() > 1 && world().node_count() == 1) {
    EXPECT_GE(accumulates() - before, products) << "this rank took no part";
  }
}

std::uint64_t bytes_from_other_nodes() {
  const Statistics statistics = runtime().statistics();
  return statistics.of(Path::window, Operation::get).bytes + statistics.of(Path::agent, Operation::get).bytes;
}

// Long sums of cyclic operands. Each rank sums over its own part of one operand, which is then not transferred.
TYPED_TEST(Gemm, leaves_one_cyclic_operand_where_it_is) {
  using T = TypeParam;
  const int ranks = world().size();
  const index_t n = 4 * ranks, k = 100 * n;
  const auto matrix = [&](index_t rows, index_t columns, const char* name) {
    return Array<T, 2>(world(), Layout<2>::block_cyclic({rows, columns}, {4, 4}, {{1, ranks}}, ranks),
                       {.name = name});
  };
  auto a = matrix(n, k, "a"), b = matrix(k, n, "b"), c = matrix(n, n, "c");
  for_each_local(a, [&](const Index<2>& at, T& x) { x = number<T>(at[0] - at[1] % 3, at[1] % 2); });
  for_each_local(b, [&](const Index<2>& at, T& x) { x = number<T>(at[0] % 5, at[1] % 3); });
  fill(c, T{1});
  const std::uint64_t before = bytes_from_other_nodes();
  linalg::gemm(T{1}, a, b, T{2}, c);
  const auto part = static_cast<std::uint64_t>(k / ranks * n * static_cast<index_t>(sizeof(T)));
  EXPECT_LE((bytes_from_other_nodes() - before) * static_cast<std::uint64_t>(ranks),
            part * static_cast<std::uint64_t>(ranks - 1));
  Comparison compared;
  for_each_local(c, [&](const Index<2>& at, const T& x) {
    T sum{2};
    for (index_t l = 0; l < k; ++l) sum += number<T>(at[0] - l % 3, l % 2) * number<T>(l % 5, at[1] % 3);
    compared(at, sum, x);
  });
  EXPECT_TRUE(compared.equal());
  world().sync();
}

// Blocked operands of one grid are read in place, on both sides of every border of nodes.
TYPED_TEST(Gemm, reads_blocks_of_one_grid_in_place) {
  using T = TypeParam;
  const index_t n = 150;
  Array<T, 2> a(world(), {n, n}, {.name = "a"}), b(world(), {n, n}, {.name = "b"}),
      c(world(), {n, n}, {.name = "c"});
  // a is a shift by one, b holds its own numbers.
  fill(a, T{0});
  for_each_local(a, [&](const Index<2>& at, T& x) { x = T(at[1] == (at[0] + 1) % n ? 1 : 0); });
  for_each_local(b, [&](const Index<2>& at, T& x) { x = number<T>(at[0] * 50 + at[1], at[1]); });
  fill(c, T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  linalg::gemm(T{2}, a, b, T{0}, c);
  Comparison compared;
  for_each_local(c, [&](const Index<2>& at, const T& x) {
    compared(at, T{2} * number<T>((at[0] + 1) % n * 50 + at[1], at[1]), x);
  });
  EXPECT_TRUE(compared.equal());
  // The square of a: both operands are one array.
  linalg::gemm(T{1}, a, a, T{0}, c);
  Comparison squares;
  for_each_local(c,
                 [&](const Index<2>& at, const T& x) { squares(at, T(at[1] == (at[0] + 2) % n ? 1 : 0), x); });
  EXPECT_TRUE(squares.equal());
  world().sync();
}

TEST(GemmErrors, a_result_that_is_read_is_refused) {
  Array<double, 2> a(world(), {6, 6}, {.name = "A"}), b(world(), {3, 3}, {.name = "B"});
  const auto upper = a.slice({{0, 0}, {3, 3}});
  EXPECT_NE(message_of<UsageError>([&] {
              linalg::gemm(1, upper, b, 0, a.slice({{2, 2}, {5, 5}}));
            }).find("\"A\""),
            std::string::npos);
  fill(a, 1.0), fill(b, 2.0);
  linalg::gemm(1, upper, b, 0, a.slice({{3, 3}, {6, 6}}));  // another part of the same array
  EXPECT_EQ(reduce(a.slice({{3, 3}, {6, 6}}), Reduce::sum), 54.0);
  EXPECT_EQ(reduce(a, Reduce::sum), 54.0 + 27.0);
  world().sync();
}

}  // namespace
}  // namespace tessera::test
