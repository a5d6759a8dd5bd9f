// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Collective calls, checked against a serial model: every rank can compute what every other rank has.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "comparison.hpp"
#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

constexpr std::array operations{Reduce::sum,     Reduce::product, Reduce::min,         Reduce::max,
                                Reduce::absmax,  Reduce::absmin,  Reduce::logical_and, Reduce::logical_or,
                                Reduce::bit_and, Reduce::bit_or,  Reduce::bit_xor};

// Sizes around all changes of method: a cache line, the page, what all read, the stage, pieces between nodes.
const std::vector<index_t> sizes{
    0,    1,    7,     8,     9,     56,    57,    896,       897,     2048,          4096,     5461,
    8192, 8193, 16384, 16400, 65535, 65536, 65537, 3 * 65536, 300'001, (1 << 20) + 3, 3'000'017};

// Small integers, so that floating-point sums are exact in any order. Few zeros, for the logical operations.
template <class T>
T element(int rank, index_t i, int seed) {
  std::uint64_t x = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15UL +
                    static_cast<std::uint64_t>(rank * 1000 + seed) * 0xbf58476d1ce4e5b9UL;
  x ^= x >> 29;
  x *= 0x94d049bb133111ebUL;
  x ^= x >> 32;
  const auto value = static_cast<int>(x % 9) - 4;
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value);
  } else {
    using R = typename T::value_type;
    return T(static_cast<R>(value), static_cast<R>(static_cast<int>(x / 9 % 5) - 2));
  }
}

template <class T>
T combine(T a, T b, Reduce operation) {
  if (operation == Reduce::sum) return a + b;
  if (operation == Reduce::product) return a * b;
  if (operation == Reduce::absmax) return static_cast<T>(std::max(std::abs(a), std::abs(b)));
  if (operation == Reduce::absmin) return static_cast<T>(std::min(std::abs(a), std::abs(b)));
  if constexpr (std::is_arithmetic_v<T>) {
    if (operation == Reduce::min) return std::min(a, b);
    if (operation == Reduce::max) return std::max(a, b);
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case Reduce::logical_and:
        return a != 0 && b != 0;
      case Reduce::logical_or:
        return a != 0 || b != 0;
      case Reduce::bit_and:
        return a & b;
      case Reduce::bit_or:
        return a | b;
      default:
        return a ^ b;
    }
  }
  return a;
}

template <class T>
bool has(Reduce operation) {
  if (operation == Reduce::sum || operation == Reduce::product) return true;
  if (operation == Reduce::absmax || operation == Reduce::absmin) return true;
  if (operation == Reduce::min || operation == Reduce::max) return std::is_arithmetic_v<T>;
  return std::is_integral_v<T>;
}

template <class T>
void check_reduce(const Group& group, index_t count, Reduce operation, int seed) {
  std::vector<T> data(static_cast<std::size_t>(count)), expected(data.size());
  for (index_t i = 0; i < count; ++i) {
    data[static_cast<std::size_t>(i)] = element<T>(group.rank(), i, seed);
    T all = element<T>(0, i, seed);
    // A magnitude or truth value, even of one rank.
    if (operation != Reduce::sum && operation != Reduce::product && operation != Reduce::bit_xor)
      all = combine(all, all, operation);
    for (int r = 1; r < group.size(); ++r) all = combine(all, element<T>(r, i, seed), operation);
    expected[static_cast<std::size_t>(i)] = all;
  }
  const auto given = data;
  group.all_reduce(std::span<T>(data), operation);
  Comparison compared;
  for (std::size_t i = 0; i < data.size(); ++i) compared(i, expected[i], data[i]);
  EXPECT_TRUE(compared.equal()) << to_string(operation) << " of " << count << " "
                                << to_string(element_kind<T>());
  // On one member only; the others keep their data.
  const int root = seed % group.size();
  data = given;
  group.reduce(std::span<T>(data), operation, root);
  EXPECT_TRUE(data == (group.rank() == root ? expected : given))
      << to_string(operation) << " of " << count << " " << to_string(element_kind<T>()) << " to " << root;
}

template <class T>
void check_every_operation(const Group& group) {
  int seed = 0;
  for (const Reduce operation : operations) {
    if (!has<T>(operation)) {
      T value{};
      EXPECT_THROW(group.all_reduce(value, operation), UsageError) << to_string(operation);
      EXPECT_THROW(group.reduce(value, operation, 0), UsageError) << to_string(operation);
      continue;
    }
    for (const index_t count : {1, 7, 8, 113, 1000, 9001}) check_reduce<T>(group, count, operation, ++seed);
  }
}

void check_broadcast(const Group& group, index_t bytes, int root) {
  std::vector<char> data(static_cast<std::size_t>(bytes)), expected(data.size());
  for (index_t i = 0; i < bytes; ++i) {
    data[static_cast<std::size_t>(i)] = static_cast<char>(i * 31 + group.rank());
    expected[static_cast<std::size_t>(i)] = static_cast<char>(i * 31 + root);
  }
  group.broadcast(std::span<char>(data), root);
  EXPECT_TRUE(data == expected) << bytes << " bytes from " << root;
}

template <std::size_t Bytes>
void check_gather(const Group& group) {
  struct Block {
    std::array<unsigned char, Bytes> bytes;
  };
  const auto block = [](int rank) {
    auto made = std::make_unique<Block>();
    for (std::size_t i = 0; i < Bytes; ++i)
      made->bytes[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(rank) * 13);
    return made;
  };
  const auto all = group.all_gather(*block(group.rank()));
  EXPECT_EQ(static_cast<int>(all.size()), group.size());
  for (int r = 0; r < group.size(); ++r) {
    EXPECT_TRUE(all[static_cast<std::size_t>(r)].bytes == block(r)->bytes) << Bytes << " bytes of rank " << r;
  }
}

void check_all(const Group& group) {
  for (const index_t bytes : sizes) {
    check_reduce<std::int32_t>(group, bytes / 4, Reduce::sum, static_cast<int>(bytes % 97));
    check_reduce<double>(group, bytes / 8, Reduce::max, static_cast<int>(bytes % 89));
    check_broadcast(group, bytes, static_cast<int>(bytes % group.size()));
  }
  check_gather<1>(group);
  check_gather<56>(group);
  check_gather<57>(group);
  check_gather<897>(group);
  check_gather<65537>(group);
  check_gather<700'001>(group);
}

TEST(Collectives, reductions_of_every_kind_and_operation_equal_a_serial_model) {
  check_every_operation<std::int32_t>(world());
  check_every_operation<std::int64_t>(world());
  check_every_operation<float>(world());
  check_every_operation<double>(world());
  check_every_operation<std::complex<float>>(world());
  check_every_operation<std::complex<double>>(world());
}

TEST(Collectives, calls_of_every_size_equal_a_serial_model) { check_all(world()); }

// Many times as large as the shared memory.
TEST(Collectives, reductions_may_be_larger_than_the_shared_memory) {
  check_reduce<double>(world(), index_t{9} << 18, Reduce::sum, 5);
}

// Groups that share members, used in turn: reversed, every second rank, one rank, the node, formed by members.
TEST(Collectives, groups_that_overlap_do_not_disturb_each_other) {
  const Group& all = world();
  const int me = all.rank(), size = all.size();
  const Group reversed = all.split(0, -me);
  const Group alternate = all.split(me % 2, me);
  const Group alone = all.split(me);
  const Group node = all.node();
  std::vector<int> list;
  for (int r = size - 1; r >= 0; r -= 2) list.push_back(r);
  const bool listed = std::find(list.begin(), list.end(), me) != list.end();
  Group formed = listed ? all.form(list, 3) : Group();
  check_all(reversed);
  check_all(alternate);
  check_all(alone);
  check_all(node);
  if (formed) check_all(formed);
  std::mt19937 random(7);
  for (int turn = 0; turn < 60; ++turn) {
    const std::array<const Group*, 6> groups{&all, &reversed, &alternate, &alone, &node, &formed};
    const Group& group = *groups[random() % groups.size()];
    const auto kind = random() % 5;
    const index_t bytes = sizes[random() % 17];
    const auto root = random();
    if (!group) continue;
    if (kind == 0) check_reduce<std::int64_t>(group, bytes / 8, Reduce::sum, turn);
    if (kind == 1) check_broadcast(group, bytes, static_cast<int>(root % static_cast<unsigned>(group.size())));
    if (kind == 2) check_gather<24>(group);
    if (kind == 3) group.barrier();
    if (kind == 4) group.sync();
  }
  if (formed) formed.close();
}

// A member that runs ahead must not overwrite what others still read. No member waits in between.
TEST(Collectives, calls_in_quick_succession_overwrite_nothing_that_others_still_read) {
  const Group& all = world();
  const int me = all.rank(), size = all.size();
  std::mt19937 random(11), mine(static_cast<unsigned>(me));
  for (int turn = 0; turn < 400; ++turn) {
    const auto kind = random() % 4;
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const auto count = std::array<std::size_t, 5>{1, 7, 9, 120, 3000}[random() % 5];
    std::vector<std::int64_t> data(count, turn * 8 + me);
    volatile auto work = mine() % 3 == 0 ? mine() % 20'000 : 0UL;
    while (work > 0) work = work - 1;
    if (kind == 0) {
      all.all_reduce(std::span<std::int64_t>(data), Reduce::max);
      EXPECT_TRUE(data == std::vector<std::int64_t>(count, turn * 8 + size - 1)) << turn;
    } else if (kind == 3) {
      EXPECT_EQ(all.all_gather(turn * 8 + me)[static_cast<std::size_t>(root)], turn * 8 + root) << turn;
    } else {
      all.broadcast(std::span<std::int64_t>(data), root);
      EXPECT_TRUE(data == std::vector<std::int64_t>(count, turn * 8 + root)) << turn;
    }
  }
}

// An array's span has its length in its type.
TEST(Collectives, take_spans_of_arrays) {
  const Group& all = world();
  std::array<int, 3> some{all.rank(), 2, all.rank()};
  double plain[2] = {all.rank() + 1.0, 1.0};
  all.broadcast(std::span(some), all.size() - 1);
  EXPECT_EQ(some, (std::array{all.size() - 1, 2, all.size() - 1}));
  all.all_reduce(std::span(plain), Reduce::max);
  EXPECT_EQ(plain[0], all.size());
  all.reduce(std::span(some), Reduce::sum, 0);
  EXPECT_EQ(some[1], all.rank() == 0 ? 2 * all.size() : 2);
}

// Sums of numbers whose rounding depends on the order. All members must get the same bits, for every element at
// every place, and in every repetition.
TEST(Collectives, every_rank_gets_the_same_bits) {
  const Group& all = world();
  std::mt19937_64 random(static_cast<std::uint64_t>(all.rank()) + 100);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  std::vector<double> given(40'000);
  for (double& x : given) x = mantissa(random) * std::pow(10.0, static_cast<double>(random() % 20));
  for (const std::size_t count : {std::size_t{1}, std::size_t{100}, std::size_t{1500}, given.size()}) {
    for (const Reduce operation : {Reduce::sum, Reduce::product}) {
      std::vector<double> first(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(count));
      auto again = first;
      all.all_reduce(std::span<double>(first), operation);
      all.all_reduce(std::span<double>(again), operation);
      auto of_root = first;
      all.broadcast(std::span<double>(of_root), 0);
      EXPECT_EQ(std::memcmp(first.data(), again.data(), count * sizeof(double)), 0) << count;
      EXPECT_EQ(std::memcmp(first.data(), of_root.data(), count * sizeof(double)), 0) << count;
      // The number of other elements in the reduction must not matter either.
      double one = given[count / 2];
      EXPECT_EQ(all.all_reduce(one, operation), first[count / 2]) << count;
    }
  }
}

// The root gets what all_reduce gives, even where rounding depends on the order.
TEST(Collectives, the_root_gets_the_bits_of_all_reduce) {
  const Group& all = world();
  std::mt19937_64 random(static_cast<std::uint64_t>(all.rank()) + 200);
  std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
  for (const std::size_t count : {std::size_t{1}, std::size_t{300}, std::size_t{200'000}}) {
    std::vector<double> given(count);
    for (double& x : given) x = mantissa(random) * std::pow(10.0, static_cast<double>(random() % 20));
    auto everywhere = given;
    all.all_reduce(std::span<double>(everywhere), Reduce::sum);
    for (int root = 0; root < all.size(); ++root) {
      auto data = given;
      all.reduce(std::span<double>(data), Reduce::sum, root);
      const auto& expected = all.rank() == root ? everywhere : given;
      EXPECT_EQ(std::memcmp(data.data(), expected.data(), count * sizeof(double)), 0) << count;
    }
  }
  EXPECT_THROW(all.reduce(1, Reduce::sum, all.size()), UsageError);
  EXPECT_THROW(all.reduce(1, Reduce::sum, -1), UsageError);
}

TEST(Collectives, magnitudes_are_exact_at_the_ends_of_the_range) {
  const Group& all = world();
  const int me = all.rank(), last = all.size() - 1;
  constexpr auto lowest = std::numeric_limits<std::int32_t>::lowest();
  EXPECT_EQ(all.all_reduce(me == last ? lowest : 5, Reduce::absmax), lowest) << "its magnitude wraps";
  EXPECT_EQ(all.all_reduce(me == last ? lowest : -5, Reduce::absmin), last == 0 ? lowest : 5);
  using Complex = std::complex<double>;
  EXPECT_EQ(all.all_reduce(Complex(0x3p1000, me == last ? -0x4p1000 : 0), Reduce::absmax),
            Complex(0x5p1000, 0));
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (const Reduce operation : {Reduce::absmax, Reduce::absmin}) {
    EXPECT_TRUE(std::isnan(all.all_reduce(me == last ? nan : -infinity, operation)));
    const Complex both = me == last ? Complex(infinity, nan) : Complex(1, 1);
    EXPECT_TRUE(std::isnan(all.all_reduce(both, operation).real()));
  }
}

TEST(Collectives, minima_and_maxima_keep_nan_and_agree_on_the_sign_of_zero) {
  const Group& all = world();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t count : {std::size_t{1}, std::size_t{200}, std::size_t{20'000}}) {
    for (int owner = 0; owner < all.size(); ++owner) {
      std::vector<double> data(count, all.rank() == owner ? nan : all.rank());
      data.back() = all.rank();
      for (const Reduce operation : {Reduce::min, Reduce::max}) {
        auto result = data;
        all.all_reduce(std::span<double>(result), operation);
        if (count > 1) {
          EXPECT_TRUE(std::isnan(result[0])) << "of rank " << owner;
        }
        EXPECT_EQ(result.back(), operation == Reduce::min ? 0.0 : all.size() - 1.0);
      }
    }
    // Zeros of both signs compare equal. All ranks must get the same one.
    double zero = all.rank() % 2 == 0 ? 0.0 : -0.0;
    zero = all.all_reduce(zero, Reduce::min);
    const auto signs = all.all_gather(static_cast<int>(std::signbit(zero)));
    EXPECT_EQ(std::count(signs.begin(), signs.end(), signs[0]), all.size());
  }
}

// Other ranks access this process's memory before it comes to a collective call and while it waits in it.
TEST(Collectives, ranks_that_wait_serve_one_sided_operations) {
  const Group& all = world();
  const int me = all.rank(), size = all.size();
  Segment segment(all, 4096 * static_cast<index_t>(sizeof(double)), "beside");
  std::vector<double> row(512);
  const auto shape = Strided::contiguous(static_cast<index_t>(row.size() * sizeof(double)));
  for (int turn = 0; turn < 20; ++turn) {
    std::fill(row.begin(), row.end(), turn * 100.0 + me);
    const int to = (me + 1) % size, from = (me + size - 1) % size;
    segment.put(to, 0, shape, row.data());
    segment.sync();
    segment.get(me, 0, shape, row.data());
    EXPECT_EQ(row[511], turn * 100.0 + from);
    if (me == turn % size) segment.get(to, 0, shape, row.data());
    std::vector<double> sums(turn % 2 == 0 ? 1 : 3000, 1.0);
    all.all_reduce(std::span<double>(sums), Reduce::sum);
    EXPECT_EQ(sums.back(), size);
  }
  segment.close();
}

}  // namespace
