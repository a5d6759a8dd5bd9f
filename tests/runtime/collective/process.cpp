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

#include "process_runtimes.hpp"
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
