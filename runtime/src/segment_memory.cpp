// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <limits>

#include <unistd.h>

#include "format.hpp"
#include "memory_check.hpp"
#include "node_collectives.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera::detail {
namespace {

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// Pages are backed only when they are touched or reserved, and a machine that runs out then kills; so the
// wishes of a node are added up and compared with what it has before anything is reserved.
std::string memory_problem(GroupState& group, index_t reserve, const std::string& what) {
  const RuntimeState& runtime = *group.runtime;
  std::string problem;
  if (reserve > runtime.environment.memory_limit - runtime.memory_in_use) {
    problem = formatted(
        "needs {} on rank {}, whose memory limit of {} leaves {} (raise TESSERA_MEMORY_LIMIT or "
        "RuntimeOptions::memory_limit, or use more processes)",
        format_bytes(reserve), group.rank, format_bytes(runtime.environment.memory_limit),
        format_bytes(runtime.environment.memory_limit - runtime.memory_in_use));
  }
  // As doubles: the sum of impossible wishes may itself not fit 64 bits.
  auto needed = static_cast<double>(reserve);
  reduce_on_node(group.node_meeting(), &needed, 1, ElementKind::float64, Reduce::sum);
  const MemoryAvailable available = memory_available();
  if (problem.empty() && needed > static_cast<double>(available.bytes)) {
    constexpr index_t half = std::numeric_limits<index_t>::max() / 2;
    constexpr auto most = static_cast<double>(half);
    problem =
        formatted("needs {} on node {} ({}), which has {} available ({}); use more nodes or a smaller array",
                  format_bytes(static_cast<index_t>(std::min(needed, most))), group.node, host_name(),
                  format_bytes(available.bytes), available.limited_by);
  }
  return problem.empty() ? problem : formatted("{} {}", what, problem);
}

// The same on every member: that of the first, which never gives one twice.
std::uint64_t next_number(const GroupState& group) {
  const auto first = static_cast<std::uint64_t>(group.world_rank.front());
  std::uint64_t number = ((first + 1) << 36) | ++group.runtime->numbered_regions;
  mpi::broadcast(group.comm.get(), &number, sizeof number, 0);
  return number;
}

}  // namespace

std::unique_ptr<Region> Region::create(GroupState& group, index_t stride, index_t reserve, Reach reach,
                                       bool must_have_window, const std::string& what) {
  if (const auto problem = group.agree(memory_problem(group, reserve, what)); !problem.empty())
    throw MemoryError(problem);
  auto region = std::make_unique<Region>();
  region->group = &group;
  region->stride = stride;
  region->salt = ++group.regions * 0x9e3779b97f4a7c15ULL;
  std::string problem;
  region->memory = NodeMemory::create(group.node_meeting(), stride, reserve, problem);
  Progress* progress = group.node_count > 1 ? group.runtime->progress.get() : nullptr;
  if (progress != nullptr) region->number = next_number(group);
  // Before anybody can know that it is there.
  if (progress != nullptr && problem.empty()) {
    const bool first = group.slot[static_cast<std::size_t>(group.rank)] == 0;
    problem = progress->show(*region, first);
    region->shown_to_agents = first && progress->mode() == ProgressMode::rank && problem.empty();
  }
  region->memory.close_file();
  if (!problem.empty()) problem = formatted("{} on {}: {}", what, host_name(), problem);
  if (problem = group.agree(problem); !problem.empty()) throw MemoryError(problem);
  {
    const std::lock_guard lock(group.runtime->registry_mutex);
    group.runtime->regions.emplace(region->memory.base(), region.get());
  }
  if (reach == Reach::node) return region;
  std::byte* slice = region->memory.base() + group.slot[static_cast<std::size_t>(group.rank)] * stride;
  region->window = create_tested_window(group, slice, stride, problem);
  if (region->window) ++group.runtime->windows;
  if (!region->window && must_have_window) {
    throw WindowError(formatted(
        "{} was to have the MPI domain of atomicity, and this MPI has no usable one-sided window: {}; "
        "leave the domain to Tessera",
        what, problem));
  }
  return region;
}

Region::~Region() {
  if (number != 0) group->runtime->progress->hide(*this);
  if (!memory) return;
  if (window) --group->runtime->windows;
  const std::lock_guard lock(group->runtime->registry_mutex);
  group->runtime->regions.erase(memory.base());
}

const std::byte* Region::end() const noexcept { return memory.base() + stride * group->node_ranks(); }

}  // namespace tessera::detail
