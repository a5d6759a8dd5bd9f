// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/progress_rank.hpp"

#include <algorithm>
#include <chrono>

#include <tessera/runtime/error.hpp>

#include "agents/agent_server.hpp"
#include "agents/doorbell.hpp"
#include "format.hpp"

namespace tessera::detail {

int find_node_leader(MPI_Comm comm, int limit) {
  const int rank = mpi::rank(comm);
  mpi::Comm node = mpi::split_shared(comm);
  if (limit > 0) node = mpi::split(node.get(), mpi::rank(node.get()) / limit, rank);
  std::int64_t leader = rank;
  mpi::all_reduce(node.get(), &leader, 1, ElementKind::int64, Reduce::min);
  return static_cast<int>(leader);
}

ProgressRanks take_progress_ranks(MPI_Comm parent, int per_node, int node_size_limit) {
  ProgressRanks ranks;
  ranks.all = mpi::dup(parent);
  const int rank = mpi::rank(ranks.all.get()), size = mpi::size(ranks.all.get());
  const int leader = find_node_leader(ranks.all.get(), node_size_limit);
  std::vector<int> leaders(static_cast<std::size_t>(size));
  mpi::all_gather(ranks.all.get(), &leader, leaders.data(), sizeof leader);
  if (std::count(leaders.begin(), leaders.end(), leaders.front()) == size) {
    if (per_node > size) {  // one node needs none, but so many could not be meant
      throw UsageError(formatted(
          "TESSERA_PROGRESS=rank:{} takes more ranks of each node than the {} that there are; give a smaller "
          "number",
          per_node, size));
    }
    ranks.world = mpi::dup(ranks.all.get());
    return ranks;
  }
  auto on_node_of = [&](int one) {
    std::vector<int> members;
    for (int r = 0; r < size; ++r) {
      if (leaders[static_cast<std::size_t>(r)] == leaders[static_cast<std::size_t>(one)]) members.push_back(r);
    }
    return members;
  };
  bool serves = false;
  for (int r = 0; r < size; ++r) {
    const std::vector<int> members = on_node_of(r);
    const auto n = static_cast<int>(members.size());
    if (n <= per_node) {
      throw UsageError(formatted(
          "TESSERA_PROGRESS=rank takes {} of the {} ranks on the node of rank {}, which leaves none to "
          "compute; start more ranks on each node",
          per_node, n, r));
    }
    const int computing = n - per_node;
    const auto place = static_cast<int>(std::find(members.begin(), members.end(), r) - members.begin());
    if (place >= computing) {
      serves |= r == rank;
    } else {
      ranks.agents.push_back(
          members[static_cast<std::size_t>(computing) + static_cast<std::size_t>(place % per_node)]);
    }
  }
  ranks.world = mpi::split(ranks.all.get(), serves ? -1 : 0, rank);
  return ranks;
}

void serve_node(const ProgressRanks& ranks) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  MPI_Comm all = ranks.all.get();
  const auto clients = std::count(ranks.agents.begin(), ranks.agents.end(), mpi::rank(all));
  const AgentComms comms{mpi::dup(all), mpi::dup(all)};
  Doorbell bell;
  std::vector<Doorbell::Address> bells(static_cast<std::size_t>(mpi::size(all)));
  const Doorbell::Address mine{bell.address()};
  mpi::all_gather(all, &mine, bells.data(), sizeof mine);
  ExposedRegions regions;
  AgentServer agent(comms, LockStripes(), regions);
  mpi::barrier(all);
  auto last_work = Clock::now();
  std::chrono::nanoseconds nap = microseconds(1);
  while (agent.left() < clients) {
    const auto now = Clock::now();
    if (agent.step()) {
      last_work = now;
      nap = microseconds(1);
    } else if (now - last_work > microseconds(50)) {
      // Its naps are short, as it has a core of its own, or shares one of its node's.
      if (bell.wait(nap) == Doorbell::Woken::by_bell) last_work = Clock::now();
      nap = std::min<std::chrono::nanoseconds>(nap * 2, microseconds(agent.is_busy() ? 50 : 500));
    }
  }
}

}  // namespace tessera::detail
