// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>

#include <tessera/elementwise.hpp>
#include <tessera/scan.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

// Prefix operations, compression and sorting of vectors and of slices of vectors, checked against serial loops.
namespace {

using namespace tessera;
using namespace tessera::test;

// A vector of every step-th element of an array, beginning at element `first`.
template <class T>
struct Line {
  Array<T, 1> array;
  index_t first, step, size;
  std::vector<T> all;

  Line(Random& random, index_t wanted, std::vector<T> values, const char* name)
      : array(make(random, wanted, name)), first(pick(random, 0, 3)), step(pick(random, 1, 2)), size(wanted) {
    all.assign(at(array.size()), T{});
    for (index_t i = 0; i < size; ++i) all[at(first + i * step)] = values[at(i)];
    set_contents(array, all);
  }
  auto slice() { return array.slice({{first}, {first + size * step}}, {step}); }
  T& operator[](index_t i) { return all[at(first + i * step)]; }
  auto is_right() const { return has_contents(array, all); }

 private:
  static Array<T, 1> make(Random& random, index_t wanted, const char* name) {
    return {world(), any_layout(random, Extents<1>(2 * wanted + 4)), {.name = name}};
  }
};

template <class T>
std::vector<T> numbers(Random& random, index_t count, index_t most) {
  std::vector<T> values;
  for (index_t i = 0; i < count; ++i)
    values.push_back(number<T>(pick(random, -most, most), pick(random, 0, 3)));
  return values;
}

std::vector<std::int32_t> random_marks(Random& random, index_t count) {
  const index_t rare = pick(random, 1, 12);
  std::vector<std::int32_t> marks;
  for (index_t i = 0; i < count; ++i)
    marks.push_back(pick(random, 0, rare) == 0 ? static_cast<std::int32_t>(pick(random, 1, 9)) : 0);
  return marks;
}

template <class T>
void check_scans(int rounds) {
  Random random(800 + sizeof(T));
  for (int round = 0; round < rounds; ++round) {
    const index_t n = pick(random, 0, 3) == 0 ? pick(random, 0, 3) : pick(random, 4, 40);
    Line<T> x(random, n, numbers<T>(random, n, 20), "x"), y(random, n, numbers<T>(random, n, 20), "y");
    Line<std::int32_t> m(random, n, random_marks(random, n), "marks");
    for (const Scan kind : {Scan::inclusive, Scan::exclusive}) {
      for (const bool segmented : {false, true}) {
        segmented ? segmented_scan(x.slice(), m.slice(), y.slice(), kind) : scan(x.slice(), y.slice(), kind);
        T sum{};
        for (index_t i = 0; i < n; ++i) {
          if (segmented && m[i] != 0) sum = T{};
          const T before = sum;
          sum += x[i];
          y[i] = kind == Scan::inclusive ? sum : before;
        }
        EXPECT_TRUE(y.is_right()) << n << " elements, " << x.array.layout().description();
      }
    }
    if constexpr (RealElement<T>) {
      scan(x.slice(), x.slice(), Scan::inclusive, Reduce::max);  // in place
      for (index_t i = 1; i < n; ++i) x[i] = std::max(x[i - 1], x[i]);
      EXPECT_TRUE(x.is_right());
    }
    spread(x.slice(), m.slice(), y.slice());
    for (index_t i = 0, last = -1; i < n; ++i) {
      if (m[i] != 0) last = i;
      if (last >= 0) y[i] = x[last];
    }
    EXPECT_TRUE(y.is_right());
    index_t count = pack(x.slice(), m.slice(), y.slice());
    index_t marked = 0;
    for (index_t i = 0; i < n; ++i) {
      if (m[i] != 0) y[marked++] = x[i];
    }
    EXPECT_EQ(count, marked);
    EXPECT_TRUE(y.is_right());
    set_contents(x.array, x.all = numbers<T>(random, x.array.size(), 9));
    count = unpack(y.slice(), m.slice(), x.slice());
    marked = 0;
    for (index_t i = 0; i < n; ++i) {
      if (m[i] != 0) x[i] = y[marked++];
    }
    EXPECT_EQ(count, marked);
    EXPECT_TRUE(x.is_right());
    enumerate(x.slice(), number<T>(7), number<T>(-2));
    for (index_t i = 0; i < n; ++i) x[i] = number<T>(7 - 2 * i);
    EXPECT_TRUE(x.is_right());
  }
}

TEST(Scan, scans_and_packs_are_those_of_a_serial_loop) {
  check_scans<std::int64_t>(5);
  check_scans<double>(5);
  check_scans<std::int32_t>(2);
  check_scans<std::complex<double>>(3);
}

template <class T>
void check_sort(int rounds, index_t longest) {
  Random random(820 + sizeof(T));
  for (int round = 0; round < rounds; ++round) {
    const index_t n = pick(random, 0, 4) == 0 ? pick(random, 0, 3) : pick(random, 4, longest);
    // Often many equal keys, sometimes all equal, sometimes already in order.
    auto given = numbers<T>(random, n, std::array<index_t, 4>{0, 2, 50, 100000}[at(round % 4)]);
    if (pick(random, 0, 3) == 0) std::sort(given.begin(), given.end());
    Line<T> keys(random, n, given, "keys");
    Line<Triple> values(random, n, numbers<Triple>(random, n, 1000), "values");
    std::vector<index_t> order(at(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](index_t a, index_t b) { return given[at(a)] < given[at(b)]; });
    const auto unsorted = values.all;
    const auto old = [&](index_t i) { return unsorted[at(values.first + i * values.step)]; };
    sort(keys.slice(), values.slice());
    for (index_t i = 0; i < n; ++i) {
      keys[i] = given[at(order[at(i)])];
      values[i] = old(order[at(i)]);
    }
    EXPECT_TRUE(keys.is_right()) << n;
    EXPECT_TRUE(values.is_right()) << n;
    std::reverse(given.begin(), given.end());
    for (index_t i = 0; i < n; ++i) keys[i] = given[at(i)];
    set_contents(keys.array, keys.all);
    sort(keys.slice());
    std::sort(given.begin(), given.end());
    for (index_t i = 0; i < n; ++i) keys[i] = given[at(i)];
    EXPECT_TRUE(keys.is_right());
  }
}

TEST(Scan, sort_is_stable_and_puts_nan_last) {
  check_sort<double>(6, 60);
  check_sort<std::int32_t>(5, 300);
  check_sort<std::int64_t>(4, 20);
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                   infinite = std::numeric_limits<double>::infinity();
  Array<double, 1> odd(world(), {6}, {.name = "odd"});
  set_contents(odd, std::vector<double>{not_a_number, infinite, -0.0, not_a_number, -infinite, 3});
  sort(odd);
  const auto sorted = contents(odd);
  EXPECT_EQ(std::vector<double>(sorted.begin(), sorted.begin() + 4),
            (std::vector<double>{-infinite, -0.0, 3, infinite}));
  EXPECT_TRUE(std::isnan(sorted[4]) && std::isnan(sorted[5]));
}

TEST(Scan, bin_counts_every_key_or_none) {
  Random random(830);
  for (int round = 0; round < 5; ++round) {
    const index_t n = pick(random, 0, 200), bins = std::array<index_t, 3>{1, 10, 5000}[at(round % 3)];
    std::vector<std::int32_t> given;
    for (index_t i = 0; i < n; ++i) given.push_back(static_cast<std::int32_t>(pick(random, 0, bins - 1)));
    Line<std::int32_t> keys(random, n, given, "keys");
    Array<std::int64_t, 1> counts(world(), Extents<1>(bins), {.name = "counts"});
    fill(counts, 3);
    bin(keys.slice(), counts);
    std::vector<std::int64_t> model(at(bins), 3);
    for (std::int32_t key : given) ++model[at(key)];
    EXPECT_TRUE(has_contents(counts, model));
    if (n == 0) continue;
    keys[n - 1] = static_cast<std::int32_t>(bins);
    set_contents(keys.array, keys.all);
    EXPECT_NE(
        message_of<UsageError>([&] { bin(keys.slice(), counts); }).find("none of the " + std::to_string(bins)),
        std::string::npos);
    EXPECT_TRUE(has_contents(counts, model));  // nothing was counted
  }
}

TEST(Scan, wrong_uses_are_told) {
  Array<double, 1> x(world(), {10}, {.name = "x"}), y(world(), {9}, {.name = "y"});
  Array<std::int32_t, 1> m(world(), {10}, {.name = "m"});
  fill(x, 1);
  fill(y, 2);
  fill(m, 1);
  EXPECT_NE(message_of<UsageError>([&] { scan(x, y); }).find("\"y\" of extents 9"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { pack(x, m, y); }).find("10 elements are marked"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { unpack(y, m, x); }).find("10 elements are marked"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { scan(x, x, Scan::inclusive, Reduce::bit_and); }).find("bit_and"),
            std::string::npos);
  EXPECT_THROW(sort(x, y), UsageError);
  EXPECT_TRUE(has_contents(x, std::vector<double>(10, 1)));
  EXPECT_TRUE(has_contents(y, std::vector<double>(9, 2)));
}

}  // namespace
