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

void SegmentState::complete(int rank, unsigned kinds) const {
  if (marked.load(std::memory_order_relaxed) == 0) return;
  RuntimeState& runtime = *group->runtime;
  const WindowLock lock(runtime);
  const auto found = marks.find(rank);
  if (found == marks.end() || (found->second & kinds) == 0) return;
  const unsigned marked_kinds = found->second;
  complete_pending(runtime, [&](const Pending& pending) { return pending.is_to(*this, rank); });
  if ((marked_kinds & (put_mark | acc_mark)) != 0) {
    mpi::flush(region->window.get(), rank);
    ++flushes;
  }
  if ((marked_kinds & agent_write_mark) != 0) {
    ++flushes;
    const Address target = remote(rank, 0);
    runtime.progress->courier().flush({&target, 1});
  }
  marks.erase(rank);
  marked.store(marks.size(), std::memory_order_relaxed);
}

void SegmentState::mark(int rank, Mark kind) const {
  marks[rank] |= kind;
  marked.store(marks.size(), std::memory_order_relaxed);
}

void SegmentState::complete_all() const {
  if (marked.load(std::memory_order_relaxed) == 0) return;
  const WindowLock lock(*group->runtime);
  RuntimeState& runtime = *group->runtime;
  complete_pending(runtime, [&](const Pending& pending) { return pending.is_of(*this); });
  // The agents answer all at once.
  std::vector<Address> agents;
  for (const auto& [rank, kinds] : marks) {
    if ((kinds & (put_mark | acc_mark)) != 0) {
      mpi::flush(region->window.get(), rank);
      ++flushes;
    }
    if ((kinds & agent_write_mark) != 0) agents.push_back(remote(rank, 0));
  }
  flushes += agents.size();
  if (!agents.empty()) runtime.progress->courier().flush(agents);
  marks.clear();
  marked = 0;
}

}  // namespace tessera::detail
