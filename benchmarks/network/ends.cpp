// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ends.hpp"

#include <tessera/runtime/error.hpp>

#include "peers.hpp"

namespace tessera::benchmark::network {
namespace {

const Group& checked(const Group& world) {
  if (world.size() != 2 || world.node_count() != 2)
    throw UsageError("network measures between 2 ranks on 2 nodes; benchmarks/run network starts them so");
  return world;
}

}  // namespace

Ends::Ends(const Runtime& runtime)
    : signal_(checked(runtime.world())),
      windows_(benchmark::has_windows(runtime.world())),
      served_(runtime.progress() != ProgressMode::poll) {}

}  // namespace tessera::benchmark::network
