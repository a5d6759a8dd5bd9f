// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/error.hpp>

#include "agents/operation_list.hpp"

// Lists of many runs for one agent: written by a client, carried out here by hand.
namespace {

using namespace tessera;
using namespace tessera::detail;

constexpr std::uint64_t region_a = 7, region_b = 9;  // regions
constexpr index_t words = 64;                        // of each

// Two regions of integers, as their agent sees them.
class Memory {
 public:
  Memory() {
    for (std::size_t i = 0; i < words; ++i) {
      a[i] = static_cast<std::int64_t>(i);
      b[i] = -static_cast<std::int64_t>(i);
    }
    regions_.add(region_a, {reinterpret_cast<std::byte*>(a.data()), words * 8, 0});
    regions_.add(region_b, {reinterpret_cast<std::byte*>(b.data()), words * 8, 5});
  }
  // Carries the list out as it is sent, and hands out the answer as the client does.
  void run(OperationList& list) const {
    std::vector<std::byte> answer(static_cast<std::size_t>(list.answer_bytes()));
    const std::vector<OperationList::Result> results(list.results().begin(), list.results().end());
    const KeptVector<std::byte> operations = list.take();
    run_operations(regions_, LockStripes(locks_.data()), operations, answer.data());
    const std::byte* from = answer.data();
    for (const auto& result : results) {
      std::memcpy(result.to, from, static_cast<std::size_t>(result.bytes));
      from += result.bytes;
    }
  }

  // The same for a list that is sent in pieces.
  void run_in_pieces(OperationList& list, index_t limit) const {
    list.in_pieces(limit, [&](index_t bytes, const std::byte* piece) {
      EXPECT_GT(bytes, 0);
      EXPECT_LE(bytes, limit);
      run_operations(regions_, LockStripes(locks_.data()), {piece, static_cast<std::size_t>(bytes)}, nullptr);
    });
    list.clear();
  }

  std::array<std::int64_t, words> a, b;

 private:
  ExposedRegions regions_;
  alignas(64) mutable std::array<std::byte, LockStripes::bytes> locks_{};
};

RunGroup group_of(Verb verb, std::uint64_t region, index_t run, Update update = Update::sum,
                  std::int64_t factor = 1) {
  RunGroup group{.verb = verb, .kind = ElementKind::int64, .update = update, .region = region, .run = run};
  if (verb == Verb::accumulate) std::memcpy(group.value.data(), &factor, sizeof factor);
  return group;
}

TEST(OperationList, carries_out_its_runs_in_their_order) {
  const auto memory = std::make_unique<Memory>();
  OperationList list;
  const std::int64_t one = 1, five = 5;
  std::int64_t before = 0, after = 0, old = 0;
  list.add(group_of(Verb::get, region_a, 8), 24, nullptr, &before);
  list.add(group_of(Verb::put, region_a, 8), 24, &five, nullptr);
  list.add(group_of(Verb::accumulate, region_a, 8, Update::sum, 10), 24, &one, nullptr);
  list.add(group_of(Verb::update, region_a, 8), 24, &five, &old);
  list.add(group_of(Verb::get, region_a, 8), 24, nullptr, &after);
  memory->run(list);
  EXPECT_EQ(before, 3);
  EXPECT_EQ(old, 15);
  EXPECT_EQ(after, 20);
}

TEST(OperationList, has_no_answer_if_its_updates_fetch_nothing) {
  const auto memory = std::make_unique<Memory>();
  OperationList list;
  const std::int64_t mask = 0b1100;
  RunGroup updates = group_of(Verb::update, region_a, 8, Update::bit_xor);
  updates.fetches = false;
  for (index_t word = 8; word < 16; ++word) list.add(updates, word * 8, &mask, nullptr);
  EXPECT_EQ(list.answer_bytes(), 0);
  EXPECT_TRUE(list.writes());
  std::int64_t old = 0;
  list.add(group_of(Verb::update, region_a, 8, Update::bit_xor), 64, &mask, &old);
  EXPECT_EQ(list.answer_bytes(), 8);
  memory->run(list);
  EXPECT_EQ(old, 8 ^ mask);
  EXPECT_EQ(memory->a[8], 8);
  for (std::size_t word = 9; word < 16; ++word)
    EXPECT_EQ(memory->a[word], static_cast<std::int64_t>(word) ^ mask);
}

TEST(OperationList, knows_the_regions_and_the_bytes_that_it_touches) {
  OperationList list;
  const std::int64_t value = 0;
  EXPECT_TRUE(list.is_empty());
  list.add(group_of(Verb::get, region_a, 16), 40, nullptr, nullptr);
  EXPECT_FALSE(list.writes());
  EXPECT_EQ(list.region(), region_a);
  EXPECT_EQ(list.answer_bytes(), 16);
  list.add(group_of(Verb::put, region_a, 8), 8, &value, nullptr);
  EXPECT_TRUE(list.writes());
  EXPECT_EQ(list.low(), 8);
  EXPECT_EQ(list.high(), 56);
  list.add(group_of(Verb::put, region_b, 8), 8, &value, nullptr);
  EXPECT_EQ(list.region(), 0) << "there are two";
  list.clear();
  EXPECT_TRUE(list.is_empty());
  EXPECT_FALSE(list.writes());
  EXPECT_EQ(list.answer_bytes(), 0);
}

TEST(OperationList, holds_256_KiB_and_no_more) {
  OperationList list;
  std::vector<std::byte> data(1000);
  const RunGroup put = group_of(Verb::put, region_a, 1000);
  index_t runs = 0;
  for (; list.has_room(put); ++runs) list.add(put, 0, data.data(), nullptr);
  EXPECT_LE(list.bytes(), OperationList::most);
  EXPECT_GT(list.bytes(), OperationList::most - 2 * put.spacing());
  EXPECT_EQ(runs, list.bytes() / put.spacing());
  // What is read counts for the answer.
  list.clear();
  const RunGroup get = group_of(Verb::get, region_a, 1000);
  for (runs = 0; list.has_room(get); ++runs) list.add(get, 0, nullptr, nullptr);
  EXPECT_EQ(runs, OperationList::most / 1000);
}

TEST(OperationList, its_pieces_do_the_same) {
  std::mt19937_64 random(11);
  const auto below = [&](std::uint64_t end) { return static_cast<index_t>(random() % end); };
  for (int round = 0; round < 200; ++round) {
    const auto whole = std::make_unique<Memory>(), pieces = std::make_unique<Memory>();
    OperationList first, second;
    std::array<std::int64_t, 4> values{};
    index_t longest = 0;
    for (index_t i = below(60); i >= 0; --i) {
      const index_t run = 8 * (1 + below(4));
      RunGroup group = below(2) == 0 ? group_of(Verb::put, below(2) == 0 ? region_a : region_b, run)
                                     : group_of(Verb::accumulate, region_a, run, Update::sum, below(3));
      for (std::int64_t& x : values) x = below(100);
      const index_t position = 8 * below(words - 3);
      for (OperationList* list : {&first, &second}) list->add(group, position, values.data(), nullptr);
      longest = std::max(longest, group.spacing());
    }
    const auto head = static_cast<index_t>(sizeof(RunGroup));
    EXPECT_TRUE(second.can_be_split(longest + head));
    EXPECT_FALSE(second.can_be_split(longest + head - 1));
    whole->run(first);
    pieces->run_in_pieces(second, longest + head + 8 * below(20));
    ASSERT_EQ(whole->a, pieces->a) << "round " << round;
    ASSERT_EQ(whole->b, pieces->b) << "round " << round;
  }
}

TEST(OperationList, a_list_that_reads_is_not_split) {
  OperationList list;
  std::int64_t value = 0;
  list.add(group_of(Verb::put, region_a, 8), 0, &value, nullptr);
  EXPECT_TRUE(list.can_be_split(1024));
  list.add(group_of(Verb::get, region_a, 8), 0, nullptr, &value);
  EXPECT_FALSE(list.can_be_split(1024));
}

TEST(OperationList, takes_one_run_of_any_size) {
  const OperationList list;
  EXPECT_TRUE(list.has_room(group_of(Verb::put, region_a, 2 * OperationList::most)));
}

TEST(OperationList, refuses_a_run_outside_its_region) {
  const auto memory = std::make_unique<Memory>();
  const std::int64_t value = 1;
  for (const index_t position : {index_t{-8}, words * 8 - 4, words * 8}) {
    OperationList list;
    list.add(group_of(Verb::put, region_a, 8), position, &value, nullptr);
    EXPECT_THROW(memory->run(list), LogicError) << position;
  }
  OperationList list;
  list.add(group_of(Verb::put, 1234, 8), 0, &value, nullptr);
  EXPECT_THROW(memory->run(list), LogicError) << "an unknown region";
}

// Random runs of 1 to 5 words against two plain arrays.
TEST(OperationList, does_what_a_serial_model_does) {
  std::mt19937_64 random(3);
  const auto pick = [&](index_t least, index_t most) {
    return std::uniform_int_distribution<index_t>(least, most)(random);
  };
  const auto memory = std::make_unique<Memory>();
  auto a = memory->a, b = memory->b;
  for (int round = 0; round < 200; ++round) {
    OperationList list;
    std::vector<std::array<std::int64_t, 5>> found(40), expected(40);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::uint64_t region = pick(0, 1) == 0 ? region_a : region_b;
      auto& model = region == region_a ? a : b;
      const auto verb = std::array{Verb::put, Verb::get, Verb::accumulate,
                                   Verb::update}[static_cast<std::size_t>(pick(0, 3))];
      const index_t count = verb == Verb::update ? 1 : pick(1, 5), at = pick(0, words - count),
                    factor = pick(-2, 2);
      std::array<std::int64_t, 5> values;
      for (auto& value : values) value = pick(-1000, 1000);
      list.add(group_of(verb, region, count * 8, Update::sum, factor), at * 8, values.data(), found[i].data());
      for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
        std::int64_t& x = model[static_cast<std::size_t>(at) + k];
        if (verb == Verb::get || verb == Verb::update) expected[i][k] = x;
        if (verb == Verb::put) x = values[k];
        if (verb == Verb::accumulate) x += factor * values[k];
        if (verb == Verb::update) x += values[k];
      }
    }
    memory->run(list);
    ASSERT_EQ(memory->a, a) << "round " << round;
    ASSERT_EQ(memory->b, b) << "round " << round;
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

}  // namespace
