// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/error.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/runtime/segment.hpp>

#include "process_waits.hpp"

// Things that happen to whole processes, in one program. The argument chooses one of them.
namespace {

using namespace tessera;
using namespace tessera::test;

void fail_on_one_rank(const Group& world) {
  Segment segment(world, 1 << 20, "open");
  if (world.rank() == 1) throw UsageError("deliberate failure");
  world.barrier();  // the other ranks never return from here
}

// Puts to the next rank and checks what came from the rank before.
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

template <class F>
void print_refusal(const char* what, F&& start) {
  try {
    start();
    std::printf("%s: it started\n", what);
  } catch (const UsageError& error) {
    std::printf("%s: %s\n", what, error.what());
  }
}

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

// A thread that may not call MPI destroys a request. The transfer must not go on into memory that is freed.
int request_on_thread(const Group& world) {
  constexpr index_t bytes = 1 << 20;
  Segment segment(world, bytes, "asked");
  if (world.rank() == 0) {
    std::vector<std::byte> data(bytes);
    Request request = segment.get_async(1, 0, Strided::contiguous(bytes), data.data());
    std::thread([moved = std::move(request)] {}).join();
    std::printf("the request went, and its transfer goes on\n");
  } else {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  segment.sync();
  return 0;
}

// Requests that outlive the Runtime must not access it.
int request_after_end(int argc, char** argv) {
  std::vector<Request> requests;
  constexpr index_t bytes = 1 << 20, count = 4;
  std::vector<std::byte> data(bytes * count);
  int rank = 0;
  {
    const Runtime runtime(argc, argv);
    const Group& world = runtime.world();
    rank = world.rank();
    Segment segment(world, bytes, "asked");
    const int next = (rank + 1) % world.size();
    for (index_t i = 0; i < count; ++i)
      requests.push_back(segment.get_async(next, 0, Strided::contiguous(bytes), data.data() + i * bytes));
  }
  bool done = true;
  for (Request& request : requests) done = done && request.test();
  requests.clear();
  if (rank == 0 && done) std::printf("done, and nothing was touched\n");
  return done ? 0 : 1;
}

template <class E>
int refused_everywhere(const Group& world, index_t bytes, const SegmentOptions& options = {.name = "refused"}) {
  std::string message;
  try {
    Segment segment(world, bytes, options);
  } catch (const E& error) {
    message = error.what();
  }
  const bool all = world.all_reduce(message.empty() ? 0 : 1, Reduce::min) == 1;
  if (world.rank() == 0 && all) std::printf("refused on every rank: %s\n", message.c_str());
  return all ? 0 : 1;
}

// Agents do everything. Only MPI's domain of atomicity is not available.
int no_window(const Runtime& runtime, const Group& world) {
  Segment segment(world, 64, "works");
  segment.store(world.size() - 1, 8 * (world.rank() % 8), 1.5);
  segment.flush();
  const bool works = segment.load<double>(world.size() - 1, 8 * (world.rank() % 8)) == 1.5;
  segment.sync();
  if (world.rank() == 0) std::printf("%s\n", runtime.description().c_str());
  const int refused =
      refused_everywhere<WindowError>(world, 1 << 20, {.name = "refused", .domain = AtomicDomain::mpi});
  return works ? refused : 1;
}

int memory_limit(const Runtime& runtime) {
  const Group& world = runtime.world();
  const int refused = refused_everywhere<MemoryError>(world, index_t{32} << 20);
  Segment segment(world, index_t{8} << 20, "granted");
  bool is_right = runtime.memory_left().process == index_t{8} << 20;
  // Small segments of one group share a megabyte; each group has its own.
  const Segment small(world, 64, "small"), another(world, 64, "another");
  is_right = is_right && runtime.memory_left().process == index_t{7} << 20;
  Group copy = world.split(0);
  std::optional<Segment> of_copy(std::in_place, copy, 64, "of the copy");
  is_right = is_right && runtime.memory_left().process == index_t{6} << 20;
  of_copy.reset();
  copy.close();
  is_right = is_right && runtime.memory_left().process == index_t{7} << 20;
  if (world.all_reduce(int{is_right}, Reduce::min) == 1 && world.rank() == 0)
    std::printf("and 8 MiB were granted, 8 MiB are left\n");
  return refused;
}

void kill_one(const Group& world) {
  Segment large(world, 1 << 20, "large");
  Segment small(world, 64, "small");
  world.barrier();
  if (world.rank() == 1) {
    std::printf("rank 1 kills itself\n");
    std::fflush(stdout);
    std::raise(SIGKILL);
  }
  world.barrier();
}

// Every rank is in a transfer with rank 1, or about to be, when rank 1 is killed.
void kill_in_transfer(const Group& world) {
  constexpr index_t bytes = 1 << 20;
  Segment segment(world, bytes, "blocks");
  world.barrier();
  if (world.rank() == 1) {
    std::printf("rank 1 kills itself\n");
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::raise(SIGKILL);
  }
  std::vector<std::byte> data(bytes);
  for (;;) {
    segment.put(1, 0, Strided::contiguous(bytes), data.data());
    segment.get(1, 0, Strided::contiguous(8), data.data());
    segment.flush(1);
  }
}

// The bytes of this process that are not shared.
index_t private_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stoll(line.substr(8)) << 10;
  }
  return -1;
}

// Far more ranks than cores. Each rank communicates with a few of them.
int many_ranks(const Group& world) {
  constexpr index_t bytes = 1 << 18;
  Segment segment(world, bytes, "shared");
  auto* mine = reinterpret_cast<std::int64_t*>(segment.address(world.rank()));
  std::fill(mine, mine + bytes / 8, 0);
  segment.sync();
  const index_t before = private_bytes();
  const std::int64_t one = 1;
  std::vector<std::int64_t> block(bytes / 8 - 1, world.rank());
  const Strided all = Strided::contiguous(bytes - 8);
  std::int64_t differences = 0;
  for (const int distance : {1, 5, 21}) {
    const int target = (world.rank() + distance) % world.size();
    std::int64_t old = 0;
    segment.fetch_add(target, 0, ElementKind::int64, &one, &old);
    segment.accumulate(target, 8, all, ElementKind::int64, &one, block.data());
    segment.flush(target);
  }
  segment.sync();
  const int n = world.size(), r = world.rank();
  const std::int64_t sum = (r + n - 1) % n + (r + n - 5) % n + (r + n - 21) % n;
  for (index_t i = 0; i < bytes / 8; ++i) {
    const std::int64_t expected = i == 0 ? 3 : sum;
    if (mine[i] != expected && differences++ == 0)
      std::printf("rank %d, word %lld: expected %lld, found %lld\n", r, static_cast<long long>(i),
                  static_cast<long long>(expected), static_cast<long long>(mine[i]));
  }
  const index_t grown = world.all_reduce(private_bytes() - before, Reduce::max);
  if (world.all_reduce(differences, Reduce::sum) != 0) return 1;
  if (r == 0)
    std::printf("%d ranks on %d nodes: right, and %lld KiB more memory\n", n, world.node_count(),
                static_cast<long long>(grown >> 10));
  // Slots, buffers and connections for three targets, not for all ranks.
  return grown <= index_t{12} << 20 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "attach") return attach();
  if (what == "two-runtimes") return two_runtimes();
  if (what == "fail-with-two") return fail_with_two_runtimes();
  if (what == "outside-of-mpi") return outside_of_mpi(argc, argv);
  if (what == "start-attached") return start_attached();
  if (what == "serve-in-a-running-mpi") return serve_in_a_running_mpi(argc, argv);
  if (what == "request-after-end") return request_after_end(argc, argv);
  if (what == "pass-runtime") {
    try {
      Runtime runtime(argc, argv);
      fail_on_one_rank(runtime.world());
    } catch (const std::exception&) {
      // Too late: the other ranks are waiting.
    }
    return 0;
  }
  Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  if (what == "leave-main") fail_on_one_rank(world);
  if (what == "memory-limit") return memory_limit(runtime);
  if (what == "no-window") return no_window(runtime, world);
  if (what == "request-on-thread") return request_on_thread(world);
  if (what == "kill-one") kill_one(world);
  if (what == "kill-in-transfer") kill_in_transfer(world);
  if (what == "many-ranks") return many_ranks(world);
  if (what == "stand-still-in-calls") return stand_still_in_calls(world);
  if (what == "stand-still-in-a-message") return stand_still_in_a_message(world);
  if (what == "stand-still-at-a-flag") return stand_still_at_a_flag(world);
  if (what == "stand-still-at-a-mutex") return stand_still_at_a_mutex(world);
  if (what == "put-and-receive") return put_and_receive(world);
  if (what == "work-on") return work_on(world);
  if (what == "mode") {
    const auto mode = static_cast<int>(runtime.progress());
    const bool agreed = world.all_reduce(mode, Reduce::min) == world.all_reduce(mode, Reduce::max);
    if (world.rank() == 0)
      std::printf("%s on %d nodes, %s\n", to_string(runtime.progress()), world.node_count(),
                  agreed ? "the same everywhere" : "but not everywhere");
    return 0;
  }
  return what == "start" ? 0 : 2;
}
