// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <limits>
#include <utility>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>
#include <tessera/replicated.hpp>
#include <tessera/scan.hpp>

#include "mpi_test.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// The norm computed in long double, whose exponent range holds every square.
template <class T>
void check_norm2(const std::vector<double>& values) {
  const index_t n = static_cast<index_t>(values.size());
  long double squares = 0;
  for (double x : values) squares += static_cast<long double>(static_cast<T>(x)) * static_cast<T>(x);
  const auto expected = static_cast<double>(std::sqrt(squares));
  Array<T, 1> a(world(), {3 * n});
  Array<std::complex<T>, 1> c(world(), {n});
  fill(a, T{0});
  fill(c, {});
  auto every = a.slice({{0}, {3 * n}}, Extents<1>(3));
  for_each_local(every, [&](const Index<1>& i, T& x) { x = static_cast<T>(values[at(i[0])]); });
  for_each_local(c, [&](const Index<1>& i, std::complex<T>& x) {
    const T value = static_cast<T>(values[at(i[0])]);
    x = i[0] % 2 == 0 ? std::complex<T>(value, 0) : std::complex<T>(0, value);
  });
  a.sync(), c.sync();
  const double tolerance = 1e-14 * expected;
  EXPECT_NEAR(norm2(a), expected, tolerance);
  EXPECT_NEAR(norm2(every), expected, tolerance);
  EXPECT_NEAR(norm2(c), expected, tolerance);
  EXPECT_NEAR(norm2(c.slice({{0}, {n}}, Extents<1>(1))), expected, tolerance);
}

TEST(ExtremeValues, symmetrise_neither_overflows_nor_vanishes) {
  for (const double value : {1e308, -1e308, 5e-324, 0.1}) {
    Array<double, 2> a(world(), {5, 5});
    Array<std::complex<double>, 2> c(world(), {5, 5});
    fill(a, value);
    fill(c, {value, 0});
    symmetrise(a);
    symmetrise(c);
    EXPECT_EQ(reduce(a, Reduce::max), value);
    EXPECT_EQ(reduce(a, Reduce::min), value);
    for_each_local(c, [&](const Index<2>&, const std::complex<double>& x) {
      EXPECT_EQ(x, std::complex<double>(value, 0));
    });
  }
}

TEST(ExtremeValues, norms_neither_overflow_nor_vanish) {
  check_norm2<double>({1e200, -1e200, 3e199, 0, 1e-200, 1});
  check_norm2<double>({1e-200, 3e-200, 0, -1e-200, 2e-200, 1e-210, 5e-205});
  check_norm2<double>({1e308, 1e307, 1e308, 0, 0, 0, 0, 0, 1});
  check_norm2<double>({5e-324, 1e-320, 0, 5e-324, 5e-324, 5e-324, 1e-321});
  check_norm2<double>({1e-140, 1e-150, 1e-130, 0, 1e-160, 1e-170});
  check_norm2<double>({1e140, 1e150, 1e130, 0, 1e160, 1e-170, 1e135, 1e136});
  check_norm2<double>({0, 0, 0, 0});
  check_norm2<float>({3e38, -3e38, 1e-44, 0, 1});
  check_norm2<float>({1e-44, 3e-45, 1e-40, 0, 1e-42, 1e-44});
  Random random(91);
  std::uniform_real_distribution<double> exponents(-320, 305);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> values;
    for (index_t i = pick(random, 1, 12); i > 0; --i) values.push_back(std::pow(10.0, exponents(random)));
    check_norm2<double>(values);
  }
  Array<double, 1> a(world(), {11});
  fill(a, 1e308);
  a.sync();
  EXPECT_EQ(norm1(a), infinity);  // the sum exceeds the largest finite number
  if (world().rank() == 0) a.store({7}, -infinity);
  EXPECT_EQ(norm2(a), infinity);
  EXPECT_EQ(norm_inf(a), infinity);
  if (world().rank() == 0) a.store({3}, nan);
  EXPECT_TRUE(std::isnan(norm2(a)));
  EXPECT_TRUE(std::isnan(norm1(a)));
  EXPECT_TRUE(std::isnan(norm_inf(a)));
  for (index_t place = 0; place < 11; ++place) {
    fill(a, -1.0);
    if (world().rank() == 0) a.store({place}, -3e300);
    EXPECT_EQ(norm_inf(a), 3e300) << place;
    if (world().rank() == 0) a.store({(place + 5) % 11}, -nan);
    EXPECT_TRUE(std::isnan(norm_inf(a))) << place;
  }
  Array<std::complex<double>, 1> c(world(), {5});
  fill(c, {infinity, nan});
  EXPECT_TRUE(std::isnan(norm2(c)));
  EXPECT_TRUE(std::isnan(norm1(c)));
  EXPECT_TRUE(std::isnan(norm_inf(c)));
}

// If one of the numbers is NaN, the minimum and the maximum are NaN.
template <class T>
void check_nan() {
  const Group& all = world();
  constexpr T none = std::numeric_limits<T>::quiet_NaN();
  const index_t n = 9;
  for (index_t where = 0; where < n; ++where) {
    Array<T, 1> a(all, {n}), ones(all, {n}), result(all, {n});
    tessera::enumerate(a, T{-3});
    fill(ones, T{1});
    if (all.rank() == 0) a.store({where}, none);
    a.sync();
    EXPECT_TRUE(std::isnan(reduce(a, Reduce::min))) << where;
    EXPECT_TRUE(std::isnan(reduce(a, Reduce::max))) << where;
    EXPECT_TRUE(std::isnan(reduce(a, Reduce::sum))) << where;
    EXPECT_TRUE(std::isnan(norm_inf(a))) << where;
    EXPECT_TRUE(std::isnan(tessera::min_element(a).value));
    EXPECT_EQ(tessera::min_element(a).at[0], where);
    EXPECT_EQ(tessera::max_element(a).at[0], where);
    for (const bool first : {true, false}) {
      first ? minimum(a, ones, result) : minimum(ones, a, result);
      auto found = contents(result);
      for (index_t i = 0; i < n; ++i)
        EXPECT_TRUE(i == where ? std::isnan(found[at(i)])
                               : found[at(i)] == std::min(T{1}, static_cast<T>(i - 3)));
      first ? maximum(a, ones, result) : maximum(ones, a, result);
      found = contents(result);
      for (index_t i = 0; i < n; ++i)
        EXPECT_TRUE(i == where ? std::isnan(found[at(i)])
                               : found[at(i)] == std::max(T{1}, static_cast<T>(i - 3)));
    }
    scan(a, result, Scan::inclusive, Reduce::max);
    const auto found = contents(result);
    for (index_t i = 0; i < n; ++i)
      EXPECT_TRUE(i < where ? found[at(i)] == static_cast<T>(i - 3) : std::isnan(found[at(i)])) << i;
    clamp(a, T{0}, T{2});
    EXPECT_TRUE(std::isnan(a.load({where})));
  }
  Array<T, 1> a(all, {n});
  fill(a, none);
  EXPECT_TRUE(std::isnan(reduce(a, Reduce::min)));
  EXPECT_EQ(tessera::min_element(a).at[0], 0);
  EXPECT_EQ(tessera::max_element(a).at[0], 0);
  EXPECT_THROW(clamp(a, none, T{1}), UsageError);
  EXPECT_THROW(clamp(a, T{1}, none), UsageError);
  // The same for a merge of the copies of all nodes.
  Replicated<T, 1> copies(all, {n}, "copies");
  fill(copies.copy(), static_cast<T>(all.node_of(all.rank())));
  if (all.node_of(all.rank()) == all.node_count() - 1 && copies.copy().group().rank() == 0)
    copies.copy().store({4}, none);
  copies.merge(Reduce::max);
  const auto merged = contents(copies.copy());
  for (index_t i = 0; i < n; ++i)
    EXPECT_TRUE(i == 4 ? std::isnan(merged[at(i)]) : merged[at(i)] == static_cast<T>(all.node_count() - 1));
}

TEST(ExtremeValues, nan_is_reported_everywhere) {
  check_nan<double>();
  check_nan<float>();
}

TEST(ExtremeValues, random_numbers_fill_the_widest_intervals_evenly) {
  auto check = [&]<class T>(T low, T high) {
    Array<T, 1> a(world(), {2000});
    randomize(a, 17, low, high);
    index_t below = 0;
    // Each quarter of the interval has about a quarter of them.
    const long double from = low, width = static_cast<long double>(high) - from;
    index_t quarters[4] = {};
    for (T x : contents(a)) {
      below += x < low || x > high;
      ++quarters[static_cast<int>(std::min(3.0L, std::floor((x - from) / width * 4)))];
    }
    EXPECT_EQ(below, 0);
    for (index_t count : quarters) EXPECT_NEAR(static_cast<double>(count), 500, 100) << low << " " << high;
  };
  check(-1.7e308, 1.7e308);
  check(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max());
  check(0.0, std::numeric_limits<double>::max());
  check(std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max());
  check(-3e38F, 3e38F);
  check(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
  check(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
  check(std::int64_t{-4'000'000'000'000'000'000}, std::int64_t{6'000'000'000'000'000'000});
  check(-1.0, 1.0);
  Array<std::complex<double>, 1> c(world(), {300});
  randomize(c, 5, {-1.7e308, -1}, {1.7e308, 1});
  index_t negative = 0;
  for (const auto& x : contents(c)) negative += x.real() < 0;
  EXPECT_NEAR(static_cast<double>(negative), 150, 60);
  Array<double, 1> a(world(), {5});
  EXPECT_THROW(randomize(a, 1, -infinity, 1), UsageError);
  EXPECT_THROW(randomize(a, 1, 0, infinity), UsageError);
  EXPECT_THROW(randomize(a, 1, nan, 1), UsageError);
  EXPECT_THROW(randomize(a, 1, 0, nan), UsageError);
}

// IEEE arithmetic: only beta = 0 leaves an operand out.
TEST(ExtremeValues, zero_times_nan_is_nan) {
  Array<double, 1> a(world(), {7}), b(world(), {7});
  auto all_of = [](const Array<double, 1>& array, auto&& holds) {
    bool all = true;
    for (double x : contents(array)) all = all && holds(x);
    return all;
  };
  const auto is_nan = [](double x) { return std::isnan(x); };
  fill(a, nan);
  scale(a, 0);
  EXPECT_TRUE(all_of(a, is_nan));
  fill(a, infinity);
  scale(a, 0);
  EXPECT_TRUE(all_of(a, is_nan));
  fill(a, 2);
  scale(a, -infinity);
  EXPECT_TRUE(all_of(a, [](double x) { return x == -infinity; }));
  fill(a, nan), fill(b, 3);
  axpby(0, a, 1, b);
  EXPECT_TRUE(all_of(b, is_nan));
  fill(b, 3);
  axpby(2, b, 0, a);
  EXPECT_TRUE(all_of(a, [](double x) { return x == 6; }));
  fill(a, 1e200), fill(b, -1e200);
  EXPECT_EQ(dot(a, a), infinity);
  EXPECT_EQ(dot(a, b), -infinity);
}

TEST(ExtremeValues, integers_wrap) {
  Array<std::int32_t, 1> a(world(), {4});
  fill(a, std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(reduce(a, Reduce::sum), -4);
  EXPECT_EQ(dot(a, a), 4);
  Array<std::int64_t, 1> b(world(), {3});
  fill(b, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reduce(b, Reduce::sum), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reduce(b, Reduce::product), 0);
  EXPECT_EQ(norm2(b), std::sqrt(3.0) * 0x1p63);
}

TEST(ExtremeValues, reductions_of_nothing_are_neutral) {
  Array<double, 2> none(world(), {0, 3});
  EXPECT_EQ(dot(none, none), 0);
  EXPECT_EQ(norm2(none), 0);
  EXPECT_EQ(reduce(none, Reduce::min), infinity);
  EXPECT_EQ(reduce(none, 5.0, [](double x, double y) { return x < y ? x : y; }), 5.0);
  EXPECT_THROW((void)tessera::min_element(none), UsageError);
  EXPECT_THROW((void)tessera::max_element(none), UsageError);
  randomize(none, 1);
  tessera::transform(none, [](double x) { return x; });
}

// A complex product with 1 would make NaN of them.
TEST(ExtremeValues, a_factor_of_one_keeps_infinite_numbers) {
  using Complex = std::complex<double>;
  Array<Complex, 1> a(world(), {5}), b(world(), {5});
  const auto expect_kept = [&](Array<Complex, 1>& x) {
    for_each_local(std::as_const(x),
                   [](const Index<1>&, const Complex& z) { EXPECT_EQ(z, Complex(infinity, 1)); });
    x.sync();
  };
  fill(a, Complex(infinity, 1));
  scale(a, Complex(1));
  expect_kept(a);
  fill(b, Complex(0));
  axpby(Complex(1), a, Complex(0), b, b);
  expect_kept(b);
  fill(b, Complex(0));
  axpby(Complex(2), b, Complex(1), a, a);
  expect_kept(a);
  struct Signal {  // a complex member at a multiple of its parts' size
    double phase;
    Complex z;
  };
  Array<Signal, 1> waves(world(), {5});
  fill(waves, Signal{0, 0});
  LocalArray<Complex, 1> added(Extents<1>(5));
  std::fill_n(added.data(), 5, Complex(infinity, 1));
  if (world().rank() == 0) waves.acc_field({{0}, {5}}, &Signal::z, added);
  waves.sync();
  for_each_local(std::as_const(waves),
                 [](const Index<1>&, const Signal& wave) { EXPECT_EQ(wave.z, Complex(infinity, 1)); });
}

// Both parts are finite, and the magnitude is no float.
TEST(ExtremeValues, norms_of_complex_float_are_computed_in_double) {
  Array<std::complex<float>, 2> a(world(), {1, 1});
  fill(a, {3e38F, 3e38F});
  const double expected = std::hypot(3e38F, static_cast<double>(3e38F));
  EXPECT_DOUBLE_EQ(norm_inf(a), expected);
  EXPECT_DOUBLE_EQ(norm1(a), expected);
  EXPECT_DOUBLE_EQ(matrix_norm(a, MatrixNorm::row_sum), expected);
}

}  // namespace
