// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/runtime_report.hpp>

#include <algorithm>
#include <limits>

#include "agents/progress.hpp"
#include "base/memory_check.hpp"
#include "format.hpp"
#include "mpi/cores.hpp"
#include "node/huge_pages.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera {
namespace detail {
namespace {

Finding threads_finding(const RuntimeState& runtime) {
  const ThreadNeed need = thread_need();
  return {to_string(runtime.threads().level()),
          formatted("Tessera requests {}, because {}",
                    need.may_be ? "multiple" : "only what the program asks for", need.reason)};
}

Finding shared_memory_finding(const RuntimeState& runtime) {
  const SharedMemory way = runtime.shared_memory();
  std::string reason = "the first kind that works here";
  if (runtime.environment().shared_memory != SharedMemory::any)
    reason = runtime.environment().assignment(Variable::shared_memory);
  else if (way != SharedMemory::memfd)
    reason = formatted("a rank could not open a memfd of another rank of its node{}",
                       way == SharedMemory::mpi ? ", nor a file in /dev/shm" : "");
  return {to_string(way), reason};
}

std::string reason_of_huge_pages(const RuntimeState& runtime) {
  if (!runtime.environment().huge_pages) return runtime.environment().assignment(Variable::huge_pages);
  if (runtime.shared_memory() == SharedMemory::mpi) return "MPI makes the shared memory";
  return huge_page_size() == 0 ? "the kernel has none"
                               : "requested for slices that fill one; the kernel may refuse";
}

Finding progress_finding(const RuntimeState& runtime, ProgressMode mode) {
  std::string reason = "all ranks share memory, so no operation leaves a node";
  if (mode != ProgressMode::none) {
    if (runtime.environment().progress)
      reason = runtime.environment().assignment(Variable::progress);
    else
      reason = mode == ProgressMode::poll ? "some rank's MPI does not grant thread level multiple"
                                          : "MPI grants thread level multiple";
  }
  return {to_string(mode), reason};
}

Finding guarantee_finding(ProgressMode mode) {
  if (mode == ProgressMode::poll) return {"no", "an operation waits until its target calls Tessera"};
  if (mode == ProgressMode::rank) return {"yes", "ranks that do nothing else run the agents"};
  if (core_numbers().size() == 1)
    return {"yes",
            "a thread of each rank runs its agent, but it has no core of its own (the rank has one core)"};
  return {"yes", "a thread of each rank runs its agent"};
}

Finding doorbell_finding(const RuntimeState& runtime, ProgressMode mode) {
  if (mode == ProgressMode::poll) return {"not used", "agents run in the threads that call Tessera"};
  if (mode == ProgressMode::spin) return {"not used", "agents never sleep"};
  if (mode == ProgressMode::rank) return {"not used", "the ranks that serve look for requests by themselves"};
  if (runtime.progress()->rings()) return {"used", "every rank has heard its own"};
  if (!runtime.environment().doorbells)
    return {"not used", runtime.environment().assignment(Variable::doorbell)};
  return {"not used", "a datagram did not arrive; idle agents look for requests every 10 to 200 us"};
}

Finding window_finding(const RuntimeState& runtime) {
  if (!runtime.window_problem().empty()) return {"not usable", runtime.window_problem()};
  return {"usable", "puts and gets by a trial window were right"};
}

Finding method_finding(const RuntimeState& runtime) {
  const TransferMethod method = runtime.environment().method;
  std::string value = "by agents";
  if (runtime.window_problem().empty()) {
    if (method == TransferMethod::batched || method == TransferMethod::direct)
      value = formatted("by MPI's window ({})", to_string(method));
    if (method == TransferMethod::automatic && runtime.path_choice().any())
      value = formatted("by MPI's window for {}; all others by agents", runtime.path_choice().text());
  }
  return {value, runtime.path_reason()};
}

std::string reason_of_limit(const Environment& environment) {
  if (environment.memory_limit == std::numeric_limits<index_t>::max()) return "none is set";
  return parse_bytes(environment.value(Variable::memory_limit)) == environment.memory_limit
             ? environment.assignment(Variable::memory_limit)
             : "RuntimeOptions::memory_limit";
}

std::vector<Setting> all_settings(const Environment& environment) {
  std::vector<Setting> all;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto variable = static_cast<Variable>(i);
    const VariableText& text = text_of(variable);
    all.push_back(
        {text.name, environment.value(variable), text.unset, text.meaning, variable != Variable::memory_limit});
  }
  return all;
}

}  // namespace
}  // namespace detail

RuntimeReport runtime_report(const Runtime& runtime) {
  using namespace detail;
  const RuntimeState& state = GroupState::of(runtime.world()).runtime();
  const Environment& environment = state.environment();
  const ProgressMode mode = runtime.progress();
  RuntimeReport report;
  report.mpi = mpi::library_version();
  report.threads = threads_finding(state);
  report.has_pretended_nodes = environment.node_size > 0;
  report.shared_memory = shared_memory_finding(state);
  report.huge_page = state.shared_memory() == SharedMemory::mpi ? 0 : huge_page_size();
  report.huge_page_reason = reason_of_huge_pages(state);
  report.progress = progress_finding(state, mode);
  if (mode != ProgressMode::none) {
    report.guarantee = guarantee_finding(mode);
    report.doorbell = doorbell_finding(state, mode);
    report.window = window_finding(state);
    report.has_window = state.window_problem().empty();
    report.method = method_finding(state);
  }
  report.warnings = state.progress_warnings();
  report.cores = core_numbers();
  report.is_crowded = state.is_crowded();
  report.memory_limit = environment.memory_limit;
  report.memory_limit_reason = reason_of_limit(environment);
  const MemoryAvailable available = memory_available();
  report.memory_available = available.bytes;
  report.memory_available_reason = available.limited_by;
  report.shm_size = shm_size();
  report.shm_room = shm_room();
  report.settings = all_settings(environment);
  return report;
}

}  // namespace tessera
