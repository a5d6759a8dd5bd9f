// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <unistd.h>

#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Adds one by a load and a store, which lose updates unless the other ranks are excluded.
void increment(Segment& segment, int rank, index_t offset) {
  segment.store(rank, offset, segment.load<std::int64_t>(rank, offset) + 1);
}

TEST(Mutexes, exclude_everybody_else) {
  const Group& all = world();
  const int rounds = times(all, 200, 15), last = all.size() - 1;
  Mutexes set(all, 3, last, "guards");
  EXPECT_EQ(set.count(), 3);
  EXPECT_EQ(set.host(), last);
  EXPECT_TRUE(set.group() == all);
  // Each mutex guards a counter, mostly at another rank than its host.
  Segment counters(all, 3 * 64, "guarded");
  zero(counters, 3 * 64);
  Random random(1 + static_cast<std::uint64_t>(all.rank()));
  std::vector<std::int64_t> done(3, 0);
  for (int i = 0; i < rounds; ++i) {
    const index_t which = pick(random, 0, 2);
    set.lock(which);
    increment(counters, static_cast<int>(which) % all.size(), 64 * which);
    set.unlock(which);
    ++done[at(which)];
  }
  all.all_reduce(std::span<std::int64_t>(done), Reduce::sum);
  all.sync();
  for (index_t which = 0; which < 3; ++which)
    EXPECT_EQ(counters.load<std::int64_t>(static_cast<int>(which) % all.size(), 64 * which), done[at(which)]);
  all.sync();
}

TEST(Mutexes, may_be_held_one_inside_the_other) {
  const Group& all = world();
  const int rounds = times(all, 100, 8);
  Mutexes set(all, 2);
  Segment counters(all, 64, "guarded");
  zero(counters, 64);
  for (int i = 0; i < rounds; ++i) {
    auto first = set[0], second = set[1];
    if (i % 3 == 0) {
      const std::scoped_lock hold(first);
      increment(counters, all.size() - 1, 0);
    } else if (i % 3 == 1) {
      // Only one rank may lock in another order. (std::lock gives back the mutex it holds. With several such
      // ranks, the queue hands it to the next of them, and so on for ever.)
      if (all.rank() == 0) {
        std::lock(second, first);
      } else {
        first.lock();
        second.lock();
      }
      const std::scoped_lock hold(std::adopt_lock, first, second);
      increment(counters, all.size() - 1, 0);
      increment(counters, all.size() - 1, 8);
    } else {
      std::unique_lock hold(second, std::try_to_lock);
      if (!hold) hold.lock();
      increment(counters, all.size() - 1, 8);
    }
  }
  all.sync();
  std::int64_t of_first = 0, of_second = 0;
  for (int i = 0; i < rounds; ++i) {
    of_first += static_cast<std::int64_t>(i % 3 != 2);
    of_second += static_cast<std::int64_t>(i % 3 != 0);
  }
  EXPECT_EQ(counters.load<std::int64_t>(all.size() - 1, 0), of_first * all.size());
  EXPECT_EQ(counters.load<std::int64_t>(all.size() - 1, 8), of_second * all.size());
  all.sync();
}

TEST(Mutexes, try_lock_fails_while_another_rank_holds_the_mutex) {
  const Group& all = world();
  Mutexes set(all, 2, all.size() / 2);
  for (int holder = 0; holder < all.size(); ++holder) {
    if (all.rank() == holder) set.lock(1);
    all.barrier();
    if (all.rank() != holder) {
      EXPECT_FALSE(set.try_lock(1));
      EXPECT_THROW(set.unlock(1), UsageError);
    }
    // The other one is free.
    if (all.rank() == (holder + 1) % all.size()) {
      EXPECT_TRUE(set.try_lock(0));
      set.unlock(0);
    }
    all.barrier();
    if (all.rank() == holder) set.unlock(1);
    all.barrier();
    if (all.rank() == (holder + 1) % all.size()) {
      EXPECT_TRUE(set.try_lock(1));
      set.unlock(1);
      EXPECT_THROW(set.unlock(1), UsageError);
    }
    all.barrier();
  }
}

// Of all the ranks that try, only one gets it.
TEST(Mutexes, one_of_all_ranks_that_try_gets_it) {
  const Group& all = world();
  Mutexes set(all, 1);
  for (int round = 0; round < 20; ++round) {
    const bool mine = set.try_lock(0);
    const int holders = all.all_reduce(mine ? 1 : 0, Reduce::sum);
    EXPECT_EQ(holders, 1);
    if (mine) set.unlock(0);
    all.barrier();
  }
}

// Ranks queue up one after another while the first one holds the mutex, and get it in that order.
TEST(Mutexes, first_come_first_served) {
  const Group& all = world();
  Mutexes set(all, 1, all.size() - 1);
  Flags queue(all, 1, "queue");
  Scalars<std::int32_t> served(all, 1, "served");
  // Neither the ranks' order nor its reverse.
  std::vector<int> order(at(all.size()));
  for (int i = 0; i < all.size(); ++i) order[at(i)] = (i % 2 == 0 ? i / 2 : all.size() - 1 - i / 2);
  int place = 0;
  while (order[at(place)] != all.rank()) ++place;
  if (place > 0) {
    // The rank before is about to queue or has done so. After the pause it surely has.
    queue.wait(0);
    usleep(100000);
  } else {
    set.lock(0);
  }
  queue.notify(order[at((place + 1) % all.size())], 0);
  if (place == 0) {
    queue.wait(0);  // the last one is about to queue
    usleep(100000);
  } else {
    set.lock(0);
  }
  EXPECT_EQ(served.fetch_add(order[0], 0, 1), place);
  set.unlock(0);
  all.barrier();
}

// An earlier holder's operations are complete, whatever paths they took.
TEST(Mutexes, unlocking_completes_what_was_done) {
  const Group& all = world();
  const int rounds = times(all, 100, 10);
  constexpr index_t count = 200;
  Mutexes set(all, 1, all.size() / 2);
  Segment segment(all, count * 8, "passed on");
  zero(segment, count * 8);
  const std::vector<std::int64_t> ones(count, 1);
  const std::int64_t once = 1;
  std::vector<std::int64_t> values(count);
  const Strided whole = Strided::contiguous(count * 8);
  int torn = 0;
  for (int i = 0; i < rounds; ++i) {
    auto mutex = set[0];
    const std::scoped_lock hold(mutex);
    segment.get(0, 0, whole, values.data());
    for (const std::int64_t x : values) torn += static_cast<int>(x != values[0]);
    if (i % 2 == 0) {
      for (std::int64_t& x : values) ++x;
      segment.put(0, 0, whole, values.data());
    } else {
      segment.accumulate_async(0, 0, whole, ElementKind::int64, &once, ones.data()).detach();
    }
  }
  EXPECT_EQ(torn, 0);
  segment.sync();
  for (index_t i = 0; i < count; ++i)
    EXPECT_EQ(segment.load<std::int64_t>(0, 8 * i), std::int64_t{rounds} * all.size());
  segment.sync();
}

TEST(Mutexes, serve_a_part_of_the_processes) {
  const Group& all = world();
  const Group half = all.split(all.rank() % 2, -all.rank());
  Mutexes set(half, 2, half.size() - 1);
  Segment segment(half, 64, "of a part");
  zero(segment, 64);
  for (int i = 0; i < 10; ++i) {
    set.lock(1);
    increment(segment, 0, 8);
    set.unlock(1);
  }
  half.sync();
  EXPECT_EQ(segment.load<std::int64_t>(0, 8), 10 * half.size());
  half.sync();
  set.close();
  all.sync();
}

TEST(Mutexes, mutexes_that_do_not_exist_are_refused) {
  const Group& all = world();
  Mutexes set(all, 2, 0, "pair");
  for (const index_t bad : {index_t{-1}, index_t{2}, index_t{1} << 60}) {
    EXPECT_THROW(set.lock(bad), UsageError);
    EXPECT_THROW(set.try_lock(bad), UsageError);
    EXPECT_THROW(set.unlock(bad), UsageError);
    EXPECT_THROW(set[bad].lock(), UsageError);
  }
  const auto text = message_of<UsageError>([&] { set.unlock(1); });
  EXPECT_NE(text.find("\"pair\""), std::string::npos) << text;
  EXPECT_THROW(Mutexes(all, 1, all.size()), UsageError);
  EXPECT_THROW(Mutexes(all, 1, -1), UsageError);
  EXPECT_THROW(Mutexes(all, -1), UsageError);
  EXPECT_THROW(Mutexes(all, std::numeric_limits<index_t>::min()), UsageError);
  for (const index_t bad : {std::numeric_limits<index_t>::max(), index_t{1} << 58, index_t{1} << 62})
    EXPECT_THROW(Mutexes(all, bad), MemoryError);
  // The mutexes still work.
  for (const index_t i : {0, 1}) {
    set.lock(i);
    set.unlock(i);
  }
  Mutexes moved = std::move(set);
  moved.lock(0);
  moved.unlock(0);
  all.sync();
  moved.close();
  EXPECT_THROW(moved.lock(0), UsageError);
  EXPECT_THROW(moved.try_lock(0), UsageError);
  all.sync();
}

}  // namespace
