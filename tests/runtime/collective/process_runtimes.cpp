// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "process_runtimes.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <thread>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/error.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

namespace tessera::test {

bool exchange_works(const Group& group) {
  Segment segment(group, 8, "ring");
  const int right = (group.rank() + 1) % group.size();
  const std::int64_t mine = group.rank() + 1;
  std::int64_t found = 0;
  segment.put(right, 0, Strided::contiguous(8), &mine);
  segment.sync();
  segment.get(group.rank(), 0, Strided::contiguous(8), &found);
  return found == (group.rank() + group.size() - 1) % group.size() + 1;
}

int attach() {
  MPI_Init(nullptr, nullptr);
  int rank = 0, good = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  int sizes[2] = {0, 0};
  {
    Runtime runtime(MPI_COMM_WORLD);
    good &= static_cast<int>(exchange_works(runtime.world()));
    sizes[0] = runtime.world().size();
    good &= static_cast<int>(runtime.world().rank() == rank);
  }
  {
    Runtime runtime(reversed);
    good &= static_cast<int>(exchange_works(runtime.world()));
    sizes[1] = runtime.world().size();
    good &= static_cast<int>(runtime.world().rank() == sizes[1] - 1 - rank);
  }
  int finalized = 1, all = 0;
  MPI_Finalized(&finalized);
  MPI_Comm_free(&reversed);
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && all == 1) std::printf("attached to %d ranks, then to %d again\n", sizes[0], sizes[1]);
  MPI_Finalize();
  return finalized == 0 && all == 1 ? 0 : 1;
}

namespace {

// A batch for segments of both, and data of one that raises a flag of the other. The agents and regions of both
// have the same numbers.
bool they_stay_apart(const Runtime& one, const Runtime& other) {
  const int me = one.world().rank(), others = other.world().rank(), n = one.world().size();
  Segment first(one.world(), 64, "first"), second(other.world(), 64, "second");
  Flags flags(other.world(), 1);
  double* const mine = reinterpret_cast<double*>(first.address(me));
  double* const theirs = reinterpret_cast<double*>(second.address(others));
  std::fill_n(mine, 8, 0.0), std::fill_n(theirs, 8, 0.0);
  first.sync(), second.sync();
  const double x = 1, y = 2, z = 3;
  Batch batch;
  batch.put(first, (me + 1) % n, 8, &x, 8);
  batch.put(second, (others + 1) % n, 16, &y, 8);
  batch.send();
  first.sync(), second.sync();
  put_notify(first, (me + 1) % n, 24, Strided::contiguous(8), &z, flags.at((others + 1) % n, 0));
  flags.wait(0);
  first.sync(), second.sync();
  const std::vector<double> expected{0, 1, 0, 3, 0, 0, 0, 0}, beside{0, 0, 2, 0, 0, 0, 0, 0};
  const bool right =
      std::equal(mine, mine + 8, expected.begin()) && std::equal(theirs, theirs + 8, beside.begin());
  first.sync(), second.sync();
  return right;
}

// Rank 1 has one Runtime, and the others two. So they serve nodes when the second one starts, and rank 1 does
// not.
bool runtimes_of_different_processes_work(int rank) {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &part);
  std::optional<Runtime> of_some;
  if (part != MPI_COMM_NULL) of_some.emplace(part);
  bool good = true;
  {
    const Runtime of_all(MPI_COMM_WORLD);
    good = exchange_works(of_all.world());
    if (rank > 0) good = exchange_works(of_all.world().form(std::array{1, 2})) && good;
  }
  if (of_some) good = exchange_works(of_some->world()) && good;
  of_some.reset();
  if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
  return good;
}

}  // namespace

// Two libraries of one program, each with a Runtime. While a rank waits in the second Runtime, others access
// its memory through the first. This goes on after one Runtime has ended.
int two_runtimes() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0, good = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  const auto play = [&](const Runtime& asked, const Runtime& other) {
    const Group& world = asked.world();
    Segment segment(world, 8, "of the first"), in_between(other.world(), 8, "of the second");
    segment.store<std::int64_t>(world.rank(), 0, 40 + world.rank());
    segment.sync();
    for (int owner = 0; owner < world.size(); ++owner) {
      // All ranks read from one rank, which waits for them.
      if (world.rank() != owner) good &= static_cast<int>(segment.load<std::int64_t>(owner, 0) == 40 + owner);
      in_between.sync();
    }
    // Even ranks read through one Runtime and odd ranks through the other, so that all wait for each other.
    const auto next = (world.rank() + 1) % world.size();
    const Runtime& mine = world.rank() % 2 == 0 ? asked : other;
    Segment& there = world.rank() % 2 == 0 ? segment : in_between;
    for (int round = 0; round < 20; ++round)
      good &= static_cast<int>(there.load<std::int64_t>((mine.world().rank() + next) % world.size(), 0) >= 0);
    in_between.sync();
    segment.sync();
    good &= static_cast<int>(they_stay_apart(asked, other));
  };
  {
    const Runtime first(MPI_COMM_WORLD);
    {
      const Runtime second(reversed);
      play(first, second);
      play(second, first);
      const Runtime third(MPI_COMM_WORLD);
      play(first, third);
    }
    play(first, first);
    good &= static_cast<int>(exchange_works(first.world()));
  }
  good &= static_cast<int>(runtimes_of_different_processes_work(rank));
  int all = 0;
  MPI_Comm_free(&reversed);
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && all == 1) std::printf("both served\n");
  MPI_Finalize();
  return all == 1 ? 0 : 1;
}

int fail_with_two_runtimes() {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  const Runtime first(MPI_COMM_WORLD), second(reversed);
  { const Runtime third(reversed); }
  std::thread([&] {
    if (rank == 2) throw UsageError("deliberate failure");
  }).join();
  first.world().barrier();
  return 0;
}

namespace {

template <class F>
void print_refusal(const char* what, F&& start) {
  try {
    start();
    std::printf("%s: it started\n", what);
  } catch (const UsageError& error) {
    std::printf("%s: %s\n", what, error.what());
  }
}

}  // namespace

int outside_of_mpi(int argc, char** argv) {
  print_refusal("before", [] { const Runtime runtime(MPI_COMM_WORLD); });
  { const Runtime runtime(argc, argv); }
  print_refusal("after", [&] { const Runtime runtime(argc, argv); });
  print_refusal("attached after", [] { const Runtime runtime(MPI_COMM_WORLD); });
  return 0;
}

// The program starts MPI. Processes that serve end it for themselves, and do not come back for another Runtime.
int serve_in_a_running_mpi(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  bool good = false, leads = false;
  {
    const Runtime runtime(argc, argv);
    good = exchange_works(runtime.world());
    leads = runtime.world().rank() == 0;
    if (leads) std::printf("%d compute, %s\n", runtime.world().size(), good ? "right" : "wrong");
  }
  if (leads) print_refusal("another", [&] { const Runtime runtime(argc, argv); });
  MPI_Finalize();
  return good ? 0 : 1;
}

// A bad environment variable on one rank is an error on all ranks. The program can go on.
int start_attached() {
  MPI_Init(nullptr, nullptr);
  int rank = 0, refused = 0, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const Runtime runtime(MPI_COMM_WORLD);
  } catch (const UsageError& error) {
    refused = 1;
    if (rank == 0) std::printf("%s\n", error.what());
  }
  MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("refused on %d ranks\n", all);
  MPI_Finalize();
  return 0;
}

}  // namespace tessera::test
