// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/bells.hpp"

#include <chrono>
#include <cstdint>
#include <unordered_map>

#include "mpi/cores.hpp"
#include "mpi/mpi.hpp"

namespace tessera::detail {

// Agents linger if there are more cores than processes that share them. The machine decides which processes
// share cores, not TESSERA_NODE_SIZE or a host's name.
Bells::Bells(MPI_Comm all, ProgressMode mode) : mode_(mode) {
  Doorbell::Address mine{mine_.address()};
  const Cores cores = Cores::mine();
  mine.cores = cores.id;
  mine.core_count = cores.count;
  addresses_.resize(static_cast<std::size_t>(mpi::size(all)));
  mpi::all_gather(all, &mine, addresses_.data(), sizeof(Doorbell::Address));
  std::unordered_map<std::uint64_t, int> sharing;
  for (const Doorbell::Address& bell : addresses_) ++sharing[bell.cores];
  const bool threads = mode == ProgressMode::thread;
  for (Doorbell::Address& bell : addresses_) bell.lingers = threads && sharing[bell.cores] < bell.core_count;
  const int processes = sharing[cores.id];
  const int awake = mode == ProgressMode::spin ? processes : threads ? 1 : 0;
  crowded_ = processes + awake > cores.count;
}

// If one process does not hear its bell, no process relies on bells.
void Bells::test(MPI_Comm world, int agent) {
  using Clock = std::chrono::steady_clock;
  mpi::barrier(world);
  if (agent >= 0) ring(agent);
  mpi::barrier(world);
  std::int64_t heard = 0;
  for (const auto end = Clock::now() + std::chrono::milliseconds(50); heard == 0 && Clock::now() < end;)
    heard = mine_.was_rung() ? 1 : 0;
  mpi::all_reduce(world, &heard, 1, ElementKind::int64, Reduce::min);
  heard_ = heard != 0;
}

void Bells::ring(int agent) const noexcept {
  if (mode_ == ProgressMode::poll || mode_ == ProgressMode::spin) return;
  mine_.ring(addresses_[static_cast<std::size_t>(agent)]);
}

}  // namespace tessera::detail
