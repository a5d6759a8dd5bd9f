// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/accesses.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conflicts/buffers_in_flight.hpp"
#include "conflicts/unseen.hpp"
#include "conflicts/uses.hpp"

namespace tessera::detail::conflicts {
namespace {

using Clock = order::VectorClock;

Access access_of(int author, Act act, std::uint64_t begun, std::uint64_t completed, const Clock& seen) {
  Access access;
  access.author = author;
  access.act = act;
  access.begun = begun;
  access.completed = completed;
  access.seen = std::make_shared<const Clock>(seen);
  access.add(footprint_of(ByteRange{0, 8}));
  return access;
}

TEST(Accesses, conflict_if_neither_has_seen_the_other_complete) {
  const Access put = access_of(0, Act::put, 3, 4, {0, 0});
  EXPECT_TRUE(may_conflict(put, access_of(1, Act::get, 1, 1, {3, 0})));
  EXPECT_FALSE(may_conflict(put, access_of(1, Act::get, 1, 1, {4, 0})));
  EXPECT_FALSE(may_conflict(access_of(1, Act::get, 1, 1, {4, 0}), put));
  EXPECT_FALSE(may_conflict(put, access_of(0, Act::get, 1, 1, {0, 0}))) << "program order";
  EXPECT_TRUE(may_conflict(access_of(0, Act::put, 3, 0, {0, 0}), access_of(1, Act::get, 1, 1, {9, 0})))
      << "never complete";
}

TEST(Accesses, conflict_by_what_they_do) {
  const std::vector<Act> reads{Act::get, Act::read_locally}, writes{Act::put, Act::write_locally},
      sums{Act::accumulate, Act::update, Act::compare_exchange};
  const auto check = [](const std::vector<Act>& some, const std::vector<Act>& others, bool conflict) {
    for (const Act one : some) {
      for (const Act other : others) {
        const Access a = access_of(0, one, 1, 1, {0, 0}), b = access_of(1, other, 1, 1, {0, 0});
        EXPECT_EQ(may_conflict(a, b), conflict) << to_string(one) << " and " << to_string(other);
        EXPECT_EQ(may_conflict(b, a), conflict);
      }
    }
  };
  check(reads, reads, false);
  check(reads, writes, true);
  check(reads, sums, true);
  check(writes, writes, true);
  check(writes, sums, true);
  check(sums, sums, false);
}

TEST(Accesses, a_common_mutex_excludes_conflicts) {
  Access one = access_of(0, Act::put, 1, 1, {0, 0}), other = access_of(1, Act::put, 1, 1, {0, 0});
  one.mutexes = {{7, 1}, {7, 3}};
  other.mutexes = {{7, 2}, {8, 3}};
  EXPECT_TRUE(may_conflict(one, other));
  other.mutexes = {{7, 2}, {7, 3}};
  EXPECT_FALSE(may_conflict(one, other));
}

// Random ranges and shapes of two accesses against sets of bytes, also after they were sent.
TEST(Accesses, common_bytes_are_those_of_sets) {
  std::mt19937 random(2);
  const auto from = [&](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::set<index_t>> bytes(2);
    std::vector<std::shared_ptr<Access>> accesses;
    for (auto& set : bytes) {
      auto access = std::make_shared<Access>();
      access->seen = std::make_shared<const Clock>(Clock{1, 2});
      for (index_t n = from(1, 12); n > 0; --n) {
        Strided shape = Strided::contiguous(from(1, 10));
        shape.levels = static_cast<int>(from(0, 1));
        shape.count[0] = shape.levels == 0 ? 1 : from(2, 4);
        shape.remote_stride[0] = shape.run + from(1, 9);
        const index_t offset = from(0, 400);
        access->add(footprint_of(shape, shape.remote_stride, offset));
        for (index_t i = 0; i < shape.count[0]; ++i) {
          for (index_t b = 0; b < shape.run; ++b) set.insert(offset + i * shape.remote_stride[0] + b);
        }
      }
      access->compress();
      EXPECT_EQ(access->bounds, (ByteRange{*set.begin(), *set.rbegin() + 1}));
      accesses.push_back(access);
    }
    const std::vector<Access> sent = unpacked(packed(accesses));
    EXPECT_EQ(sent.size(), 2U);
    if (sent.size() != 2) continue;
    EXPECT_EQ(*sent[1].seen, (Clock{1, 2}));
    std::vector<ByteRange> where;
    std::set<index_t> found, expected;
    const bool meet = find_common(sent[0], sent[1], 1'000'000, where);
    for (const auto& [low, high] : where) {
      for (index_t byte = low; byte < high; ++byte) found.insert(byte);
    }
    for (const index_t byte : bytes[0]) {
      if (bytes[1].contains(byte)) expected.insert(byte);
    }
    EXPECT_EQ(found, expected);
    EXPECT_EQ(meet, !expected.empty());
  }
}

TEST(Accesses, the_same_and_neighbouring_ranges_are_kept_once) {
  Access access;
  for (int round = 0; round < 3; ++round) {
    for (index_t n = 9; n >= 0; --n) access.add(footprint_of(ByteRange{8 * n, 8 * n + 8}));
  }
  access.compress();
  EXPECT_EQ(access.ranges, (std::vector<ByteRange>{{0, 80}}));
}

// Rank 0 writes and then stores to a scalar; another rank reads it, and then the data.
TEST(Unseen, order_may_come_from_a_scalar_that_both_use) {
  Access write = access_of(0, Act::put, 1, 1, {0, 0, 0}), read = access_of(1, Act::get, 1, 1, {0, 0, 0});
  write.first_completed = 5;
  read.last_begun = 5;
  const auto use = [](const char* means, int process, std::uint64_t moment) {
    const UseTime time{moment, 1, std::make_shared<const Clock>(Clock{0, 0, 0})};
    return UnseenUse{means, process, time, time};
  };
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("s", 1, 4)}), "s");
  EXPECT_EQ(means_between(write, read, {use("s", 0, 4), use("s", 1, 4)}), "") << "used before the write";
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("s", 1, 6)}), "") << "used after the read";
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("t", 1, 4)}), "") << "another scalar";
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("s", 2, 1), use("t", 2, 2), use("t", 1, 4)}), "t");
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("s", 2, 2), use("t", 2, 1), use("t", 1, 4)}), "");
  write.completed = 0;
  EXPECT_EQ(means_between(write, read, {use("s", 0, 6), use("s", 1, 4)}), "") << "not complete";
}

TEST(Unseen, elements_that_one_process_cannot_tell_apart_are_one) {
  const UseTime time{1, 1, std::make_shared<const Clock>(Clock{0, 0})};
  std::vector<UnseenUse> uses{{"element 1 of a", 0, time, time, 5, false},
                              {"any element of a", 1, time, time, 5, true},
                              {"element 1 of b", 1, time, time, 6, false},
                              {"a mutex", 1, time, time}};
  uses = unpacked_uses(packed(uses));
  join_things(uses);
  EXPECT_EQ(uses[0].means, "any element of a");
  EXPECT_EQ(uses[1].means, "any element of a");
  EXPECT_EQ(uses[2].means, "element 1 of b");
  EXPECT_EQ(uses[3].means, "a mutex");
}

// A call of MPI may order what is not known to be in the opposite order. Nobody else has to note anything.
TEST(Unseen, a_call_orders_what_it_can) {
  const auto call = [](int process, Clock seen) {
    const UseTime time{1, 4, std::make_shared<const Clock>(std::move(seen))};
    return UnseenUse{"MPI_Ssend", process, time, time, 0, false, true};
  };
  const Access write = access_of(0, Act::put, 2, 2, {0, 0, 0}), read = access_of(1, Act::get, 3, 3, {0, 0, 0});
  EXPECT_EQ(means_between(write, read, {call(2, {0, 0, 0})}), "MPI_Ssend");
  EXPECT_EQ(means_between(write, read, {call(2, {0, 3, 0})}), "") << "it comes after the read";
  const Access later = access_of(0, Act::put, 2, 2, {0, 0, 4});
  EXPECT_EQ(means_between(later, read, {call(2, {0, 0, 0})}), "") << "it came before the write";
  const Access incomplete = access_of(0, Act::put, 2, 0, {0, 0, 0});
  EXPECT_EQ(means_between(incomplete, read, {call(2, {0, 0, 0})}), "");
}

TEST(Uses, are_bounded_and_still_order) {
  Uses uses;
  const auto seen = std::make_shared<const Clock>(Clock{0, 0});
  for (std::uint64_t n = 1; n <= 100'000; ++n) {
    uses.add({Means::Is::scalar, 7, 1, static_cast<index_t>(n % 10)}, 0, {2 * n, n, seen});
    uses.add_call(n % 2 == 0 ? "MPI_Win_lock" : "MPI_Win_unlock", n == 5, 0, {2 * n + 1, n, seen});
  }
  const auto text = [](const Means& means) { return means.place < 0 ? std::string("scalars") : "a scalar"; };
  auto all = uses.all(text);
  EXPECT_LE(all.size(), 1024U);
  // What was used since then by the other process may be the same scalar.
  all.push_back({"a scalar", 1, {4, 1, seen}, {4, 1, seen}, 7});
  join_things(all);
  std::erase_if(all, [](const UnseenUse& use) { return use.is_call; });
  Access write = access_of(0, Act::put, 99'000, 99'000, {0, 0}), read = access_of(1, Act::get, 1, 1, {0, 0});
  write.first_completed = 199'000;
  read.last_begun = 5;
  EXPECT_EQ(means_between(write, read, all), "scalars");
  uses.forget();
  ASSERT_EQ(uses.all(text).size(), 1U) << "the call that lasts";
  EXPECT_EQ(uses.all(text).front().means, "MPI_Win_unlock");
}

void expect_nothing(const BuffersInFlight::FlyingBuffer&, Misuse misuse) {
  ADD_FAILURE() << "misuse " << static_cast<int>(misuse);
}

TEST(BuffersInFlight, are_in_flight_until_they_are_released) {
  const Footprint memory = footprint_of(ByteRange{100, 200}), inside = footprint_of(ByteRange{150, 160}),
                  beside = footprint_of(ByteRange{200, 300});
  BuffersInFlight buffers;
  buffers.add({memory, Act::put, 0, 1, 5, 0});
  EXPECT_EQ(buffers.find(Act::put, inside), nullptr) << "both read it";
  EXPECT_NE(buffers.find(Act::get, inside), nullptr);
  EXPECT_EQ(buffers.find(Act::get, beside), nullptr);
  const auto of_rank = [](int rank) {
    return [=](const BuffersInFlight::FlyingBuffer& one) { return one.segment == 5 && one.target == rank; };
  };
  buffers.release(of_rank(1), expect_nothing);
  EXPECT_NE(buffers.find(Act::get, inside), nullptr);
  buffers.release(of_rank(0), expect_nothing);
  EXPECT_TRUE(buffers.is_empty());
  buffers.add({memory, Act::get, 0, 2, 5, 0});
  EXPECT_NE(buffers.find(Act::put, inside), nullptr);
  buffers.release(2, expect_nothing);
  EXPECT_TRUE(buffers.is_empty());
}

// Long and short ones, of which some lie in others, against a look at each.
TEST(BuffersInFlight, are_found_among_many_of_any_length) {
  std::mt19937 random(4);
  const auto from = [&](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  const auto some_memory = [&] {
    const index_t low = from(0, 100'000);
    return footprint_of(ByteRange{low, low + (index_t{1} << from(0, 10))});
  };
  BuffersInFlight buffers;
  std::vector<std::pair<Footprint, std::uint64_t>> all;  // with their tickets
  int found = 0;
  for (int round = 0; round < 3'000; ++round) {
    const Footprint memory = some_memory();
    const std::uint64_t ticket = 1 + static_cast<std::uint64_t>(round) % 300;
    std::erase_if(all, [&](const auto& one) { return one.second == ticket && round % 3 == 0; });
    if (round % 3 == 0) buffers.release(ticket, expect_nothing);
    const bool is_in_flight =
        std::any_of(all.begin(), all.end(), [&](const auto& one) { return intersect(one.first, memory); });
    EXPECT_EQ(buffers.find(Act::put, memory) != nullptr, is_in_flight);
    found += static_cast<int>(is_in_flight);
    if (round % 2 == 0) continue;
    buffers.add({memory, Act::get, 0, ticket, 5, 0});
    all.emplace_back(memory, ticket);
  }
  EXPECT_GT(found, 300);
  EXPECT_LT(found, 2'700);
  buffers.release([](const auto&) { return true; }, expect_nothing);
  EXPECT_TRUE(buffers.is_empty());
}

// What a transfer reads must stay as it is; what it fills, once it is done.
TEST(BuffersInFlight, tell_of_changed_contents) {
  std::vector<double> values(100'000, 1.0);
  const auto low = reinterpret_cast<index_t>(values.data());
  // Every second of the first elements.
  Footprint memory{low, sizeof(double), 1, {50'000}, {2 * sizeof(double)}};
  const auto misuses = [&](Act act, bool is_done, std::size_t changed) {
    int found = 0;
    BuffersInFlight buffers;
    buffers.add({memory, act, 0, 1, 5, 0});
    buffers.launched(1, is_done);
    values[changed] += 1.0;
    buffers.release(1, [&](const auto&, Misuse misuse) { found += misuse == Misuse::changed ? 1 : 100; });
    return found;
  };
  EXPECT_EQ(misuses(Act::put, true, 2), 1);
  EXPECT_EQ(misuses(Act::put, false, 1000), 1);
  EXPECT_EQ(misuses(Act::put, false, 1001), 0) << "not a part of it";
  EXPECT_EQ(misuses(Act::put, false, 90'000), 0) << "beyond what is looked at";
  EXPECT_EQ(misuses(Act::get, true, 0), 1);
  EXPECT_EQ(misuses(Act::get, false, 0), 0);
}

}  // namespace
}  // namespace tessera::detail::conflicts
