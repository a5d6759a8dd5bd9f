// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <tessera/runtime/detail/kept_memory.hpp>

namespace {

using tessera::detail::KeptVector;

TEST(KeptMemory, a_vector_behaves_as_any_other) {
  KeptVector<std::int64_t> list;
  for (std::int64_t i = 0; i < 100'000; ++i) list.push_back(i);
  EXPECT_EQ(std::accumulate(list.begin(), list.end(), std::int64_t{0}), 4'999'950'000);
  KeptVector<std::int64_t> copy = list, moved = std::move(list);
  EXPECT_EQ(copy, moved);
  copy.resize(50);
  copy.shrink_to_fit();
  copy.resize(60, 7);
  EXPECT_EQ(copy[49], 49);
  EXPECT_EQ(copy[59], 7);
  EXPECT_TRUE(KeptVector<char>().empty());
  EXPECT_THROW(KeptVector<std::int64_t>().reserve(std::size_t{1} << 61), std::exception);
}

TEST(KeptMemory, a_list_gets_the_memory_of_the_last_one) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer sees each block freed";
#endif
  const void* before = KeptVector<char>(100'000).data();
  EXPECT_EQ(KeptVector<std::int64_t>(10'000).data(), before);  // of the same power of two
}

// Each thread fills vectors of all sizes, and finds its own values in them.
TEST(KeptMemory, threads_have_blocks_of_their_own) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::uint64_t mine = 0; mine < wrong.size(); ++mine) {
    threads.emplace_back([mine, &wrong] {
      std::mt19937_64 random(mine);
      std::vector<KeptVector<std::uint64_t>> lists(8);
      for (int turn = 0; turn < 2000; ++turn) {
        KeptVector<std::uint64_t>& list = lists[random() % lists.size()];
        if (!list.empty() && (list.front() != mine || list.back() != mine)) ++wrong[mine];
        list = KeptVector<std::uint64_t>(1 + random() % (1 << random() % 18), mine);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
