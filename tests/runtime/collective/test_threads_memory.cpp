// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/heap.hpp>
#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/segment.hpp>
#include <tessera/runtime/vector.hpp>

#include "mpi_test.hpp"
#include "on_threads.hpp"
#include "transfer_model.hpp"

// Several threads of every process take and give back memory at once: blocks, buffers and segments.
namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Threads, have_lists_and_blocks_of_their_own) {
  constexpr index_t count = 200;
  Segment segment(world(), all_threads() * count * 16, "lists");
  zero(segment, all_threads() * count * 16);
  Heap heap(world(), 1 << 20);
  compare_on_threads([&](int thread, Comparison& compared) {
    for (int round = 0; round < times(world(), 40, 6); ++round) {
      std::vector<std::int64_t> sent(count * 2), received(count * 2);
      const HeapPointer block = heap.allocate(64 * (thread + 1));
      std::memset(heap.address(block), thread + 1, at(64 * (thread + 1)));
      std::vector<Place> places;
      std::vector<std::byte*> from, into;
      // Each thread of each rank writes to its own part of every slice.
      const int owner = (world().rank() + round) % world().size();
      for (index_t i = 0; i < count; ++i) {
        sent[at(2 * i)] = number(thread) + round, sent[at(2 * i + 1)] = i;
        places.push_back({&segment, owner, (number(thread) * count + (i * 7) % count) * 16});
        from.push_back(reinterpret_cast<std::byte*>(&sent[at(2 * i)]));
        into.push_back(reinterpret_cast<std::byte*>(&received[at(2 * i)]));
      }
      const auto method = static_cast<VectorMethod>(round % 4);
      put({.run = 16, .remote = places, .local = from}, method);
      get({.run = 16, .remote = places, .local = into}, method);
      compared(std::pair("list"sv, round), sent, received);
      const Bytes marks(at(64 * (thread + 1)), static_cast<std::byte>(thread + 1));
      compare_bytes(compared, std::pair("block"sv, round), marks, {heap.address(block), marks.size()});
      heap.deallocate(block);
    }
    segment.flush();
  });
  EXPECT_EQ(heap.available(), 1 << 20);
  segment.sync();
}

// MPI allocates the memory, and not every thread level lets several threads call MPI.
TEST(Threads, have_local_buffers_where_mpi_may_be_called) {
  const bool allowed = runtime().thread_level() >= ThreadLevel::serialized;
  std::atomic<int> made = 0, refused = 0;
  std::vector<LocalBuffer<std::int64_t>> passed_on;
  for (int i = 0; i < threads; ++i) passed_on.emplace_back(1000);
  compare_on_threads([&](int thread, Comparison& compared) {
    LocalBuffer<std::int64_t> mine = std::move(passed_on[at(thread)]);  // freed by another thread than made it
    for (int round = 0; round < 100; ++round) {
      try {
        const LocalBuffer<std::int64_t> buffer(100 * (thread + 1) + round);
        std::fill(buffer.begin(), buffer.end(), number(thread));
        std::this_thread::yield();
        compared(round, buffer.size(), std::count(buffer.begin(), buffer.end(), number(thread)));
        ++made;
      } catch (const UsageError&) {
        ++refused;
      }
    }
    std::fill(mine.begin(), mine.end(), 1);
  });
  EXPECT_EQ(made, allowed ? 100 * threads : 0);
  EXPECT_EQ(refused, allowed ? 0 : 100 * threads);
  const LocalBuffer<double> after(10);
  EXPECT_EQ(after.size(), 10);
}

// A segment is dropped while another thread is in a collective call. It is freed only when its writes are done
// at the target and its reads have arrived.
TEST(Threads, give_memory_up_while_another_makes_some) {
  if (runtime().thread_level() < ThreadLevel::multiple)
    GTEST_SKIP() << "collective calls need MPI for themselves";
  constexpr int at_once = 4;
  const int rounds = times(world(), 1000, 60);
  const int right = (world().rank() + 1) % world().size();
  std::mutex guard;
  std::condition_variable changed;
  std::deque<Segment> given;
  bool is_over = false;
  // The values do not matter, but each transfer needs memory of its own: none is waited for.
  std::vector<std::int64_t> found(static_cast<std::size_t>(rounds) * at_once);
  std::thread user([&] {
    for (int i = 0;; ++i) {
      std::unique_lock lock(guard);
      changed.wait(lock, [&] { return is_over || !given.empty(); });
      if (given.empty()) return;
      Segment mine = std::move(given.front());
      given.pop_front();
      lock.unlock();
      mine.store<std::int64_t>(right, 8, i);
      if (i % 3 == 0)
        mine.get_async(right, 0, Strided::contiguous(8), &found[static_cast<std::size_t>(i)]).detach();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < at_once; ++i) {
      // Some in slabs, some with memory of their own.
      Segment segment(world(), i == 0 ? index_t{1} << 17 : 64, "given away");
      // The other ranks drop theirs at once, so rank 0 determines when the segment is freed.
      const std::lock_guard lock(guard);
      if (world().rank() == 0) given.push_back(std::move(segment));
      changed.notify_one();
    }
    world().sync();
  }
  {
    const std::lock_guard lock(guard);
    is_over = true;
    changed.notify_one();
  }
  user.join();
  world().sync();
  // All of it was freed.
  EXPECT_EQ(runtime().memory_in_use(), 0);
}

}  // namespace
