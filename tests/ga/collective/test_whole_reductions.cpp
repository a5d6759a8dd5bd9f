// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>
#include <tessera/scan.hpp>

#include "array_model.hpp"
#include "local_elements.hpp"
#include "mpi_test.hpp"
#include "small_values.hpp"

// Norms and reductions of arrays, against serial loops.
namespace {

using namespace tessera;
using namespace tessera::test;

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

TEST(WholeReductions, matrix_norms_are_those_of_serial_sums) {
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
    if (world().rank() == 0) a.store({4, 0}, std::numeric_limits<double>::infinity());
    a.sync();
    EXPECT_EQ(matrix_norm(a, which), std::numeric_limits<double>::infinity());
    if (world().rank() == 0) a.store({2, 1}, std::numeric_limits<double>::quiet_NaN());
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

TEST(WholeReductions, norms_are_those_of_a_serial_sum) {
  check_norms<double>();
  check_norms<float>();
  check_norms<std::int32_t>();
  check_norms<std::int64_t>();
  check_norms<std::complex<double>>();
  check_norms<std::complex<float>>();
  Array<double, 1> a(world(), {20}), none(world(), {0});
  fill(a, -2);
  if (world().rank() == 0) a.store({13}, std::numeric_limits<double>::quiet_NaN());
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

TEST(WholeReductions, reductions_are_those_of_a_serial_loop) {
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
    if (all.rank() == 0) a.store({4, 7}, 0);
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
  if (all.rank() == 0)
    c.store({2}, {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(reduce(c, Reduce::absmin).real()));
  EXPECT_THROW(reduce(c, Reduce::max), UsageError);
}

// A sum of float would stand still: 2^24 + 1 is 2^24. The first elements of each rank are that large.
template <class T>
void expect_that_sums_grow() {
  const index_t large = 16, small = 4096, per_rank = large + small, ranks = world().size();
  Array<T, 1> a(world(), Layout<1>::blocked({per_rank * ranks}, static_cast<int>(ranks)), {.name = "a"}),
      ones(world(), a.layout(), {.name = "ones"});
  for_each_local(a, [&](const Index<1>& at, T& x) { x = at[0] % per_rank < large ? T{16777216} : T{1}; });
  fill(ones, T{1});
  const T expected{static_cast<float>(ranks * (large * 16777216 + small))};
  EXPECT_EQ(reduce(a, Reduce::sum), expected);
  EXPECT_EQ(dot(a, ones), expected);
  EXPECT_EQ(dot_unconjugated(a, ones), expected);
  EXPECT_EQ(transform_reduce(a, Reduce::sum, [](const T& x) { return x; }), expected);
  EXPECT_EQ(transform_reduce(a, ones, Reduce::sum, [](const T& x, const T& y) { return x * y; }), expected);
  Array<T, 1> sums(world(), a.layout(), {.name = "sums"});
  scan(a, sums, Scan::inclusive, Reduce::sum);
  EXPECT_EQ(sums.load({per_rank * ranks - 1}), expected);
}
// Results on the way that float does not hold.
TEST(WholeReductions, scans_of_float_do_not_depend_on_the_number_of_ranks) {
  const auto scanned = [](const std::vector<float>& given, Reduce operation) {
    const auto count = static_cast<index_t>(given.size());
    Array<float, 1> a(world(), {count}, {.name = "a"});
    for_each_local(a, [&](const Index<1>& at, float& x) { x = given[static_cast<std::size_t>(at[0])]; });
    a.sync();
    scan(a, a, Scan::inclusive, operation);
    const LocalArray<float, 1> found = a.get(Patch<1>::whole(a.dims()));
    a.sync();
    return std::vector<float>(found.begin(), found.end());
  };
  EXPECT_EQ(scanned({-3e38F, 0, 3e38F, 3e38F}, Reduce::sum), (std::vector<float>{-3e38F, -3e38F, 0, 3e38F}));
  EXPECT_EQ(scanned({1e8F, 0, -1e8F, 0.5F}, Reduce::sum), (std::vector<float>{1e8F, 1e8F, 0, 0.5F}));
  EXPECT_EQ(scanned({0, 1, 1e30F, 1e30F}, Reduce::product), (std::vector<float>{0, 0, 0, 0}));
}

TEST(WholeReductions, indices_that_float_does_not_hold_are_enumerated) {
  constexpr index_t count = 33'554'436;
  Array<float, 1> a(world(), {count}, {.name = "a"});
  enumerate(a, -33'554'432.0F);
  for (index_t i = count - 4; i < count; ++i) EXPECT_EQ(a.load({i}), static_cast<float>(i - 33'554'432)) << i;
  a.sync();
}

TEST(WholeReductions, long_sums_of_float_grow) {
  expect_that_sums_grow<float>();
  expect_that_sums_grow<std::complex<float>>();
}

}  // namespace
