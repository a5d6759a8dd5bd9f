// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
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
#include "small_values.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

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
  struct Cell {
    double mass, energy;
  };
  Array<Cell, 1> cells(all, Layout<1>::irregular({2}, {{{0}}}, all.size()), {.name = "cells"});
  fill(cells, Cell{1, 2.5});
  expect(printed(cells.slice().member(&Cell::energy)),
         cells.slice().member(&Cell::energy).core().description() +
             ": 2, float64, irregular on a 1 grid\n  2.5 2.5\n");
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
