// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "comparison.hpp"
#include "kernels/accumulate.hpp"
#include "kernels/lock_stripes.hpp"

namespace {

using namespace tessera;
using tessera::detail::LockStripes;
using tessera::detail::Striped;
using tessera::detail::StripeHolder;
using tessera::test::Comparison;

// A table of locks in memory of this process.
class StripesTest : public testing::Test {
 private:
  struct alignas(64) Table {
    std::array<std::byte, LockStripes::bytes> bytes{};
  };
  std::unique_ptr<Table> table_ = std::make_unique<Table>();

 protected:
  LockStripes locks{table_->bytes.data()};
};

TEST_F(StripesTest, a_stripe_is_held_by_one_at_a_time) {
  locks.lock(5);
  EXPECT_FALSE(locks.try_lock(5));
  EXPECT_TRUE(locks.try_lock(6));
  EXPECT_FALSE(locks.try_lock(5 + LockStripes::count)) << "stripes share locks";
  locks.unlock(5);
  EXPECT_TRUE(locks.try_lock(5));
}

TEST_F(StripesTest, threads_exclude_each_other) {
  constexpr int threads = 4, each = 20000;
  int counter = 0;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        locks.lock(9);
        ++counter;
        locks.unlock(9);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(counter, threads * each);
}

TEST_F(StripesTest, a_holder_keeps_one_stripe_until_it_holds_another_or_ends) {
  {
    StripeHolder holder(locks);
    holder.hold(1);
    holder.hold(1);
    EXPECT_FALSE(locks.try_lock(1));
    holder.hold(2);
    EXPECT_TRUE(locks.try_lock(1));
    EXPECT_FALSE(locks.try_lock(2));
  }
  EXPECT_TRUE(locks.try_lock(2));
}

TEST_F(StripesTest, a_place_belongs_to_the_stripe_of_its_block) {
  const std::vector<std::byte> memory(LockStripes::block + 1);
  const std::byte* base = memory.data();
  const Striped stripes{locks, base, 100};
  EXPECT_EQ(stripes.of(base), 100U);
  EXPECT_EQ(stripes.of(base + LockStripes::block - 1), 100U);
  EXPECT_EQ(stripes.of(base + LockStripes::block), 101U);
}

// All threads add to the same memory: a long run, short runs across the ends of blocks, and several rows.
TEST_F(StripesTest, accumulates_of_several_threads_lose_nothing) {
  constexpr index_t words = 5 * LockStripes::block / 8;
  constexpr int threads = 3, rounds = 4;
  std::vector<std::int64_t> sums(words, 0);
  auto* target = reinterpret_cast<std::byte*>(sums.data());
  const Striped stripes{locks, target, 3};
  const std::int64_t two = 2;
  const detail::Action add{
      .verb = detail::Verb::accumulate, .kind = ElementKind::int64, .update = Update::sum, .alpha = &two};
  // Runs of 3 words, 7 words apart: some of them lie in two blocks.
  const Strided rows{.run = 24, .levels = 1, .count = {words / 7}, .remote_stride = {56}, .local_stride = {24}};
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      const std::vector<std::int64_t> ones(words, 1);
      const auto* source = reinterpret_cast<const std::byte*>(ones.data());
      for (int i = 0; i < rounds; ++i) {
        accumulate_on_node(stripes, target, Strided::contiguous(words * 8), add, source);
        accumulate_on_node(stripes, target, rows, add, source);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  Comparison compared;
  for (index_t i = 0; i < words; ++i) {
    const bool in_row = i % 7 < 3 && i / 7 < words / 7;
    compared(i, threads * rounds * 2 * (in_row ? 2 : 1), sums[static_cast<std::size_t>(i)]);
  }
  EXPECT_TRUE(compared.equal());
}

}  // namespace
