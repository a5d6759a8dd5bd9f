// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/print.hpp>
#include <tessera/reductions.hpp>

#include "array_model.hpp"
#include "local_elements.hpp"
#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

template <class T>
T small_value(index_t number) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(number % 11 - 5);
  else
    return {static_cast<typename T::value_type>(number % 11 - 5),
            static_cast<typename T::value_type>(number % 7 - 3)};
}

template <class T, std::size_t N>
void set_to_numbers(Array<T, N>& array, index_t salt = 0) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = small_value<T>(number_of(at, dims) * 13 + salt); });
}

template <class T, std::size_t N>
void check_pairs(const Extents<N>& dims) {
  const Group& all = world();
  Random random(60 + N);
  auto number = [&](const Index<N>& at, index_t salt) {
    return small_value<T>(number_of(at, dims) * 13 + salt);
  };
  const auto layouts = layouts_of(random, dims, all.size());
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    // Each layout with itself and some others. All pairs would take too long between nodes.
    for (std::size_t j = i % 4; j < layouts.size(); j += 4) {
      const auto &one = layouts[i], &other = layouts[j];
      SCOPED_TRACE(one.description() + " and " + other.description());
      Array<T, N> x(all, one, {.name = "x"}), y(all, other, {.name = "y"}), z(all, one, {.name = "z"});
      set_to_numbers(x);
      Comparison compared;
      copy(x, y);
      compare_local(compared, y, [&](const Index<N>& at) { return number(at, 0); });
      set_to_numbers(x, 3);
      const T two = small_value<T>(7), three = small_value<T>(8);
      axpby(two, x, three, y);
      compare_local(compared, y,
                    [&](const Index<N>& at) { return two * number(at, 3) + three * number(at, 0); });
      scale(y, two);
      compare_local(compared, y,
                    [&](const Index<N>& at) { return two * (two * number(at, 3) + three * number(at, 0)); });
      set_to_numbers(y, 5);
      transform(x, y, [](T a) { return a + a; });
      compare_local(compared, y, [&](const Index<N>& at) { return number(at, 3) + number(at, 3); });
      set_to_numbers(y, 5);
      transform(x, y, z, [](T a, T b) { return a * b; });
      compare_local(compared, z, [&](const Index<N>& at) { return number(at, 3) * number(at, 5); });
      transform(z, [](T a) { return a - T{1}; });
      compare_local(compared, z, [&](const Index<N>& at) { return number(at, 3) * number(at, 5) - T{1}; });
      T expected{};
      for_each_index(Patch<N>::whole(dims), [&](const Index<N>& at) {
        T left = number(at, 3);
        if constexpr (!std::is_arithmetic_v<T>) left = std::conj(left);
        expected += left * number(at, 5);
      });
      EXPECT_EQ(dot(x, y), expected);
      EXPECT_TRUE(compared.equal());
      all.sync();
    }
  }
}

TEST(WholeArray, operands_may_have_any_two_layouts) {
  check_pairs<double, 1>({29});
  check_pairs<double, 2>({11, 13});
  check_pairs<std::complex<double>, 2>({6, 9});
  check_pairs<std::int64_t, 3>({4, 5, 6});
  check_pairs<double, 2>({1, 2});
  check_pairs<double, 2>({0, 3});
  check_pairs<float, 8>({2, 1, 2, 1, 2, 1, 2, 2});
}

template <class T>
void check_transpose(const Extents<2>& dims) {
  const Group& all = world();
  Random random(61);
  const Extents<2> turned(dims[1], dims[0]);
  const auto targets = layouts_of(random, turned, all.size());
  std::size_t next = 0;
  for (const auto& layout : layouts_of(random, dims, all.size())) {
    Array<T, 2> from(all, layout);
    set_to_numbers(from);
    for (std::size_t j = next++ % 4; j < targets.size(); j += 4) {
      const auto& target = targets[j];
      Array<T, 2> to(all, target);
      transpose(from, to);
      EXPECT_TRUE(local_elements_are(
          to, [&](const Index<2>& at) { return small_value<T>(number_of(Index<2>(at[1], at[0]), dims) * 13); }))
          << layout.description() << " to " << target.description();
    }
  }
}

TEST(WholeArray, transpose_swaps_the_indices_between_any_layouts) {
  check_transpose<double>({12, 19});
  check_transpose<std::complex<float>>({5, 5});
  check_transpose<std::int32_t>({1, 7});
  Array<double, 2> a(world(), {3, 4}), square(world(), {3, 3});
  EXPECT_NE(message_of<UsageError>([&] { transpose(a, square); }).find("3 x 4"), std::string::npos);
}

TEST(WholeArray, large_copies_go_in_chunks) {
  const Group& all = world();
  const Extents<2> dims(900, 700);
  Array<double, 2> a(all, Layout<2>::blocked(dims, all.size())),
      b(all, Layout<2>::block_cyclic(dims, {32, 32}, {.shape = {1, all.size()}})),
      c(all, Layout<2>::irregular(dims, {{{0}, {0}}}, all.size()));
  set_to_numbers(a);
  copy(a, b);
  copy(b, c);
  fill(b, 2);
  transform(a, c, b, [](double x, double y) { return x - y; });
  EXPECT_EQ(norm_inf(b), 0);
  axpby(1, a, 1, c);
  EXPECT_TRUE(local_elements_are(
      c, [&](const Index<2>& at) { return 2 * small_value<double>(number_of(at, dims) * 13); }));
  Array<double, 2> turned(all, {700, 900});
  transpose(a, turned);
  EXPECT_TRUE(local_elements_are(turned, [&](const Index<2>& at) {
    return small_value<double>(number_of(Index<2>(at[1], at[0]), dims) * 13);
  }));
}

template <class T>
void check_fill(const T& value) {
  Random random(62);
  for (const auto& layout : layouts_of<2>(random, {7, 9}, world().size())) {
    Array<T, 2> a(world(), layout);
    fill(a, value);
    EXPECT_TRUE(local_elements_are(a, [&](const Index<2>&) { return value; }));
  }
}

struct Pixel {
  char red, green, blue;
  friend bool operator==(const Pixel&, const Pixel&) = default;
};

TEST(WholeArray, fill_sets_elements_of_every_size) {
  check_fill(3.5);
  check_fill(-2.5F);
  check_fill<std::int32_t>(-7);
  check_fill(std::int64_t{1} << 50);
  check_fill(std::complex<double>(1, -2));
  check_fill(std::complex<float>(1, -2));
  check_fill<char>('x');
  check_fill(Pixel{1, 2, 3});
  Array<Pixel, 2> a(world(), {4, 4}), b(world(), Layout<2>::block_cyclic({4, 4}, {1, 1}, {.shape = {1, 1}}));
  fill(a, {4, 5, 6});
  copy(a, b);
  EXPECT_TRUE(local_elements_are(b, [](const Index<2>&) { return Pixel{4, 5, 6}; }));
}

TEST(WholeArray, beta_of_zero_overwrites_nan) {
  Random random(63);
  for (const auto& layout : layouts_of<2>(random, {5, 6}, world().size())) {
    Array<double, 2> x(world(), {5, 6}), y(world(), layout);
    fill(x, 3);
    fill(y, std::numeric_limits<double>::quiet_NaN());
    axpby(2, x, 0, y);
    EXPECT_TRUE(local_elements_are(y, [](const Index<2>&) { return 6.0; }));
  }
}

// All elements, added up in order.
template <class T>
void check_matrix_norms(const Extents<2>& dims) {
  Random random(66);
  std::vector<double> columns(at(dims[1])), rows(at(dims[0]));
  double squares = 0;
  for_each_index(Patch<2>::whole(dims), [&](const Index<2>& i) {
    const double magnitude = static_cast<double>(std::abs(small_value<T>(number_of(i, dims) * 13 + 4)));
    columns[at(i[1])] += magnitude;
    rows[at(i[0])] += magnitude;
    squares += magnitude * magnitude;
  });
  const double column = *std::max_element(columns.begin(), columns.end());
  const double row = *std::max_element(rows.begin(), rows.end());
  const double tolerance = std::is_same_v<T, std::complex<float>> ? 1e-6 : 1e-13;
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    Array<T, 2> a(world(), layout);
    set_to_numbers(a, 4);
    EXPECT_NEAR(matrix_norm(a, MatrixNorm::column_sum), column, tolerance * column) << layout.description();
    EXPECT_NEAR(matrix_norm(a, MatrixNorm::row_sum), row, tolerance * row) << layout.description();
    EXPECT_NEAR(matrix_norm(a, MatrixNorm::frobenius), std::sqrt(squares), tolerance * std::sqrt(squares));
    // The rows of the transposed slice are the columns.
    EXPECT_NEAR(matrix_norm(a.slice().transposed(), MatrixNorm::row_sum), column, tolerance * column);
    // A part with every second row: its sums by another function.
    const auto part = a.slice({{1, 2}, {dims[0], dims[1]}}, Extents<2>(2, 1));
    double most = 0;
    for (index_t j = 0; j < part.dims()[1]; ++j) most = std::max(most, norm1(part.fix(1, j)));
    EXPECT_NEAR(matrix_norm(part, MatrixNorm::column_sum), most, tolerance * most);
  }
}

TEST(WholeArray, matrix_norms_are_those_of_serial_sums) {
  check_matrix_norms<double>({9, 14});
  check_matrix_norms<std::complex<float>>({11, 5});
  check_matrix_norms<std::complex<double>>({6, 6});
  check_matrix_norms<std::int32_t>({7, 12});
  Array<double, 2> none(world(), {0, 5}), a(world(), {5, 3});
  for (const MatrixNorm which : {MatrixNorm::column_sum, MatrixNorm::row_sum, MatrixNorm::frobenius}) {
    EXPECT_EQ(matrix_norm(none, which), 0);
    fill(a, -1e300);
    const double expected = which == MatrixNorm::frobenius ? std::sqrt(15.0)
                            : which == MatrixNorm::row_sum ? 3
                                                           : 5;
    EXPECT_NEAR(matrix_norm(a, which) / 1e300, expected, 1e-14);
    a.store({4, 0}, std::numeric_limits<double>::infinity());
    a.sync();
    EXPECT_EQ(matrix_norm(a, which), std::numeric_limits<double>::infinity());
    a.store({2, 1}, std::numeric_limits<double>::quiet_NaN());
    a.sync();
    EXPECT_TRUE(std::isnan(matrix_norm(a, which)));
  }
}

template <class T>
void check_norms() {
  Random random(64);
  const Extents<2> dims(9, 14);
  for (const auto& layout : layouts_of(random, dims, world().size())) {
    Array<T, 2> a(world(), layout);
    set_to_numbers(a, 4);
    long double sum = 0, squares = 0, largest = 0;
    for_each_index(Patch<2>::whole(dims), [&](const Index<2>& at) {
      const T element = small_value<T>(number_of(at, dims) * 13 + 4);
      std::complex<double> x;
      if constexpr (std::is_arithmetic_v<T>) {
        x = static_cast<double>(element);
      } else {
        x = {element.real(), element.imag()};
      }
      const long double magnitude = std::sqrt(static_cast<long double>(std::norm(x)));
      sum += magnitude;
      squares += std::norm(x);
      largest = std::max(largest, magnitude);
    });
    const double tolerance = std::is_same_v<T, std::complex<float>> ? 1e-6 : 1e-13;
    EXPECT_NEAR(norm1(a), static_cast<double>(sum), tolerance * static_cast<double>(sum));
    EXPECT_NEAR(norm2(a), static_cast<double>(std::sqrt(squares)), tolerance * static_cast<double>(squares));
    EXPECT_NEAR(norm_inf(a), static_cast<double>(largest), tolerance * static_cast<double>(largest));
  }
}

TEST(WholeArray, norms_are_those_of_a_serial_sum) {
  check_norms<double>();
  check_norms<float>();
  check_norms<std::int32_t>();
  check_norms<std::int64_t>();
  check_norms<std::complex<double>>();
  check_norms<std::complex<float>>();
  Array<double, 1> a(world(), {20}), none(world(), {0});
  fill(a, -2);
  a.store({13}, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(norm_inf(a)));
  EXPECT_TRUE(std::isnan(norm1(a)));
  EXPECT_EQ(norm1(none), 0);
  EXPECT_EQ(norm2(none), 0);
  EXPECT_EQ(norm_inf(none), 0);
  // The magnitude of the most negative integer does not fit its own type.
  Array<std::int32_t, 1> low(world(), {5});
  fill(low, std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(norm_inf(low), 2147483648.0);
  EXPECT_EQ(norm1(low), 5 * 2147483648.0);
}

TEST(WholeArray, reductions_are_those_of_a_serial_loop) {
  const Group& all = world();
  Random random(65);
  const Extents<2> dims(5, 8);
  for (const auto& layout : layouts_of(random, dims, all.size())) {
    SCOPED_TRACE(layout.description());
    Array<std::int64_t, 2> a(all, layout, {.name = "a"});
    std::int64_t sum = 0, product = 1, least = 1000, most = -1000, smallest = 1000, bits_and = -1, bits_or = 0,
                 bits_xor = 0;
    auto value = [&](const Index<2>& at) {
      const index_t number = number_of(at, dims);
      return number % 9 == 0 ? number - 20 : number % 2 + 1;
    };
    for_each_local(a, [&](const Index<2>& at, std::int64_t& x) { x = value(at); });
    for_each_index(Patch<2>::whole(dims), [&](const Index<2>& at) {
      const auto x = value(at);
      sum += x, product *= x, bits_and &= x, bits_or |= x, bits_xor ^= x;
      least = std::min(least, x);
      most = std::max(most, x);
      smallest = std::min(smallest, std::abs(x));
    });
    EXPECT_EQ(reduce(a, Reduce::sum), sum);
    EXPECT_EQ(reduce(a, Reduce::product), product);
    EXPECT_EQ(reduce(a, Reduce::min), least);
    EXPECT_EQ(reduce(a, Reduce::max), most);
    EXPECT_EQ(reduce(a, Reduce::absmax), std::max(std::abs(least), std::abs(most)));
    EXPECT_EQ(reduce(a, Reduce::absmin), smallest);
    EXPECT_EQ(reduce(a, Reduce::bit_and), bits_and);
    EXPECT_EQ(reduce(a, Reduce::bit_or), bits_or);
    EXPECT_EQ(reduce(a, Reduce::bit_xor), bits_xor);
    EXPECT_EQ(reduce(a, Reduce::logical_and), 1);
    EXPECT_EQ(reduce(a, Reduce::logical_or), 1);
    a.store({4, 7}, 0);
    EXPECT_EQ(reduce(a, Reduce::logical_and), 0);
    fill(a, 0);
    EXPECT_EQ(reduce(a, Reduce::logical_or), 0);
  }
  Array<double, 1> d(all, {6}), none(all, {0});
  for_each_local(d, [](const Index<1>& at, double& x) { x = -1.5 - static_cast<double>(at[0]); });
  EXPECT_EQ(reduce(d, Reduce::min), -6.5);
  EXPECT_EQ(reduce(d, Reduce::max), -1.5);
  EXPECT_EQ(reduce(d, Reduce::absmax), 6.5);
  EXPECT_EQ(reduce(d, Reduce::absmin), 1.5);
  Array<double, 1> magnitudes(all, {6});
  scan(d, magnitudes, Scan::inclusive, Reduce::absmax);
  EXPECT_EQ(magnitudes.load({3}), 4.5);
  EXPECT_EQ(reduce(d, Reduce::sum), -24);
  EXPECT_EQ(reduce(none, Reduce::sum), 0);
  EXPECT_EQ(reduce(none, Reduce::product), 1);
  EXPECT_EQ(reduce(none, Reduce::min), std::numeric_limits<double>::infinity());
  EXPECT_EQ(reduce(none, Reduce::max), -std::numeric_limits<double>::infinity());
  EXPECT_NE(message_of<UsageError>([&] { reduce(d, Reduce::bit_or); }).find("bit_or"), std::string::npos);
  Array<std::complex<double>, 1> c(all, {6});
  fill(c, {1, 1});
  EXPECT_EQ(reduce(c, Reduce::sum), std::complex<double>(6, 6));
  EXPECT_EQ(reduce(c, Reduce::product), std::complex<double>(0, -8));
  fill(c, {-3, 4});
  EXPECT_EQ(reduce(c, Reduce::absmax), std::complex<double>(5, 0));
  c.store({2}, {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(reduce(c, Reduce::absmin).real()));
  EXPECT_THROW(reduce(c, Reduce::max), UsageError);
}

template <class A>
std::string printed(const A& array, const PrintOptions& options = {}) {
  std::ostringstream out;
  print(out, array, options);
  return out.str();
}

TEST(WholeArray, print_writes_the_array_on_rank_0_only) {
  const Group& all = world();
  auto expect = [&](const std::string& found, const std::string& expected) {
    EXPECT_EQ(found, all.rank() == 0 ? expected : "");
  };
  const auto layout = Layout<2>::irregular({2, 3}, {{{0}, {0}}}, all.size());
  Array<double, 2> a(all, layout, {.name = "a"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(10 * at[0] + at[1]) / 4; });
  expect(printed(a),
         "array \"a\": 2 x 3, float64, irregular on a 1 x 1 grid\n    0 0.25 0.5\n  2.5 2.75   3\n");
  expect(printed(a, {.precision = 2}),
         "array \"a\": 2 x 3, float64, irregular on a 1 x 1 grid\n    0 0.25 0.5\n  2.5  2.8   3\n");
  Array<std::int32_t, 1> v(all, Layout<1>::block_cyclic({12}, {2}, {.shape = {1}}), {.name = "v"});
  for_each_local(v, [](const Index<1>& at, std::int32_t& x) { x = static_cast<std::int32_t>(at[0]); });
  expect(printed(v, {.most = 4}), "array \"v\": 12, int32, block-cyclic 2 on a 1 grid\n  0 1 ... 10 11\n");
  Array<std::complex<double>, 1> c(all, Layout<1>::irregular({1}, {{{0}}}, all.size()), {.name = "c"});
  fill(c, {1.5, -2});
  expect(printed(c), "array \"c\": 1, complex128, irregular on a 1 grid\n  1.5-2i\n");
  Array<std::int64_t, 3> cube(all, Layout<3>::irregular({2, 1, 2}, {{{0}, {0}, {0}}}, all.size()),
                              {.name = "cube"});
  for_each_local(cube, [](const Index<3>& at, std::int64_t& x) { x = 100 * at[0] + at[2]; });
  expect(printed(cube),
         "array \"cube\": 2 x 1 x 2, int64, irregular on a 1 x 1 x 1 grid\n[0, :, :]\n  0 1\n[1, :, :]\n  100 "
         "101\n");
  Array<Pixel, 1> p(all, Layout<1>::irregular({4}, {{{0}}}, all.size()), {.name = "p"});
  expect(printed(p), "array \"p\": 4, bytes of size 3, irregular on a 1 grid\n");
  EXPECT_NE(message_of<UsageError>([&] { printed(v, {.precision = -1}); }).find("precision of -1"),
            std::string::npos);
  expect(printed(v, {.most = 1}), "array \"v\": 12, int32, block-cyclic 2 on a 1 grid\n  0 ...\n");
  expect(printed(v, {.most = 3}), "array \"v\": 12, int32, block-cyclic 2 on a 1 grid\n  0 1 ... 11\n");
  expect(printed(v.slice({{3}, {5}}), {.most = 1}),
         "slice [3:5] of array \"v\": 2, int32, block-cyclic 2 on a 1 grid\n  3 ...\n");
  EXPECT_NE(message_of<UsageError>([&] { printed(v, {.most = 0}); }).find("at most 0"), std::string::npos);
  Array<double, 2> none(all, Layout<2>::irregular({0, 4}, {{{0}, {0}}}, all.size()), {.name = "none"});
  expect(printed(none), "array \"none\": 0 x 4, float64, irregular on a 1 x 1 grid\n");
}

TEST(WholeArray, operands_that_do_not_fit_throw) {
  const Group& all = world();
  const Group same = all.split(0);
  Array<double, 2> a(all, {4, 5}, {.name = "a"}), b(all, {5, 4}, {.name = "b"}), c(same, {4, 5}, {.name = "c"});
  fill(a, 1);
  fill(b, 1);
  auto refuse = [&](auto& x, auto& y, std::initializer_list<const char*> parts) {
    const auto text = message_of<UsageError>([&] { copy(x, y); });
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
    EXPECT_THROW(axpby(1, x, 1, y), UsageError);
    EXPECT_THROW(dot(x, y), UsageError);
    EXPECT_THROW(transform(x, y, [](double v) { return v; }), UsageError);
    EXPECT_THROW(transform(x, y, x, [](double v, double w) { return v + w; }), UsageError);
  };
  refuse(a, b, {"\"a\"", "\"b\"", "4 x 5", "5 x 4"});
  refuse(a, c, {"\"a\"", "\"c\"", "groups"});
  EXPECT_EQ(reduce(a, Reduce::sum), 20);
  // Above, the compiler checks the types. Here the core checks them.
  Array<float, 2> f(all, {4, 5}, {.name = "f"});
  const auto text = message_of<UsageError>([&] { detail::copy(a.core(), f.core()); });
  EXPECT_NE(text.find("float64"), std::string::npos) << text;
  EXPECT_NE(text.find("float32"), std::string::npos) << text;
}

TEST(WholeArray, mismatched_collective_calls_are_told) {
#ifndef TESSERA_TEST_CHECKS
  GTEST_SKIP() << "collective calls are not checked in this build";
#endif
  const Group& all = world();
  if (all.size() == 1) return;
  Array<double, 1> a(all, {10}, {.name = "first"}), b(all, {10}, {.name = "second"});
  const bool odd = all.rank() == all.size() - 1;
  auto text = message_of<UsageError>([&] { odd ? fill(a, 1) : scale(a, 1); });
  EXPECT_NE(text.find("fill of array \"first\""), std::string::npos) << text;
  EXPECT_NE(text.find("scale of array \"first\""), std::string::npos) << text;
  EXPECT_THROW(fill(odd ? a : b, 1), UsageError);
  EXPECT_THROW(odd ? copy(a, b) : copy(b, a), UsageError);
  EXPECT_THROW(odd ? a.sync() : a.close(), UsageError);
  fill(a, 2);
  EXPECT_EQ(reduce(a, Reduce::sum), 20);
}

}  // namespace
