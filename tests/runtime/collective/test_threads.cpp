// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <atomic>
#include <chrono>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_main.hpp"
#include "mpi_test.hpp"
#include "on_threads.hpp"
#include "transfer_model.hpp"

// Several threads of every process make one-sided operations at once. The first argument is the thread level
// asked of MPI. On one rank all threads share one mapping, so ThreadSanitizer can see their races.
namespace {

using namespace tessera;
using namespace tessera::test;

// Each thread has an area of its own in every slice, and a model of it.
TEST(Threads, see_their_own_operations_in_program_order) {
  constexpr index_t area = 16 * 24;
  Segment segment(world(), area * all_threads(), "ordered");
  zero(segment, area * all_threads());
  compare_on_threads([&](int thread, Comparison& compared) {
    Random random(300 + static_cast<std::uint64_t>(number(thread)));
    const index_t begin = area * number(thread);
    SliceModel model(world().size(), area);
    Bytes expected, local;
    for (int round = 0; round < times(world(), 400, 60); ++round) {
      const auto owner = static_cast<int>(pick(random, 0, world().size() - 1));
      const RandomTransfer transfer(random, area, 8);
      local = random_bytes(random, transfer.local_bytes);
      auto* place = local.data() + transfer.local_begin;
      const bool later = pick(random, 0, 1) == 1;
      switch (pick(random, 0, 2)) {
        case 0:
          model.put(owner, transfer.offset, transfer.shape, place);
          if (later) {
            segment.put_async(owner, begin + transfer.offset, transfer.shape, place).wait();
          } else {
            segment.put(owner, begin + transfer.offset, transfer.shape, place);
          }
          break;
        case 1: {
          const std::int64_t one = 1;
          for_each_pair<std::int64_t>(transfer.shape, model.place(owner, transfer.offset), place,
                                      [](std::int64_t old, std::int64_t value) {
                                        return static_cast<std::int64_t>(static_cast<std::uint64_t>(old) +
                                                                         static_cast<std::uint64_t>(value));
                                      });
          segment.accumulate(owner, begin + transfer.offset, transfer.shape, ElementKind::int64, &one, place);
          if (later) segment.flush(owner);
          break;
        }
        default:
          expected = local;
          model.get(owner, transfer.offset, transfer.shape, expected.data() + transfer.local_begin);
          if (later) {
            segment.get_async(owner, begin + transfer.offset, transfer.shape, place).wait();
          } else {
            segment.get(owner, begin + transfer.offset, transfer.shape, place);
          }
          compare_bytes(compared, std::pair(round, owner), expected, local);
      }
    }
    segment.flush();
  });
  segment.sync();
}

// Overlapping patches, and single values in them. The numbers are whole, so that the sum is exact.
TEST(Threads, updates_of_the_same_elements_are_all_there) {
  constexpr index_t rows = 40, columns = 60;
  Segment segment(world(), rows * columns * 8, "shared");
  zero(segment, rows * columns * 8);
  const int rounds = times(world(), 60, 6);
  on_threads([&](int thread) {
    Random random(500 + static_cast<std::uint64_t>(number(thread)));
    const std::vector<double> ones(at(rows * columns), 1.0);
    const double alpha = 2, half = 0.5;
    std::vector<Request> left;  // for the flush to complete
    for (int round = 0; round < rounds; ++round) {
      for (int step = 0; step < world().size(); ++step) {
        const int owner = (number(thread) + step) % world().size();
        // The patch in two halves by columns, then at once, and then one more to each of 20 elements.
        const index_t half_rows = rows / 2;
        const Strided upper{.run = half_rows * 8,
                            .levels = 1,
                            .count = {columns},
                            .remote_stride = {rows * 8},
                            .local_stride = {half_rows * 8}};
        segment.accumulate(owner, 0, upper, ElementKind::float64, &alpha, ones.data());
        segment.accumulate(owner, half_rows * 8, upper, ElementKind::float64, &alpha, ones.data());
        left.push_back(segment.accumulate_async(owner, 0, Strided::contiguous(rows * columns * 8),
                                                ElementKind::float64, &half, ones.data()));
        for (index_t i = 0; i < 20; ++i) {
          double old = 0;
          segment.fetch_add(owner, i * 37 * 8, ElementKind::float64, ones.data(), &old);
        }
      }
    }
    segment.flush();
  });
  segment.sync();
  const auto found = own_slice(segment, rows * columns * 8);
  Comparison compared;
  for (index_t i = 0; i < rows * columns; ++i) {
    double value = 0;
    std::memcpy(&value, found.data() + i * 8, 8);
    const double each = 2.5 + (i % 37 == 0 && i / 37 < 20 ? 1.0 : 0.0);
    compared(i, each * rounds * all_threads(), value);
  }
  EXPECT_TRUE(compared.equal());
  segment.sync();
}

TEST(Threads, tickets_are_given_out_once) {
  Scalars<std::int64_t> counter(world(), 1, "tickets");
  Segment segment(world(), 8, "tickets");
  zero(segment, 8);
  const int each = times(world(), 2000, 50);
  std::vector<std::vector<std::int64_t>> drawn(threads);
  on_threads([&](int thread) {
    for (int i = 0; i < each; ++i) {
      drawn[at(thread)].push_back(counter.fetch_add(0, 0, 1));
      std::int64_t old = 0;
      const std::int64_t one = 1;
      segment.fetch_add(0, 0, ElementKind::int64, &one, &old);
      drawn[at(thread)].push_back(-1 - old);
    }
  });
  world().sync();
  std::set<std::int64_t> seen;
  std::int64_t sums[2] = {0, 0};  // of all ranks together
  for (const auto& list : drawn) {
    for (const std::int64_t ticket : list) {
      EXPECT_TRUE(seen.insert(ticket).second) << ticket;
      sums[ticket < 0 ? 1 : 0] += ticket < 0 ? -1 - ticket : ticket;
    }
  }
  const std::int64_t total = std::int64_t{each} * all_threads();
  world().all_reduce(std::span<std::int64_t>(sums), Reduce::sum);
  EXPECT_EQ(sums[0], total * (total - 1) / 2);
  EXPECT_EQ(sums[1], total * (total - 1) / 2);
  EXPECT_EQ(counter.load(0, 0), total);
  world().sync();
}

// A plain counter that is right only if no other thread is in the section.
TEST(Threads, mutexes_let_one_in) {
  Mutexes mutexes(world(), 2, world().size() - 1);
  Segment segment(world(), 16, "guarded");
  zero(segment, 16);
  const int each = times(world(), 300, 20);
  on_threads([&](int thread) {
    for (int i = 0; i < each; ++i) {
      const index_t which = (thread + i) % 2;
      mutexes.lock(which);
      const auto value = segment.load<std::int64_t>(0, which * 8);
      segment.store<std::int64_t>(0, which * 8, value + 1);
      segment.flush(0);
      mutexes.unlock(which);
    }
  });
  segment.sync();
  EXPECT_EQ(segment.load<std::int64_t>(0, 0) + segment.load<std::int64_t>(0, 8),
            std::int64_t{each} * all_threads());
  segment.sync();
}

// Thread t of every rank sends to thread t of the next, all at once; the answer lets it send again.
TEST(Threads, flags_tell_that_data_has_come) {
  constexpr index_t count = 3000;
  Segment segment(world(), threads * count * 8, "arrivals");
  Flags arrived(world(), threads, "arrived"), taken(world(), threads, "taken");
  const int size = world().size(), right = (world().rank() + 1) % size,
            left = (world().rank() + size - 1) % size;
  compare_on_threads([&](int thread, Comparison& compared) {
    std::vector<double> data(count), found(count);
    for (int round = 0; round < times(world(), 60, 10); ++round) {
      for (index_t i = 0; i < count; ++i)
        data[at(i)] = 1e7 * world().rank() + 1e4 * thread + round + static_cast<double>(i);
      put_notify(segment, right, thread * count * 8, Strided::contiguous(count * 8), data.data(),
                 arrived.at(right, thread));
      arrived.wait(thread);
      segment.get(world().rank(), thread * count * 8, Strided::contiguous(count * 8), found.data());
      for (index_t i = 0; i < count; ++i)
        compared(std::pair(round, i), 1e7 * left + 1e4 * thread + round + static_cast<double>(i), found[at(i)]);
      taken.notify(left, thread);
      taken.wait(thread);
    }
  });
  segment.sync();
}

TEST(Threads, requests_are_many_and_statistics_count_them_all) {
  constexpr int each = 300;
  Segment segment(world(), index_t{threads} * each * 8, "requests");
  const Statistics before = segment.statistics();
  compare_on_threads([&](int thread, Comparison& compared) {
    std::vector<std::int64_t> sent(each), received(each, -1);
    std::vector<Request> requests;
    const int owner = (world().rank() + 1) % world().size();
    auto place = [&](int i) { return (index_t{each} * thread + i) * 8; };
    for (int i = 0; i < each; ++i) {
      sent[at(i)] = number(thread) * each + i;
      requests.push_back(segment.put_async(owner, place(i), Strided::contiguous(8), &sent[at(i)]));
    }
    wait_all(requests);
    requests.clear();
    for (int i = 0; i < each; ++i)
      requests.push_back(segment.get_async(owner, place(i), Strided::contiguous(8), &received[at(i)]));
    while (!requests.empty()) {
      if (requests.back().test()) requests.pop_back();
    }
    for (int i = 0; i < each; ++i) compared(i, sent[at(i)], received[at(i)]);
  });
  const Statistics after = segment.statistics();
  for (const Operation operation : {Operation::put, Operation::get}) {
    std::uint64_t operations = 0, bytes = 0;
    for (const Path path : {Path::node, Path::window, Path::agent}) {
      operations += after.of(path, operation).operations - before.of(path, operation).operations;
      bytes += after.of(path, operation).bytes - before.of(path, operation).bytes;
    }
    EXPECT_EQ(operations, std::uint64_t{threads} * each) << to_string(operation);
    EXPECT_EQ(bytes, std::uint64_t{threads} * each * 8) << to_string(operation);
  }
  segment.sync();
}

// The thread that made a wrong call gets the error. The other threads go on.
TEST(Threads, mistakes_are_thrown_where_they_are_made) {
  Segment segment(world(), 64, "mistakes");
  zero(segment, 64);
  std::atomic<int> thrown = 0;
  on_threads([&](int thread) {
    for (int i = 0; i < 50; ++i) {
      const std::int64_t value = i;
      try {
        segment.put(world().rank(), thread % 2 == 0 ? 8 * thread : 64, Strided::contiguous(8), &value);
      } catch (const UsageError&) {
        ++thrown;
      }
    }
  });
  EXPECT_EQ(thrown, 50 * threads / 2);
  EXPECT_EQ(segment.load<std::int64_t>(world().rank(), 0), 49);
  EXPECT_EQ(segment.load<std::int64_t>(world().rank(), 16), 49);
  segment.sync();
}

// Rank 1 holds a mutex until it has a message. Rank 0's main thread has sent the message, and waits for the
// mutex behind another thread of its process.
TEST(Threads, that_wait_for_a_mutex_let_messages_go_on) {
  if (world().size() == 1 || world().node_count() > 1) GTEST_SKIP() << "two ranks of one node send a message";
  constexpr int count = 20'000'000;
  Mutexes mutexes(world(), 1);
  std::vector<char> message(world().rank() < 2 ? count : 0);
  if (world().rank() == 1) mutexes.lock(0);
  world().barrier();
  if (world().rank() == 1) {
    MPI_Recv(message.data(), count, MPI_CHAR, 0, 0, world().mpi_comm(), MPI_STATUS_IGNORE);
    mutexes.unlock(0);
  } else if (world().rank() == 0) {
    std::thread other([&] {
      mutexes.lock(0);
      mutexes.unlock(0);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(message.data(), count, MPI_CHAR, 1, 0, world().mpi_comm(), &sent);
    mutexes.lock(0);
    mutexes.unlock(0);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    other.join();
  }
  world().sync();
}

// A thread that may not call MPI is refused before it has touched the mutex.
TEST(Threads, that_may_not_lock_leave_the_mutex_free) {
  Segment segment(world(), 8, "others");
  Mutexes mutexes(world(), 1);
  bool may = true;
  std::thread([&] {
    try {
      static_cast<void>(segment.load<std::int64_t>((world().rank() + 1) % world().size(), 0));
    } catch (const UsageError&) {
      may = false;
    }
    if (may) return;
    EXPECT_THROW(mutexes.lock(0), UsageError);
    EXPECT_THROW(mutexes.try_lock(0), UsageError);
  }).join();
  world().sync();
  mutexes.lock(0);
  if (!may) std::thread([&] { EXPECT_THROW(mutexes.unlock(0), UsageError); }).join();
  mutexes.unlock(0);
  world().sync();
}

// On its node it may lock, even while the main thread has operations between nodes under way.
TEST(Threads, that_may_not_call_mpi_lock_on_their_node) {
  Segment segment(world(), 8, "others");
  Mutexes mutexes(world().node(), 1);
  const std::int64_t mine = world().rank();
  segment.put((world().rank() + 1) % world().size(), 0, Strided::contiguous(8), &mine);
  std::thread([&] {
    mutexes.lock(0);
    EXPECT_NO_THROW(mutexes.unlock(0));
  }).join();
  mutexes.lock(0);
  mutexes.unlock(0);
  segment.sync();
  EXPECT_EQ(segment.load<std::int64_t>(world().rank(), 0), (mine + world().size() - 1) % world().size());
  segment.sync();
  mutexes.close();  // no other collective call of the node's group would free them
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string_view asked = argc > 1 ? argv[1] : "";
  ThreadLevel level = ThreadLevel::funneled;
  for (const ThreadLevel known : {ThreadLevel::funneled, ThreadLevel::serialized, ThreadLevel::multiple}) {
    if (asked == to_string(known)) level = known;
  }
  Runtime runtime(argc, argv, {.threads = level});
  if (runtime.thread_level() < level) return 1;
  return run_all(runtime);
}
