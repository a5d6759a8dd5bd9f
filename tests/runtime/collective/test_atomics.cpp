// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sched.h>

#include <string>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// Operations that read and write one element: by one rank, checked against a model, and by all ranks at once.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t word_bytes = 8;
constexpr ElementKind int64 = ElementKind::int64;

// Each rank has elements of its own in every slice, so that it knows their values.
template <class T>
void check_fetch_op(Domain domain, std::uint64_t seed) {
  const Group& all = world();
  constexpr index_t count = 12, size = sizeof(T);
  constexpr ElementKind kind = element_kind<T>();
  Segment segment(all, count * size * all.size(), {.name = "elements", .domain = domain});
  zero(segment, count * size * all.size());
  const index_t begin = count * size * all.rank();
  std::vector<std::vector<T>> model(at(all.size()), std::vector<T>(count));
  Random random(seed + static_cast<std::uint64_t>(all.rank()));
  Comparison compared;
  for (int i = 0; i < times(all, 200, 60); ++i) {
    const auto owner = static_cast<int>(pick(random, 0, all.size() - 1));
    const index_t element = pick(random, 0, count - 1);
    const Update update = all_updates[pick(random, 0, 6)];
    const T value = number<T>(pick(random, -1000, 1000), pick(random, -9, 9));
    if (!is_defined(update, kind)) continue;
    T old = number<T>(77, 7);
    segment.fetch_op(owner, begin + element * size, kind, update, &value, &old);
    T& expected = model[at(owner)][at(element)];
    compared(std::tuple(i, owner, element), expected, old);
    expected = updated(update, expected, value);
  }
  EXPECT_TRUE(compared.equal()) << to_string(kind);
  for (const Update update : all_updates) {
    if (is_defined(update, kind)) continue;
    T old{};
    const T one = number<T>(1, 0);
    const auto text =
        message_of<UsageError>([&] { segment.fetch_op(all.size() - 1, begin, kind, update, &one, &old); });
    EXPECT_NE(text.find(to_string(kind)), std::string::npos) << text;
    EXPECT_NE(text.find(to_string(update)), std::string::npos) << text;
  }
  segment.sync();
  for (int owner = 0; owner < all.size(); ++owner) {
    std::vector<T> found(count);
    segment.get(owner, begin, Strided::contiguous(count * size), found.data());
    EXPECT_EQ(found, model[at(owner)]) << to_string(kind) << " at rank " << owner;
  }
  segment.sync();
}

TEST(Atomics, every_update_of_every_kind_returns_the_old_value) {
  for (const Domain& domain : domains()) {
    check_fetch_op<std::int32_t>(domain, 1);
    check_fetch_op<std::int64_t>(domain, 2);
    check_fetch_op<float>(domain, 3);
    check_fetch_op<double>(domain, 4);
    check_fetch_op<std::complex<float>>(domain, 5);
    check_fetch_op<std::complex<double>>(domain, 6);
  }
}

TEST(Atomics, bytes_have_no_updates) {
  Segment segment(world(), 64);
  std::byte value{}, old{};
  for (const Update update : all_updates)
    EXPECT_THROW(segment.fetch_op(0, 0, ElementKind::bytes, update, &value, &old), UsageError);
  segment.sync();
}

template <class T>
void check_compare_exchange(Domain domain) {
  const Group& all = world();
  constexpr index_t size = sizeof(T);
  constexpr ElementKind kind = element_kind<T>();
  Segment segment(all, size * all.size(), {.name = "compared", .domain = domain});
  zero(segment, size * all.size());
  const T five = 5, six = -6;
  double real = 0;
  EXPECT_THROW(segment.compare_exchange(0, 0, ElementKind::float64, &real, &real), UsageError);
  EXPECT_THROW(segment.compare_exchange(0, 0, ElementKind::complex64, &real, &real), UsageError);
  if (!has_compare_exchange(segment)) {
    T expected = 0;
    EXPECT_THROW(segment.compare_exchange(0, size * all.rank(), kind, &expected, &five), UsageError);
    segment.sync();
    EXPECT_EQ(segment.load<T>(0, size * all.rank()), 0);
    return segment.sync();
  }
  for (int owner = 0; owner < all.size(); ++owner) {
    const index_t mine = size * all.rank();
    T expected = 0;
    EXPECT_TRUE(segment.compare_exchange(owner, mine, kind, &expected, &five));
    EXPECT_EQ(expected, 0);
    EXPECT_FALSE(segment.compare_exchange(owner, mine, kind, &expected, &six));
    EXPECT_EQ(expected, 5);
    EXPECT_EQ(segment.load<T>(owner, mine), 5);
    EXPECT_TRUE(segment.compare_exchange(owner, mine, kind, &expected, &six));
    EXPECT_EQ(segment.load<T>(owner, mine), -6);
  }
  T nothing = 0;
  EXPECT_THROW(segment.compare_exchange(0, segment.slice_bytes(), kind, &nothing, &five), UsageError);
  EXPECT_THROW(segment.compare_exchange(0, -size, kind, &nothing, &five), UsageError);
  EXPECT_THROW(segment.compare_exchange(all.size(), 0, kind, &nothing, &five), UsageError);
  segment.sync();
}

TEST(Atomics, compare_exchange_stores_only_over_the_expected_value) {
  for (const Domain& domain : domains()) {
    check_compare_exchange<std::int32_t>(domain);
    check_compare_exchange<std::int64_t>(domain);
  }
}

// Words that all ranks update, each word by one operation, so that the result does not depend on the order.
void check_contended_updates(Domain domain) {
  const Group& all = world();
  const int owner = all.size() / 2, rounds = times(all, 300, 30);
  constexpr index_t words = 7;
  constexpr Update operation[words] = {Update::sum,     Update::min,     Update::max, Update::bit_or,
                                       Update::bit_and, Update::bit_xor, Update::max};
  Segment segment(all, words * word_bytes, {.name = "contended", .domain = domain});
  zero(segment, words * word_bytes);
  if (all.rank() == owner) segment.store<std::int64_t>(owner, 4 * word_bytes, -1);
  segment.sync();
  Random random(70 + static_cast<std::uint64_t>(all.rank()));
  std::int64_t sum = 0, low = 0, high = 0, bits = 0, parity = 0, least = 0;
  double top = 0;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t x = pick(random, -100000, 100000);
    const auto bit = std::int64_t{1} << (9 * (all.rank() % 7) + pick(random, 0, 8));
    const auto real = static_cast<double>(x) / 8;
    const std::int64_t values[words - 1] = {x, x, x, bit, ~bit, bit};
    sum += x, low = std::min(low, x), high = std::max(high, x), bits |= bit, parity ^= bit;
    top = std::max(top, real);
    std::int64_t old = 0;
    for (index_t w = 0; w < words - 1; ++w) {
      segment.fetch_op(owner, w * word_bytes, int64, operation[w], &values[w], &old);
      if (operation[w] == Update::min) {
        EXPECT_LE(old, least);  // the value only falls
        least = std::min(old, x);
      }
    }
    double before = 0;
    segment.fetch_op(owner, 6 * word_bytes, ElementKind::float64, Update::max, &real, &before);
  }
  segment.sync();
  EXPECT_EQ(segment.load<std::int64_t>(owner, 0), all.all_reduce(sum, Reduce::sum));
  EXPECT_EQ(segment.load<std::int64_t>(owner, word_bytes), all.all_reduce(low, Reduce::min));
  EXPECT_EQ(segment.load<std::int64_t>(owner, 2 * word_bytes), all.all_reduce(high, Reduce::max));
  EXPECT_EQ(segment.load<std::int64_t>(owner, 3 * word_bytes), all.all_reduce(bits, Reduce::bit_or));
  EXPECT_EQ(segment.load<std::int64_t>(owner, 4 * word_bytes), ~all.all_reduce(bits, Reduce::bit_or));
  EXPECT_EQ(segment.load<std::int64_t>(owner, 5 * word_bytes), all.all_reduce(parity, Reduce::bit_xor));
  EXPECT_EQ(segment.load<double>(owner, 6 * word_bytes), all.all_reduce(top, Reduce::max));
  segment.sync();
}

TEST(Atomics, contended_updates_lose_nothing) {
  for (const Domain& domain : domains()) check_contended_updates(domain);
}

// Tokens go round through one place. Each must come out exactly once.
template <class T>
void check_exchange(Domain domain) {
  const Group& all = world();
  const int owner = all.size() - 1, rounds = times(all, 300, 40);
  Segment segment(all, 64, {.name = "tokens", .domain = domain});
  zero(segment, 64);
  std::vector<std::int64_t> seen(at(rounds * all.size() + 1), 0);
  auto count = [&seen](T token) {
    const auto i = at(static_cast<index_t>(token));
    EXPECT_LT(i, seen.size());
    if (i < seen.size()) ++seen[i];
  };
  for (int i = 0; i < rounds; ++i) {
    const auto token = static_cast<T>(all.rank() * rounds + i + 1);
    T old{};
    segment.fetch_op(owner, word_bytes, element_kind<T>(), Update::replace, &token, &old);
    count(old);
  }
  segment.sync();
  if (all.rank() == 0) count(segment.load<T>(owner, word_bytes));
  all.all_reduce(std::span<std::int64_t>(seen), Reduce::sum);
  EXPECT_EQ(seen, std::vector<std::int64_t>(seen.size(), 1)) << to_string(element_kind<T>());
  segment.sync();
}

TEST(Atomics, exchange_loses_no_value) {
  for (const Domain& domain : domains()) {
    check_exchange<std::int32_t>(domain);
    check_exchange<std::int64_t>(domain);
    check_exchange<double>(domain);
  }
}

// Whole numbers are added to a patch by accumulate and fetch_add, and taken out by exchange. The numbers taken
// out and the numbers left must make up all that was added.
void check_elements_of_a_patch(Domain domain) {
  const Group& all = world();
  const int owner = all.size() / 2, rounds = times(all, 60, 30);
  constexpr index_t columns = 5, rows = 10, pitch = 7, count = columns * rows;
  Segment segment(all, rows * pitch * word_bytes, {.name = "patch", .domain = domain});
  zero(segment, rows * pitch * word_bytes);
  const Strided shape{.run = columns * word_bytes,
                      .levels = 1,
                      .count = {rows},
                      .remote_stride = {pitch * word_bytes},
                      .local_stride = {columns * word_bytes}};
  std::vector<std::int64_t> ones(count, 1), taken(count, 0), left(count, 0);
  const std::int64_t none = 0, thousand = 1000, once = 1;
  for (int i = 0; i < rounds; ++i) {
    segment.accumulate(owner, 0, shape, int64, &once, ones.data());
    const index_t row = i % rows, column = i % columns;
    const index_t place = (row * pitch + column) * word_bytes;
    std::int64_t old = 0;
    segment.fetch_add(owner, place, int64, &thousand, &old);
    segment.fetch_op(owner, place, int64, Update::replace, &none, &old);
    taken[at(row * columns + column)] += old;
  }
  segment.sync();
  segment.get(owner, 0, shape, left.data());
  all.all_reduce(std::span<std::int64_t>(taken), Reduce::sum);
  Comparison compared;
  for (index_t i = 0; i < count; ++i) {
    index_t fetches = 0;
    for (int r = 0; r < rounds; ++r) fetches += static_cast<index_t>(r % rows * columns + r % columns == i);
    compared(i, (rounds + 1000 * fetches) * all.size(), taken[at(i)] + left[at(i)]);
  }
  EXPECT_TRUE(compared.equal());
  segment.sync();
}

TEST(Atomics, elements_and_patches_exclude_each_other) {
  for (const Domain& domain : domains()) check_elements_of_a_patch(domain);
}

// A counter that only compare_exchange changes, and one that a lock made of compare_exchange protects.
void check_locks(Domain domain) {
  const Group& all = world();
  const int owner = all.size() / 2, rounds = times(all, 100, 10);
  Segment segment(all, 4 * 64, {.name = "locked", .domain = domain});
  zero(segment, 4 * 64);
  if (!has_compare_exchange(segment)) return segment.sync();
  constexpr index_t counter = 0, lock = 64, guarded = 128;
  for (int i = 0; i < rounds; ++i) {
    std::int64_t seen = 0, more = 1;
    for (; !segment.compare_exchange(owner, counter, int64, &seen, &more); more = seen + 1) sched_yield();
  }
  const std::int32_t free = 0, taken = all.rank() + 1;
  for (int i = 0; i < rounds; ++i) {
    std::int32_t holder = free;
    while (!segment.compare_exchange(owner, lock, ElementKind::int32, &holder, &taken)) {
      holder = free;
      sched_yield();
    }
    segment.store(owner, guarded, segment.load<std::int64_t>(owner, guarded) + 1);
    segment.flush(owner);
    segment.fetch_op(owner, lock, ElementKind::int32, Update::replace, &free, &holder);
    EXPECT_EQ(holder, taken);
  }
  segment.sync();
  EXPECT_EQ(segment.load<std::int64_t>(owner, counter), index_t{rounds} * all.size());
  EXPECT_EQ(segment.load<std::int64_t>(owner, guarded), index_t{rounds} * all.size());
  segment.sync();
}

TEST(Atomics, compare_exchange_makes_locks) {
  for (const Domain& domain : domains()) check_locks(domain);
}

}  // namespace
