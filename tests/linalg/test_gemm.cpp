// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>

#include "../ga/onesided_model.hpp"
#include "../ga/slice_model.hpp"
#include "matrix_model.hpp"

// Products of arrays and slices of every layout, of whole numbers, so that every sum is exact.
namespace tessera::test {
namespace {

using linalg::Op;
using linalg::Operand;

template <class T>
T small_number(Random& random) {
  return number<T>(pick(random, -9, 9), pick(random, -3, 3));
}

// A matrix that is an array or a slice of a larger one; `elements` are its own, by rows.
template <class T>
class TestMatrix {
 public:
  TestMatrix(Random& random, const Extents<2>& dims, const Layout<2>* fixed = nullptr)
      : dims_(dims),
        array_dims_(fixed != nullptr ? dims : larger(random, dims)),
        slice_(random, array_dims_, dims),
        array_(world(),
               fixed != nullptr ? *fixed : any_of(random, layouts_of(random, array_dims_, world().size())),
               {.name = "matrix"}) {
    for (index_t i = 0; i < array_dims_.size(); ++i) all_.push_back(small_number<T>(random));
    set_contents(array_, all_);
    is_whole_ = array_dims_ == dims && (fixed != nullptr || pick(random, 0, 1) == 0);
  }

  T& at(index_t i, index_t j) {
    const index_t number = i * dims_[1] + j;
    return all_[test::at(is_whole_ ? number : slice_.model.numbers[test::at(number)])];
  }
  T element(Op op, index_t i, index_t j) {
    return op == Op::none ? at(i, j) : op == Op::transpose ? at(j, i) : conjugate(at(j, i));
  }
  Operand<T> operand(Op op) { return is_whole_ ? Operand<T>(array_, op) : Operand<T>(slice_.of(array_), op); }
  void multiply(T alpha, const Operand<T>& a, const Operand<T>& b, T beta) {
    is_whole_ ? linalg::gemm(alpha, a, b, beta, array_) : linalg::gemm(alpha, a, b, beta, slice_.of(array_));
  }
  /// How many elements, of all of the array, are not what they should be.
  int wrong() {
    const std::vector<T> now = contents(array_);
    int wrong = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) wrong += static_cast<int>(now[i] != all_[i]);
    return wrong;
  }
  std::string description() const {
    return (is_whole_ ? "all" : slice_.of(array_).core().description()) + " of " +
           array_.layout().description();
  }

 private:
  static Extents<2> larger(Random& random, const Extents<2>& dims) {
    if (pick(random, 0, 1) == 0) return dims;
    const index_t most = std::max(dims[0], dims[1]);
    return {most * pick(random, 1, 2) + pick(random, 0, 5), most + pick(random, 0, 5)};
  }

  Extents<2> dims_, array_dims_;
  bool is_whole_ = false;
  RandomSlice<2> slice_;
  Array<T, 2> array_;
  std::vector<T> all_;
};

template <class T>
void check(Random& random, index_t m, index_t n, index_t k, const Layout<2>* result = nullptr) {
  const auto op = [&] { return static_cast<Op>(pick(random, 0, 2)); };
  const Op op_a = op(), op_b = op();
  TestMatrix<T> a(random, op_a == Op::none ? Extents<2>(m, k) : Extents<2>(k, m)),
      b(random, op_b == Op::none ? Extents<2>(k, n) : Extents<2>(n, k)), c(random, Extents<2>(m, n), result);
  const T alpha = number<T>(pick(random, -2, 2), 1), beta = number<T>(pick(random, -1, 1));
  SCOPED_TRACE(testing::Message() << m << " x " << n << " x " << k << ", a " << a.description() << ", b "
                                  << b.description() << ", c " << c.description());
  c.multiply(alpha, a.operand(op_a), b.operand(op_b), beta);
  for (index_t i = 0; i < m; ++i) {
    for (index_t j = 0; j < n; ++j) {
      T sum{};
      for (index_t l = 0; l < k; ++l) sum += a.element(op_a, i, l) * b.element(op_b, l, j);
      c.at(i, j) = alpha * sum + beta * c.at(i, j);
    }
  }
  EXPECT_EQ(c.wrong(), 0);
  EXPECT_EQ(a.wrong() + b.wrong(), 0) << "an operand changed";
  world().sync();
}

template <class T>
class Gemm : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Gemm, Scalars);

TYPED_TEST(Gemm, any_layouts_and_slices) {
  Random random(20261122);
  for (int round = 0; round < rounds_of(world(), 25); ++round)
    check<TypeParam>(random, pick(random, 0, 24), pick(random, 0, 24), pick(random, 0, 24));
}

// Blocks that are read in place in parts, and more than is fetched at a time; between nodes smaller, as a tile
// of a few elements is a message there.
TYPED_TEST(Gemm, larger_ones) {
  Random random(7);
  const int most = times(world(), 200, 30);
  for (int round = 0; round < rounds_of(world(), 3); ++round)
    check<TypeParam>(random, pick(random, most / 2, most), pick(random, most / 2, most),
                     pick(random, most / 2, most));
  check<TypeParam>(random, 5, 7, times(world(), 1300, 60));
}

// A result that one process owns, of long sums: all compute them.
TYPED_TEST(Gemm, sums_that_are_split) {
  Random random(8);
  const Extents<2> dims(6, 9);
  const auto layout = Layout<2>::blocked(dims, 1).on_ranks({world().size() - 1}, world().size());
  for (int round = 0; round < rounds_of(world(), 3); ++round)
    check<TypeParam>(random, dims[0], dims[1], times(world(), 400, 200) + round, &layout);
}

// Blocked operands of one grid are read where they are, on both sides of every border of nodes.
TYPED_TEST(Gemm, blocks_of_one_grid) {
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
  int wrong = 0;
  for_each_local(c, [&](const Index<2>& at, const T& x) {
    wrong += static_cast<int>(x != T{2} * number<T>((at[0] + 1) % n * 50 + at[1], at[1]));
  });
  EXPECT_EQ(wrong, 0);
  // The square of a: both operands are one array.
  linalg::gemm(T{1}, a, a, T{0}, c);
  wrong = 0;
  for_each_local(c, [&](const Index<2>& at, const T& x) {
    wrong += static_cast<int>(x != T(at[1] == (at[0] + 2) % n ? 1 : 0));
  });
  EXPECT_EQ(wrong, 0);
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
