// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/scalars.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

template <class T>
void expect_zeros(const Scalars<T>& scalars) {
  Comparison compared;
  for (int rank = 0; rank < scalars.group().size(); ++rank) {
    for (index_t i = 0; i < scalars.count(); ++i) compared(std::pair(rank, i), 0, scalars.load(rank, i));
  }
  EXPECT_TRUE(compared.equal());
}

template <class T>
void check_new_ones() {
  const Group& all = world();
  for (int round = 0; round < 3; ++round) {
    {
      Segment segment(all, 64 * 20, "of other values");
      std::memset(segment.address(all.rank()), 0xff, 64 * 20);
      segment.sync();
      segment.close();
    }
    Scalars<T> scalars(all, 20, "fresh");
    EXPECT_EQ(scalars.name(), "fresh");
    EXPECT_EQ(scalars.count(), 20);
    EXPECT_TRUE(scalars.group() == all);
    expect_zeros(scalars);
    all.barrier();
    for (index_t i = 0; i < 20; ++i) scalars.store((all.rank() + 1) % all.size(), i, static_cast<T>(i - 7));
    all.barrier();
    if (round % 2 == 0) scalars.close();
  }
}

TEST(Scalars, are_zero_at_first) {
  check_new_ones<std::int32_t>();
  check_new_ones<std::int64_t>();
}

// Each rank has scalars of its own on every member, so that it knows their values.
template <class T>
void check_operations() {
  const Group& all = world();
  constexpr index_t each = 4;
  Scalars<T> scalars(all, each * all.size());
  Random random(40 + static_cast<std::uint64_t>(all.rank()));
  std::vector<std::vector<T>> model(at(all.size()), std::vector<T>(each, 0));
  auto any = [&random] {
    return pick(random, 0, 9) == 0 ? std::numeric_limits<T>::min() / 4
                                   : static_cast<T>(pick(random, -999, 999));
  };
  Comparison compared;
  for (int i = 0; i < times(all, 2000, 300); ++i) {
    const auto rank = static_cast<int>(pick(random, 0, all.size() - 1));
    const index_t which = pick(random, 0, each - 1), mine = each * all.rank() + which;
    T& expected = model[at(rank)][at(which)];
    const T x = any();
    const index_t what = pick(random, 0, 5);
    const std::tuple where(i, what, rank, which);
    if (what == 0) compared(where, expected, scalars.load(rank, mine));
    if (what == 1) scalars.store(rank, mine, x);
    if (what == 2) {
      // Small enough that sums do not overflow.
      compared(where, expected, scalars.exchange(rank, mine, 5));
      compared(where, 5, scalars.fetch_add(rank, mine, x));
      expected = static_cast<T>(5 + x);
      continue;
    }
    if (what == 3) {
      const Update update = all_updates[pick(random, 1, 6)];
      compared(where, expected, scalars.fetch_op(rank, mine, update, x));
      expected = updated(update, expected, x);
    }
    if (what == 4) compared(where, expected, scalars.exchange(rank, mine, x));
    if (what == 5) {
      const bool should = pick(random, 0, 1) == 1;
      T found = should ? expected : static_cast<T>(expected ^ 1);
      compared(where, should, scalars.compare_exchange(rank, mine, found, x));
      compared(where, expected, found);
      if (should) expected = x;
    }
    if (what == 1 || what == 4) expected = x;
  }
  EXPECT_TRUE(compared.equal());
  all.sync();
  // Checks them as other ranks see them.
  std::vector<std::vector<T>> left = model;
  const int from = (all.rank() + 1) % all.size();
  for (std::vector<T>& values : left) {
    for (T& value : values) {
      const std::vector<T> every = all.all_gather(value);
      value = every[at(from)];
    }
  }
  for (int rank = 0; rank < all.size(); ++rank) {
    for (index_t i = 0; i < each; ++i) EXPECT_EQ(scalars.load(rank, each * from + i), left[at(rank)][at(i)]);
  }
  all.sync();
}

TEST(Scalars, every_operation_returns_what_a_model_does) {
  check_operations<std::int32_t>();
  check_operations<std::int64_t>();
}

template <class T>
void check_contended() {
  const Group& all = world();
  const int rounds = times(all, 1004, 60), owner = all.size() / 2;
  Scalars<T> scalars(all, 6);
  std::vector<std::int64_t> drawn(at(rounds * all.size()), 0), tokens(drawn.size() + 1, 0);
  auto count = [](std::vector<std::int64_t>& list, T value) {
    EXPECT_LT(at(value), list.size());
    if (at(value) < list.size()) ++list[at(value)];
  };
  T low = 0, bits = 0;
  for (int i = 0; i < rounds; ++i) {
    count(drawn, scalars.fetch_add(owner, 0, 1));
    count(tokens, scalars.exchange(owner, 1, static_cast<T>(all.rank() * rounds + i + 1)));
    T seen = 0;
    while (!scalars.compare_exchange(owner, 2, seen, static_cast<T>(seen + 3))) sched_yield();
    const auto bit = static_cast<T>(T{1} << (all.rank() % 7 * 4 + i % 4));
    scalars.fetch_op(owner, 3, Update::bit_xor, bit);
    scalars.fetch_op(owner, 4, Update::bit_or, bit);
    bits = bits | bit;
    const auto x = static_cast<T>((i * 7919 + all.rank() * 104729) % 1000 - 999);
    scalars.fetch_op(owner, 5, Update::min, x);
    low = std::min(low, x);
  }
  all.sync();
  if (all.rank() == 0) count(tokens, scalars.load(owner, 1));
  all.all_reduce(std::span<std::int64_t>(drawn), Reduce::sum);
  all.all_reduce(std::span<std::int64_t>(tokens), Reduce::sum);
  EXPECT_EQ(drawn, std::vector<std::int64_t>(drawn.size(), 1));
  EXPECT_EQ(tokens, std::vector<std::int64_t>(tokens.size(), 1));
  EXPECT_EQ(scalars.load(owner, 0), rounds * all.size());
  EXPECT_EQ(scalars.load(owner, 2), 3 * rounds * all.size());
  // Every rank that has a bit flipped it rounds / 4 times.
  T parity = 0;
  for (int rank = 0; rank < all.size(); ++rank) {
    for (int i = 0; i < rounds; ++i) parity = parity ^ static_cast<T>(T{1} << (rank % 7 * 4 + i % 4));
  }
  EXPECT_EQ(scalars.load(owner, 3), parity);
  EXPECT_EQ(scalars.load(owner, 4), all.all_reduce(bits, Reduce::bit_or));
  EXPECT_EQ(scalars.load(owner, 5), all.all_reduce(low, Reduce::min));
  all.sync();
}

TEST(Scalars, contended_operations_lose_nothing) {
  check_contended<std::int32_t>();
  check_contended<std::int64_t>();
}

// A rank that sees a flag set also sees what was written before.
TEST(Scalars, order_other_memory) {
  const Group& all = world();
  const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
  Scalars<std::int32_t> turn(all, 1, "turn");
  Segment segment(all, 800, "data");
  std::vector<double> data(100), found(100);
  for (int round = 1; round <= times(all, 200, 20); ++round) {
    std::fill(data.begin(), data.end(), 1000.0 * all.rank() + round);
    segment.put(right, 0, Strided::contiguous(800), data.data());
    segment.flush(right);
    turn.store(right, 0, round);
    while (turn.load(all.rank(), 0) != round) sched_yield();
    segment.get(all.rank(), 0, Strided::contiguous(800), found.data());
    EXPECT_EQ(found, std::vector<double>(100, 1000.0 * left + round));
    all.barrier();  // read: the neighbour may write again
  }
}

TEST(Scalars, are_apart_and_can_be_pointed_to) {
  const Group& all = world();
  Scalars<std::int64_t> scalars(all, 3);
  for (int rank = 0; rank < all.size(); ++rank) {
    for (index_t i = 0; i < 3; ++i) {
      std::int64_t* place = scalars.address(rank, i);
      EXPECT_EQ(place != nullptr, all.on_node(rank));
      if (place == nullptr) continue;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % 64, 0U);  // a cache line of its own
      if (i > 0) {
        EXPECT_NE(place, scalars.address(rank, i - 1));
      }
    }
  }
  scalars.store(all.rank(), 2, 100 + all.rank());
  EXPECT_EQ(*scalars.address(all.rank(), 2), 100 + all.rank());
  Scalars<std::int64_t> moved = std::move(scalars);
  EXPECT_EQ(moved.fetch_add(all.rank(), 2, 1), 100 + all.rank());
  all.sync();
}

TEST(Scalars, scalars_that_do_not_exist_are_refused) {
  const Group& all = world();
  Scalars<std::int32_t> scalars(all, 3, "three"), none(all, 0, "none");
  EXPECT_EQ(none.count(), 0);
  auto refuse = [](Scalars<std::int32_t>& from, int rank, index_t i) {
    std::int32_t expected = 0;
    const auto text = message_of<UsageError>([&] { from.load(rank, i); });
    EXPECT_NE(text.find("\"" + from.name() + "\""), std::string::npos) << text;
    EXPECT_THROW(from.store(rank, i, 1), UsageError);
    EXPECT_THROW(from.fetch_add(rank, i, 1), UsageError);
    EXPECT_THROW(from.exchange(rank, i, 1), UsageError);
    EXPECT_THROW(from.fetch_op(rank, i, Update::max, 1), UsageError);
    EXPECT_THROW(from.compare_exchange(rank, i, expected, 1), UsageError);
  };
  refuse(scalars, 0, 3);
  refuse(scalars, 0, -1);
  refuse(scalars, -1, 0);
  refuse(scalars, all.size(), 0);
  refuse(scalars, 0, std::numeric_limits<index_t>::max());
  refuse(scalars, 0, std::numeric_limits<index_t>::max() / 64 + 2);
  refuse(none, all.rank(), 0);
  using Words = Scalars<std::int64_t>;
  for (const index_t bad : {index_t{-1}, std::numeric_limits<index_t>::min(), -(index_t{1} << 58)})
    EXPECT_THROW(Words(all, bad, "negative"), UsageError);
  for (const index_t bad : {std::numeric_limits<index_t>::max(), index_t{1} << 58, index_t{1} << 62})
    EXPECT_THROW(Words(all, bad, "endless"), MemoryError);
  EXPECT_EQ(scalars.address(0, 3), nullptr);
  EXPECT_EQ(scalars.address(all.size(), 0), nullptr);
  all.sync();
  expect_zeros(scalars);
  all.sync();
  scalars.close();
  refuse(scalars, 0, 0);
  const bool odd = all.rank() == all.size() - 1;
  EXPECT_THROW(Scalars<std::int32_t>(all, -1), UsageError);
  EXPECT_THROW(Scalars<std::int64_t>(all, odd ? -5 : 4), UsageError);
  if (all.size() > 1) {
    EXPECT_THROW(Scalars<std::int64_t>(all, odd ? 5 : 4), UsageError);
  }
  Scalars<std::int64_t> works(all, 1);
  works.fetch_add(0, 0, 1);
  all.sync();
  EXPECT_EQ(works.load(0, 0), all.size());
  all.sync();
}

}  // namespace
