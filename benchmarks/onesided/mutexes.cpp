// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Mutexes that are free, and one that all ranks want.
#include <atomic>
#include <memory>

#include <tessera/runtime/mutexes.hpp>

#include "armci_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr const char* section = "synchronisation";

// All ranks add at once to a number that is not updated atomically, each a known number of times. No addition
// may be lost.
template <class Lock, class Unlock>
void check(const Group& world, const std::string& who, Lock lock, Unlock unlock) {
  constexpr int times = 200;
  Scalars<std::int64_t> number(world, 1);
  const std::atomic_ref<std::int64_t> shared(*number.address(0, 0));
  world.barrier();
  for (int i = 0; i < times; ++i) {
    lock();
    shared.store(shared.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    unlock();
  }
  world.barrier();
  require(shared.load() == times * world.size(), who);
  number.close();
}

}  // namespace

void mutexes(Session& session) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const auto armci = armci_peer::mutexes(world);
  Scalars<std::int32_t> words(world, 1);
  const auto row = [&](const std::string& name, int rank, Clock clock) {
    Mutexes mutex(world, 1, rank);
    check(
        world, "mutex", [&] { mutex.lock(0); }, [&] { mutex.unlock(0); });
    std::vector<Reference> references;
    if (clock == Clock::origin) {
      const std::atomic_ref<std::int32_t> word(*words.address(rank, 0));
      const auto spin = [word] {
        while (word.exchange(1, std::memory_order_acquire) != 0) {
        }
        word.store(0, std::memory_order_release);
      };
      references.push_back({"a spin lock by hand", repeat(spin), Target{Goal::at_most, 100e-9}});
    }
    if (armci) {
      check(
          world, "ARMCI_Lock", [&] { armci->lock(rank); }, [&] { armci->unlock(rank); });
      references.push_back({"ARMCI_Lock and Unlock",
                            repeat([&armci, rank] { armci->lock(rank), armci->unlock(rank); }), no_slower});
    }
    session.compare({.section = section,
                     .name = name,
                     .routine = repeat([&mutex] { mutex.lock(0), mutex.unlock(0); }),
                     .clock = clock},
                    references);
    mutex.close();
  };
  for (const auto& [rank, whose] : sides(world))
    row("lock and unlock, free, " + whose + " host", rank, Clock::origin);
  if (world.size() > 1) row("lock and unlock, all ranks at one", world.size() - 1, Clock::joint);
  words.close();
}

}  // namespace tessera::benchmark::onesided
