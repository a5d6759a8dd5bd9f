// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

#include "mpi_test.hpp"
#include "transfer_model.hpp"

// One-sided operations on a process that computes, or that waits for another process in MPI.
namespace {

using namespace tessera;
using namespace tessera::test;

bool needs_calls() { return runtime().progress() == ProgressMode::poll; }

// The ranks other than 0 make no call until rank 0 has finished all its operations on them.
TEST(Progress, operations_on_ranks_that_compute_are_done) {
  if (needs_calls()) return;
  constexpr index_t large = 1 << 20, bytes = 2 * large + 64;
  const Group& all = world();
  Segment segment(all, bytes, "busy");
  Scalars<std::int64_t> scalars(all, 1);
  zero(segment, bytes);
  all.barrier();
  if (all.rank() == 0) {
    Random random(1);
    const Bytes data = random_bytes(random, large);
    Bytes found(large);
    const std::int64_t one = 1;
    for (int rank = 1; rank < all.size(); ++rank) {
      segment.put(rank, 64, Strided::contiguous(large), data.data());
      segment.flush(rank);
      segment.get(rank, 64, Strided::contiguous(large), found.data());
      EXPECT_TRUE(same_bytes(data, found));
      const Strided strided{.run = 8, .levels = 1, .count = {1000}, .remote_stride = {16}, .local_stride = {8}};
      segment.accumulate(rank, 64 + large, strided, ElementKind::int64, &one, data.data());
      std::int64_t old = 0;
      for (int i = 0; i < 100; ++i) {
        segment.fetch_add(rank, 8, ElementKind::int64, &one, &old);
        EXPECT_EQ(old, i);
        EXPECT_EQ(scalars.fetch_add(rank, 0, 1), i);
      }
      Request later = segment.get_async(rank, 64 + large, strided, found.data());
      later.wait();
      EXPECT_TRUE(same_bytes({data.data(), 8000}, {found.data(), 8000}));
      segment.store(rank, 0, std::int64_t{1});
      segment.flush(rank);
    }
  } else {
    const std::atomic_ref<std::int64_t> released(*reinterpret_cast<std::int64_t*>(segment.address(all.rank())));
    while (released.load() == 0) std::this_thread::yield();
    EXPECT_EQ(*reinterpret_cast<std::int64_t*>(segment.address(all.rank()) + 8), 100);
  }
  segment.sync();
}

// Small operations are gathered until the program waits. They are sent even if it never waits.
TEST(Progress, a_store_that_nobody_flushes_arrives) {
  if (runtime().progress() != ProgressMode::thread && runtime().progress() != ProgressMode::spin) return;
  const Group& all = world();
  Segment segment(all, 64, "unflushed");
  zero(segment, 64);
  segment.sync();
  const int right = (all.rank() + 1) % all.size();
  segment.store(right, 0, std::int64_t{1});
  const std::atomic_ref<std::int64_t> came(*reinterpret_cast<std::int64_t*>(segment.address(all.rank())));
  while (came.load() == 0) std::this_thread::yield();
  segment.sync();
}

// Data with a notification is mostly waited for, so no agent is woken for it at once. It arrives even if its
// owner computes. All ranks but 0 make no call between their put and the end of what comes from rank 0.
TEST(Progress, data_with_a_notification_arrives_while_its_owner_computes) {
  if (needs_calls()) return;
  const Group& all = world();
  for (const index_t bytes : {index_t{100}, index_t{1} << 16, index_t{300'000}, index_t{1} << 20}) {
    Segment segment(all, 2 * bytes + 8, "for a process that computes");
    Flags flags(all, 2);
    zero(segment, 2 * bytes + 8);
    all.barrier();
    const Bytes data(at(bytes), static_cast<std::byte>(1 + all.rank()));
    const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
    // When this returns, the data of the left rank may be on its way.
    put_notify(segment, right, 8, Strided::contiguous(bytes), data.data(), flags.at(right, 0));
    if (all.rank() == 0) {
      flags.wait(0);
      for (int rank = 1; rank < all.size(); ++rank) {
        put_notify(segment, rank, 8 + bytes, Strided::contiguous(bytes), data.data(), flags.at(rank, 1));
        segment.store(rank, 0, std::int64_t{1});
        segment.flush(rank);
      }
    } else {
      const std::atomic_ref<std::int64_t> released(
          *reinterpret_cast<std::int64_t*>(segment.address(all.rank())));
      while (released.load() == 0) std::this_thread::yield();
      flags.wait(0);
      flags.wait(1);
    }
    const std::byte* const mine = segment.address(all.rank()) + 8;
    EXPECT_EQ(std::count(mine, mine + bytes, static_cast<std::byte>(1 + left)), bytes);
    if (all.rank() != 0) {
      EXPECT_EQ(std::count(mine + bytes, mine + 2 * bytes, std::byte{1}), bytes);
    }
    segment.sync();
  }
}

// A program may use its own blocking calls of MPI. Each rank waits in one for a rank that is in a one-sided
// call to it.
TEST(Progress, ranks_in_blocking_calls_of_mpi_are_served) {
  if (needs_calls() || world().size() == 1) return;
  const Group& all = world();
  constexpr index_t bytes = 1 << 18;
  Segment segment(all, bytes, "beside");
  zero(segment, bytes);
  MPI_Comm comm = all.mpi_comm();
  const int right = (all.rank() + 1) % all.size(), left = (all.rank() + all.size() - 1) % all.size();
  Bytes data(bytes, std::byte{7}), found(bytes);
  for (int turn = 0; turn < all.size() && turn < 3; ++turn) {
    for (int round = 0; round < 10; ++round) {
      int token = round;
      if (all.rank() == turn) {
        segment.put(right, 0, Strided::contiguous(bytes), data.data());
        segment.get(right, 0, Strided::contiguous(bytes), found.data());
        EXPECT_TRUE(same_bytes(data, found));
        MPI_Send(&token, 1, MPI_INT, right, 5, comm);
        MPI_Recv(&token, 1, MPI_INT, left, 5, comm, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(&token, 1, MPI_INT, left, 5, comm, MPI_STATUS_IGNORE);
        segment.get(right, 0, Strided::contiguous(bytes), found.data());
        MPI_Send(&token, 1, MPI_INT, right, 5, comm);
      }
      EXPECT_EQ(token, round);
    }
    MPI_Barrier(comm);
  }
  segment.sync();
}

// A rank that waits for its node serves other nodes meanwhile, if no agent does. Rank 0 waits for its mate, the
// mate for a stranger, and the stranger for rank 0.
TEST(Progress, ranks_that_wait_for_their_node_serve_other_nodes) {
  const Group& all = world();
  int mate = -1, stranger = -1;
  for (int rank = 1; rank < all.size(); ++rank) {
    int& found = all.node_of(rank) == all.node_of(0) ? mate : stranger;
    if (found < 0) found = rank;
  }
  if (mate < 0 || stranger < 0) GTEST_SKIP() << "needs two ranks of a node, and another node";
  constexpr index_t bytes = 1 << 16;
  Segment segment(all, bytes, "waited for");
  Flags flags(all, 1);
  zero(segment, bytes);
  all.barrier();
  const Group node = all.node();
  for (int round = 0; round < 10; ++round) {
    if (all.rank() == stranger) {
      Bytes data(bytes, static_cast<std::byte>(round)), found(bytes);
      segment.put(0, 0, Strided::contiguous(bytes), data.data());
      segment.get(0, 0, Strided::contiguous(bytes), found.data());
      EXPECT_TRUE(same_bytes(data, found));
      flags.notify(mate, 0);
    }
    if (all.rank() == mate) flags.wait(0);
    if (all.node_of(all.rank()) == all.node_of(0)) {
      const Segment meeting(node, 64, "meeting");
      node.sync();
    }
  }
  all.sync();
  segment.sync();
}

// A flush is requested only where one is needed. Operations in flight in one segment cause no flush of another
// segment.
TEST(Progress, a_flush_is_requested_only_where_one_is_needed) {
  const Group& all = world();
  Segment a(all, 1 << 20, "a"), b(all, 1 << 20, "b");
  zero(a, 1 << 20);
  zero(b, 1 << 20);
  const bool by_agent = path_to(a, all.size() - 1, true) == Path::agent;
  if (all.rank() == 0 && by_agent) {
    const int target = all.size() - 1;
    std::vector<double> data(1 << 16, 1.5), found(1 << 16);
    const double one = 1;
    const Strided shape = Strided::contiguous(1 << 19);
    const auto begin_a = a.statistics().flushes, begin_b = b.statistics().flushes;
    for (int i = 0; i < 20; ++i) {
      a.accumulate(target, 0, shape, ElementKind::float64, &one, data.data());
      b.get(target, 0, shape, found.data());
      a.get(target, 0, shape, found.data());
      a.put(target, 0, shape, data.data());
      a.put(target, 0, shape, data.data());
    }
    EXPECT_EQ(found[100], data[100] * (1 + 1)) << "the last accumulate onto the last put";
    a.order_local_access();  // is about this node alone
    EXPECT_EQ(a.statistics().flushes - begin_a, 0U);
    EXPECT_EQ(b.statistics().flushes - begin_b, 0U);
    a.flush(target);
    EXPECT_EQ(a.statistics().flushes - begin_a, 1U);
    a.flush(target);
    a.flush();
    b.flush();
    EXPECT_EQ(a.statistics().flushes - begin_a, 1U);
    EXPECT_EQ(b.statistics().flushes - begin_b, 0U);
    a.put(target, 0, shape, data.data());
    a.complete_and_order();
    EXPECT_EQ(a.statistics().flushes - begin_a, 2U);
    EXPECT_GE(runtime().statistics().flushes, a.statistics().flushes);
  }
  a.sync();
  b.sync();
}

// A flag arrives after all earlier puts, not only after the put that belongs to it.
TEST(Progress, a_flag_arrives_after_all_earlier_puts) {
  const Group& all = world();
  constexpr index_t bytes = 1 << 20;
  Segment segment(all, bytes + 8, "halo");
  Flags flags(all, 1);
  zero(segment, bytes + 8);
  const int right = (all.rank() + 1) % all.size();
  for (int round = 1; round <= 10; ++round) {
    const Bytes data(bytes, static_cast<std::byte>(round));
    Request request = segment.put_async(right, 8, Strided::contiguous(bytes), data.data());
    const std::int64_t small = round;
    put_notify(segment, right, 0, Strided::contiguous(8), &small, flags.at(right, 0));
    flags.wait(0);
    const std::byte* mine = segment.address(all.rank());
    EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(mine), round);
    EXPECT_EQ(std::count(mine + 8, mine + 8 + bytes, static_cast<std::byte>(round)), bytes);
    request.wait();
    all.barrier();
  }
  segment.sync();
}

index_t resident_kibibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
  }
  return 0;
}

// A sender that is faster than its target is slowed down. Neither side keeps data that it cannot deliver.
TEST(Progress, a_flood_of_small_puts_does_not_pile_up) {
  const Group& all = world();
  constexpr index_t run = 1024, places = 64, puts = 60000;  // 60 MB in all
  Segment segment(all, run * places, "flooded");
  zero(segment, run * places);
  const index_t before = resident_kibibytes();
  if (all.rank() == 0) {
    Bytes data(run);  // one buffer: the sanitizers keep what is freed
    for (index_t i = 0; i < puts; ++i) {
      std::fill(data.begin(), data.end(), static_cast<std::byte>(i % 251));
      segment.put(all.size() - 1, run * (i % places), Strided::contiguous(run), data.data());
    }
  }
  segment.sync();
  EXPECT_LT(resident_kibibytes() - before, 24 * 1024);
  for (index_t place = 0; place < places && all.rank() == all.size() - 1; ++place) {
    const index_t last = (puts - 1 - place) / places * places + place;
    EXPECT_EQ(segment.load<std::byte>(all.rank(), run * place), static_cast<std::byte>(last % 251));
  }
  segment.sync();
}

}  // namespace
