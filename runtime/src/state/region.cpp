// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/region.hpp"

#include <algorithm>
#include <limits>

#include <tessera/runtime/error.hpp>

#include "agents/progress.hpp"
#include "base/host_name.hpp"
#include "base/memory_check.hpp"
#include "format.hpp"
#include "node/node_collectives.hpp"
#include "state/collectives.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "state/window.hpp"

namespace tessera::detail {
namespace {

// Pages are backed only when they are touched or reserved, and a machine that runs out then kills processes. So
// the requests of a node's processes are added up, and compared with its memory, before anything is reserved.
std::string memory_problem(GroupState& group, index_t reserve, const std::string& what) {
  const RuntimeState& runtime = group.runtime();
  const index_t limit = runtime.environment().memory_limit, left = runtime.memory_left();
  std::string problem;
  if (reserve > left) {
    problem = formatted(
        "needs {} on rank {}, whose memory limit of {} leaves {} (raise TESSERA_MEMORY_LIMIT or "
        "RuntimeOptions::memory_limit, or use more processes)",
        format_bytes(reserve), group.rank(), format_bytes(limit), format_bytes(left));
  }
  // As doubles, as the sum of impossible requests may not fit 64 bits.
  auto needed = static_cast<double>(reserve);
  reduce_on_node(group.node_barrier(), &needed, 1, ElementKind::float64, Reduce::sum);
  const MemoryAvailable available = memory_available();
  if (problem.empty() && needed > static_cast<double>(available.bytes)) {
    constexpr index_t half = std::numeric_limits<index_t>::max() / 2;
    constexpr auto most = static_cast<double>(half);
    problem =
        formatted("needs {} on node {} ({}), which has {} available ({}); use more nodes or a smaller array",
                  format_bytes(static_cast<index_t>(std::min(needed, most))), group.node(), host_name(),
                  format_bytes(available.bytes), available.limited_by);
  }
  return problem.empty() ? problem : formatted("{} {}", what, problem);
}

// The same on every member: the first member chooses it, and never uses a number twice.
std::uint64_t next_number(GroupState& group) {
  const auto first = static_cast<std::uint64_t>(group.world_rank(0));
  std::uint64_t number = ((first + 1) << 36) | group.runtime().next_region();
  mpi::broadcast(group.comm(), &number, sizeof number, 0);
  return number;
}

}  // namespace

Region::Region(GroupState& group, index_t stride)
    : group_(group), stride_(stride), salt_(group.next_region() * 0x9e3779b97f4a7c15ULL) {}

std::unique_ptr<Region> Region::create(GroupState& group, index_t stride, index_t reserve, WindowNeed need,
                                       bool must_have_window, const std::string& what) {
  if (const auto problem = group.agree(memory_problem(group, reserve, what)); !problem.empty())
    throw MemoryError(problem);
  std::unique_ptr<Region> region(new Region(group, stride));
  std::string problem;
  region->memory_ = NodeMemory::create(group.node_barrier(), stride, reserve, problem);
  Progress* const progress = group.node_count() > 1 ? group.runtime().progress() : nullptr;
  if (progress != nullptr) region->number_ = next_number(group);
  // Agents must know the region before any process can ask for it.
  if (progress != nullptr && problem.empty()) {
    const index_t bytes = region->end() - region->base();
    const bool tells = group.leads_node() && progress->mode() == ProgressMode::rank;
    progress->show(region->number_, {region->base(), bytes, region->salt_});
    if (tells)
      problem = progress->show_to_others(region->number_, {region->memory_.file(), bytes, region->salt_});
    region->shown_to_others_ = tells;  // some agents may know it even if one could not map it
  }
  region->memory_.close_file();
  if (!problem.empty()) problem = formatted("{} on {}: {}", what, host_name(), problem);
  if (problem = group.agree(problem); !problem.empty()) throw MemoryError(problem);
  if (need == WindowNeed::wanted) {
    std::byte* const slice = region->base() + group.slot(group.rank()) * stride;
    region->window_ = create_tested_window(group, slice, stride, problem);
    if (!region->window_ && must_have_window) {
      throw WindowError(formatted(
          "{} was to have the MPI domain of atomicity, and this MPI has no usable one-sided window: {}; "
          "leave the domain to Tessera",
          what, problem));
    }
  }
  group.runtime().registry().add(*region);
  return region;
}

Region::~Region() {
  if (number_ != 0) group_.runtime().progress()->hide(number_, shown_to_others_);
  group_.runtime().registry().remove(*this);
}

const std::byte* Region::end() const noexcept { return base() + stride_ * group_.node_ranks(); }

}  // namespace tessera::detail
