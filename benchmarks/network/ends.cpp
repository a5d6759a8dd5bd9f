// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ends.hpp"

#include <tessera/runtime/error.hpp>

#include "compute.hpp"

namespace tessera::benchmark::network {
namespace {

const Group& checked(const Group& world) {
  if (world.size() != 2 || world.node_count() != 2)
    throw UsageError("network measures between 2 ranks on 2 nodes; benchmarks/run network starts them so");
  return world;
}

bool find_windows(const Group& world) {
  try {
    Segment trial(world, 64, {.domain = AtomicDomain::mpi});
    trial.close();
    return true;
  } catch (const WindowError&) {
    return false;
  }
}

}  // namespace

Ends::Ends(const Runtime& runtime)
    : words_(checked(runtime.world()), sizeof(std::int64_t), "words"),
      windows_(find_windows(runtime.world())),
      served_(runtime.progress() != ProgressMode::poll) {
  words_.store(world().rank(), 0, std::int64_t{0});
  words_.sync();
}

Others Ends::waiting() const {
  return {.wait = [this] { world().barrier(); }};
}

Others Ends::computing() {
  return {.work =
              [this](index_t) {
                while (!listen()) compute(500);
              },
          .release = [this] { tell(target); },
          .wait = [this] { world().barrier(); }};
}

void Ends::tell(int rank) {
  words_.store(rank, 0, ++told_);
  words_.flush(rank);
}

bool Ends::listen() noexcept {
  auto* word = reinterpret_cast<std::int64_t*>(words_.address(world().rank()));
  if (std::atomic_ref(*word).load(std::memory_order_acquire) <= heard_) return false;
  ++heard_;
  return true;
}

}  // namespace tessera::benchmark::network
