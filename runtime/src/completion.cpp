// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <vector>

#include "progress.hpp"
#include "state.hpp"

namespace tessera::detail {
namespace {

template <class Which>
void complete_pending(RuntimeState& runtime, Which&& which) {
  const auto outstanding = runtime.outstanding;  // completing takes them off the list
  for (const auto& pending : outstanding) {
    if (which(*pending)) pending->complete();
  }
}

}  // namespace

void SegmentState::complete(int rank, unsigned marks) const {
  if (under_way.is_empty()) return;
  RuntimeState& runtime = *group->runtime;
  const WindowLock lock(runtime);
  const unsigned found = under_way.of(rank);
  if ((found & marks) == 0) return;
  complete_pending(runtime, [&](const Pending& pending) { return pending.is_to(*this, rank); });
  if ((found & window_writes) != 0) {
    mpi::flush(region->window.get(), rank);
    ++flushes;
  }
  if ((found & agent_write) != 0) {
    ++flushes;
    const Address target = remote(rank, 0);
    runtime.progress->courier().flush({&target, 1});
  }
  under_way.clear(rank);
}

void SegmentState::complete_all() const {
  if (under_way.is_empty()) return;
  RuntimeState& runtime = *group->runtime;
  const WindowLock lock(runtime);
  complete_pending(runtime, [&](const Pending& pending) { return pending.is_of(*this); });
  // The agents answer all at once.
  std::vector<Address> agents;
  for (const auto& [rank, marks] : under_way.marks()) {
    if ((marks & window_writes) != 0) {
      mpi::flush(region->window.get(), rank);
      ++flushes;
    }
    if ((marks & agent_write) != 0) agents.push_back(remote(rank, 0));
  }
  flushes += agents.size();
  if (!agents.empty()) runtime.progress->courier().flush(agents);
  under_way.clear();
}

}  // namespace tessera::detail
