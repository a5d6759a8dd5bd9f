// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// What a model of a parallel program needs of a machine: the time of a computation, of the memory, of a message
// to a neighbour, of a reduction, and of a counter. benchmarks/scaling reads them.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

#include "compute.hpp"
#include "session.hpp"
#include "triad.hpp"

namespace tessera::benchmark::constants {
namespace {

constexpr index_t steps = 100'000;
constexpr index_t kib = 1024, mib = 1024 * kib;

class Program {
 public:
  explicit Program(Session& session)
      : session_(session),
        world_(session.world()),
        next_((world_.rank() + 1) % world_.size()),
        before_((world_.rank() + world_.size() - 1) % world_.size()) {}

  void operator()() {
    row("a computation without memory", repeat([] { compute(steps); }));
    const auto triad = std::make_shared<Triad>(static_cast<std::size_t>(64 * mib / world_.size()) / 32);
    row("64 MiB of all ranks' memory", repeat([triad] { (*triad)(); }), 64.0 * mib);
    random_words();
    row("a barrier", repeat([this] { world_.barrier(); }));
    row("a reduction of 8 B", repeat([this] { static_cast<void>(world_.all_reduce(1.0, Reduce::sum)); }));
    row("a computation and a reduction of 8 B", repeat([this] {
          compute(steps);
          static_cast<void>(world_.all_reduce(1.0, Reduce::sum));
        }));
    for (const index_t bytes : {8 * index_t{1}, 64 * kib, mib}) exchange(bytes);
    for (const index_t bytes : {8 * index_t{1}, 64 * kib, mib}) get(bytes);
    Scalars<index_t> counter(world_, 1, "counter");
    row("a number from one counter, drawn by all ranks at once",
        repeat([&counter] { static_cast<void>(counter.fetch_add(0, 0, 1)); }));
    world_.sync();
  }

 private:
  void row(const std::string& name, const Routine& routine, double bytes = 0.0) {
    session_.compare({.section = "constants",
                      .name = name,
                      .routine = routine,
                      .bytes = bytes,
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     {});
  }

  // All ranks of a node change words at random places of each other's memory, atomically.
  void random_words() {
    const index_t words = 128 * mib / 8 / world_.size();
    Segment memory(world_, words * 8, "random words");
    std::vector<std::uint64_t*> parts;
    for (int rank = 0; rank < world_.size(); ++rank) {
      std::byte* part = memory.address(rank);
      if (part != nullptr) parts.push_back(reinterpret_cast<std::uint64_t*>(part));
    }
    std::fill_n(reinterpret_cast<std::uint64_t*>(memory.address(world_.rank())), words, 0);
    world_.sync();
    const auto some = static_cast<std::uint64_t>(words), count = static_cast<std::uint64_t>(parts.size());
    row("1,024 random words of 128 MiB", repeat([&, random = std::uint64_t(world_.rank() + 1)]() mutable {
          for (int i = 0; i < 1024; ++i) {
            random = random * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
            const std::uint64_t place = (random >> 20) % (some * count);
            std::atomic_ref(parts[place / some][place % some]).fetch_xor(random, std::memory_order_relaxed);
          }
        }));
    world_.sync();
  }

  // Each rank puts to both neighbours of a ring, and waits for what they put.
  void exchange(index_t bytes) {
    Segment memory(world_, 2 * bytes, "what has come");
    Flags flags(world_, 2, "has come");
    const std::vector<std::byte> data(static_cast<std::size_t>(bytes), std::byte{1});
    world_.sync();
    row("an exchange with both neighbours, " + format_bytes(bytes) + " each", repeat([&, bytes] {
          put_notify(memory, next_, 0, Strided::contiguous(bytes), data.data(), flags.at(next_, 0));
          put_notify(memory, before_, bytes, Strided::contiguous(bytes), data.data(), flags.at(before_, 1));
          flags.wait(0);
          flags.wait(1);
        }));
    if (bytes == 8) {
      row("a computation and an exchange with both neighbours, 8 B each", repeat([&, bytes] {
            put_notify(memory, next_, 0, Strided::contiguous(bytes), data.data(), flags.at(next_, 0));
            put_notify(memory, before_, bytes, Strided::contiguous(bytes), data.data(), flags.at(before_, 1));
            compute(steps);
            flags.wait(0);
            flags.wait(1);
          }));
    }
    require_everywhere(world_, *memory.address(world_.rank()) == std::byte{1},
                       "an exchange with both neighbours");
    world_.sync();
  }

  // Each rank gets from the next one.
  void get(index_t bytes) {
    Segment memory(world_, bytes, "what is got");
    std::vector<std::byte> data(static_cast<std::size_t>(bytes));
    row("a get from the next rank, " + format_bytes(bytes),
        repeat([&, bytes] { memory.get(next_, 0, Strided::contiguous(bytes), data.data()); }));
    world_.sync();
  }

  Session& session_;
  const Group& world_;
  int next_, before_;
};

}  // namespace
}  // namespace tessera::benchmark::constants

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  auto parsed =
      parse_options(argc, argv, "The constants of this machine that models of parallel programs need.",
                    runtime.world().rank() == 0);
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};
  parsed.options.without_peers = true;
  Session session(runtime, "constants", parsed.options);
  constants::Program program(session);
  program();
  session.finish();
  return 0;
}
