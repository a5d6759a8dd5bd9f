// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/runtime_state.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <numeric>
#include <set>
#include <utility>

#include <tessera/runtime/detail/warn.hpp>
#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "agents/progress_rank.hpp"
#include "conflicts/conflicts.hpp"
#include "conflicts/exchange.hpp"
#include "format.hpp"
#include "mpi/cores.hpp"
#include "node/huge_pages.hpp"
#include "order/calls/start.hpp"
#include "state/group_state.hpp"
#include "state/tracing.hpp"
#include "state/watchdog.hpp"
#include "state/window.hpp"

namespace tessera::detail {
namespace {

ThreadLevel granted() {
  const int level = mpi::query_thread();
  if (level == MPI_THREAD_MULTIPLE) return ThreadLevel::multiple;
  if (level == MPI_THREAD_SERIALIZED) return ThreadLevel::serialized;
  return level == MPI_THREAD_FUNNELED ? ThreadLevel::funneled : ThreadLevel::single;
}

// Why MPI's windows do not work here, if so. Asked once, so that not every segment tries.
std::string find_window_problem(GroupState& world) {
  const index_t bytes = page_size();
  const auto memory = std::unique_ptr<std::byte, decltype(&std::free)>(
      static_cast<std::byte*>(
          std::aligned_alloc(static_cast<std::size_t>(bytes), static_cast<std::size_t>(bytes))),
      &std::free);
  if (memory == nullptr) throw std::bad_alloc();
  std::string problem;
  create_tested_window(world, memory.get(), bytes, problem);
  return problem;
}

// Every rank is served by its own process, unless ranks were taken to serve.
AgentRanks find_agents(const GroupState& world, const ProgressRanks& ranks) {
  AgentRanks agents;
  agents.of = ranks.agents;
  if (agents.of.empty()) {
    agents.of.resize(static_cast<std::size_t>(world.size()));
    std::iota(agents.of.begin(), agents.of.end(), 0);
  } else {
    std::set<int> serving;
    for (int r = 0; r < world.size(); ++r) {
      if (world.on_node(r)) serving.insert(agents.of[static_cast<std::size_t>(r)]);
    }
    agents.of_node.assign(serving.begin(), serving.end());
  }
  auto agent_of = [&](int rank) { return agents.of[static_cast<std::size_t>(rank % world.size())]; };
  agents.of_this = agent_of(world.rank());
  agents.of_next_node = agent_of(world.rank() + world.first_node_size());
  return agents;
}

// Settings by which a program may be slow or stand still. @collective
std::vector<std::string> find_warnings(const GroupState& world, ProgressMode mode) {
  std::vector<std::string> warnings;
  std::int64_t bound = has_thread(mode) && core_numbers().size() == 1 ? 1 : 0;
  mpi::all_reduce(world.comm(), &bound, 1, ElementKind::int64, Reduce::sum);
  if (mode == ProgressMode::poll) {
    warnings.emplace_back(
        "an operation on another node waits until its target calls Tessera, and a program that waits in calls "
        "of its own may stand still (poll mode; TESSERA_PROGRESS=thread needs an MPI with thread level "
        "multiple)");
  }
  if (bound > 0) {
    warnings.push_back(
        formatted("{} of {} ranks are bound to one core each, and share it with their agents for other nodes; "
                  "bind each rank to two or more, or to none",
                  bound, world.size()));
  }
  return warnings;
}

// Otherwise every message of the program would be missing from the order. @collective
void require_seen_calls(MPI_Comm comm) {
  const std::string problem = mpi::first_problem(comm, order::calls::are_seen() ? "" : "unseen");
  if (problem.empty()) return;
  throw UsageError(
      "TESSERA_DEBUG=conflicts cannot see the program's calls of MPI (MPI, or a preloaded library, is before "
      "Tessera "
      "in the link order); link Tessera before MPI, and preload nothing that stands for MPI's functions");
}

// The sum over all ranks, on rank 0's standard error. @collective
void print_statistics(Statistics sum, const GroupState& world) {
  for (auto& path : sum.total) {
    for (Traffic& traffic : path) {
      std::int64_t counts[] = {static_cast<std::int64_t>(traffic.operations),
                               static_cast<std::int64_t>(traffic.bytes)};
      mpi::all_reduce(world.comm(), counts, 2, ElementKind::int64, Reduce::sum);
      mpi::all_reduce(world.comm(), &traffic.seconds, 1, ElementKind::float64, Reduce::sum);
      traffic.operations = static_cast<std::uint64_t>(counts[0]);
      traffic.bytes = static_cast<std::uint64_t>(counts[1]);
    }
  }
  if (world.rank() == 0)
    std::fputs(formatted("Tessera: one-sided operations of {} ranks\n{}", world.size(), sum.text()).c_str(),
               stderr);
}

}  // namespace

RuntimeState::RuntimeState(const Environment& environment)
    : environment_(environment), threads_(granted()), node_size_limit_(environment.node_size) {}
// If MPI ended before the Runtime, users may still hold requests that were never completed.
RuntimeState::~RuntimeState() { outstanding_.abandon(); }

std::shared_ptr<RuntimeState> RuntimeState::create(MPI_Comm parent, const Environment& environment,
                                                   ProgressRanks ranks) {
  auto runtime = std::make_shared<RuntimeState>(environment);
  runtime->begin(parent, std::move(ranks));
  return runtime;
}

void RuntimeState::begin(MPI_Comm parent, ProgressRanks ranks) {
  // TESSERA_NODE_SIZE includes the ranks that serve; the limit here does not.
  if (!ranks.agents.empty() && environment_.node_size > 0) node_size_limit_ -= environment_.progress_ranks;
  choose_shared_memory(environment_.shared_memory);
  choose_huge_pages(environment_.huge_pages);
  const bool with_agents = static_cast<bool>(ranks.world);
  mpi::Comm comm = ranks.world ? std::move(ranks.world) : mpi::dup(parent);
  crowded_ = detail::is_crowded(comm.get());
  if (environment_.conflicts) {
    require_seen_calls(comm.get());
    program_comm_ = with_agents ? MPI_COMM_NULL : parent;
    keeps_clock_ = order::start(program_comm_, comm.get());
  }
  auto group = GroupState::create(*this, std::move(comm), nullptr);
  create_locks(*group);
  world_ = Group(std::move(group));
  GroupState& world = GroupState::of(world_);
  if (world.node_count() > 1) {
    window_problem_ = find_window_problem(world);
    start_agents(world, std::move(ranks));
  }
  lock_table_.close_file();
  if (progress_) choose_path();
  if (keeps_clock())
    conflicts::start_check(world.rank(), {environment_.conflicts_memory, environment_.conflicts_abort});
  if (environment_.hang.count() > 0) watch();
  if (const std::string& file = environment_.value(Variable::trace); !file.empty())
    tracing_ = Tracing::start(world, mpi::size(parent) < mpi::size(MPI_COMM_WORLD), registry_, file);
}

// A table of locks for each node of the world, in memory that all processes of the node see.
void RuntimeState::create_locks(GroupState& world) {
  const index_t stride =
      round_up((LockStripes::bytes + world.node_ranks() - 1) / world.node_ranks(), page_size());
  std::string problem;
  lock_table_ = NodeMemory::create(world.node_barrier(), stride, stride, problem);
  if (problem = world.agree(problem); !problem.empty()) throw MemoryError("Tessera's lock table: " + problem);
  locks_ = LockStripes(lock_table_.base());
}

void RuntimeState::start_agents(GroupState& world, ProgressRanks ranks) {
  auto least = static_cast<std::int64_t>(threads_.level());
  mpi::all_reduce(world.comm(), &least, 1, ElementKind::int64, Reduce::min);
  const ProgressMode mode = environment_.mode(static_cast<ThreadLevel>(least));
  if (mode == ProgressMode::rank && ranks.agents.empty()) {
    throw UsageError(
        "TESSERA_PROGRESS=rank takes ranks away from the program, which cannot be done where Tessera "
        "attaches to a "
        "communicator of yours; use thread or poll");
  }
  AgentRanks agents = find_agents(world, ranks);
  with_agents_ = std::move(ranks.all);
  MPI_Comm everybody = with_agents_ ? with_agents_.get() : world.comm();
  progress_ = std::make_unique<Progress>(world.comm(), everybody, std::move(agents), mode, outstanding_, locks_,
                                         environment_.doorbells);
  std::string problem;
  if (mode == ProgressMode::rank && world.leads_node())
    problem = progress_->show_locks({lock_table_.file(), LockStripes::bytes, 0});
  if (problem = world.agree(problem); !problem.empty()) throw MemoryError("Tessera's lock table: " + problem);
  progress_warnings_ = find_warnings(world, mode);
  if (world.rank() != 0) return;
  for (const std::string& warning : progress_warnings_) warn(warning);
}

// Chooses how put and get travel between nodes, and says why. @collective
void RuntimeState::choose_path() {
  if (!window_problem_.empty() && environment_.method != TransferMethod::packed) {
    path_reason_ = "there is no usable window";
  } else if (environment_.method != TransferMethod::automatic) {
    path_reason_ = environment_.assignment(Variable::method);
  } else if (node_size_limit_ != 0) {
    path_reason_ = "between pretended nodes there is no network to be measured";
  } else {
    path_choice_ = PathChoice::measure(world_, progress_->mode());
    path_reason_ = "measured when the Runtime started";
  }
}

void RuntimeState::watch() {
  GroupState& world = GroupState::of(world_);
  std::string problem;
  watchdog_ = std::make_unique<Watchdog>(world, registry_, environment_.hang, problem);
  if (problem.empty()) return;
  watchdog_.reset();
  if (world.rank() == 0) {
    std::fputs(
        formatted("Tessera: TESSERA_DEBUG=hang:{} is without effect: {}\n", environment_.hang.count(), problem)
            .c_str(),
        stderr);
  }
}

void RuntimeState::finish() {
  if (finished_) return;
  finished_ = true;
  GroupState& group = GroupState::of(world_);
  // No process may free memory that another one still writes to.
  complete_all();
  if (tracing_) std::exchange(tracing_, nullptr)->finish();
  if (keeps_clock()) conflicts::finish_check({group.comm(), group.world_ranks(), group.rank(), 0, true});
  if (environment_.statistics) print_statistics(registry_.statistics(), group);
  if (progress_) progress_->settle();
  mpi::barrier(group.comm());
  if (keeps_clock_) order::stop(program_comm_);
  watchdog_.reset();
  formed_groups_.release_all();
  group.release();
  if (progress_) progress_->leave();
  progress_.reset();
  with_agents_.reset();
  lock_table_ = NodeMemory();
}

index_t RuntimeState::memory_left() const noexcept {
  constexpr index_t unlimited = std::numeric_limits<index_t>::max();
  return environment_.memory_limit == unlimited ? unlimited : environment_.memory_limit - reserved_;
}

void RuntimeState::complete_all(const GroupState* group) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (reaches_out()) registry_.complete_all(group);
  if (keeps_clock()) conflicts::Recorder::instance().flush_all(group == nullptr ? 0 : group->number());
}

void RuntimeState::complete_own() {
  if (!reaches_out() || threads_.may_take_turns()) return complete_all();
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

std::byte* RuntimeState::scratch(index_t bytes) {
  if (static_cast<index_t>(scratch_.size()) < bytes) scratch_.resize(static_cast<std::size_t>(bytes));
  return scratch_.data();
}

}  // namespace tessera::detail
