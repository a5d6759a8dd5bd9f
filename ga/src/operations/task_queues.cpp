// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/task_queues.hpp>

#include <algorithm>

#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "operations/take_tasks.hpp"

namespace tessera {
namespace {

// The members on this process's node in order of rank, beginning with this process, so that neighbours begin
// with different queues.
std::vector<int> members_near(const Group& group) {
  std::vector<int> near = group.ranks_on_node(group.node_of(group.rank()));
  std::rotate(near.begin(), std::find(near.begin(), near.end(), group.rank()), near.end());
  return near;
}

}  // namespace

TaskQueues::TaskQueues(const Group& group, index_t mine, const QueueOptions& options)
    : chunk_(options.chunk),
      near_(members_near(group)),
      taken_(group, 1, options.name, static_cast<std::uint64_t>(options.chunk)) {
  detail::checked_chunk(options.chunk, options.name);  // alike on all members
  count_tasks(mine);
}

// All members see all numbers, so all of them throw or none.
void TaskQueues::count_tasks(index_t mine) {
  std::vector<index_t> first{0};
  for (const index_t count : group().all_gather(mine)) {
    const auto member = first.size() - 1;
    index_t end = 0;
    if (count < 0 || __builtin_add_overflow(first.back(), count, &end))
      throw UsageError(formatted("\"{}\" cannot have {} tasks of rank {} after {} tasks of ranks below",
                                 taken_.name(), count, member, first.back()));
    first.push_back(end);
  }
  first_ = std::move(first);
  drawn_ = {0, 0};
  visited_ = 0;
  taken_.store(group().rank(), 0, first_[static_cast<std::size_t>(group().rank())]);
  group().barrier();
}

index_t TaskQueues::first(int rank) const {
  if (rank < 0 || rank > group().size())
    throw UsageError(formatted("\"{}\" has no queue of rank {}: ranks are 0 to {}", taken_.name(), rank,
                               group().size() - 1));
  return first_[static_cast<std::size_t>(rank)];
}

void TaskQueues::reset(std::optional<index_t> mine) {
  if (!taken_.segment().is_open())
    throw UsageError(
        formatted("\"{}\" was used after it was closed, or outlived by its Runtime", taken_.name()));
  const int rank = group().rank();
  group().barrier();  // no rank still draws
  count_tasks(mine.value_or(first(rank + 1) - first(rank)));
}

void TaskQueues::close() { taken_.close(); }

// The member whose queue is visited after so many others; -1 to skip one. The members of a node begin to steal
// from different members of the next one.
int TaskQueues::queue(int visit) const {
  const int near = static_cast<int>(near_.size());
  if (visit < near) return near_[static_cast<std::size_t>(visit)];
  const int rank = (group().rank() + visit) % group().size();
  return group().on_node(rank) ? -1 : rank;
}

detail::TaskRange TaskQueues::draw_from(int rank) {
  const index_t end = first(rank + 1);
  if (first(rank) == end) return {end, end};
  index_t wanted = 1;
  if (!group().on_node(rank)) {
    const index_t left = end - taken_.load(rank, 0);
    if (left <= 0) return {end, end};
    wanted = std::max(std::min(chunk_, left), left / 4);
  }
  return detail::take_tasks(taken_, rank, end, wanted, group().size());
}

std::optional<index_t> TaskQueues::draw() {
  const detail::Unchecked own;  // a draw orders nothing
  // Members of the node come first, then all members, of which those of the node are skipped.
  const int visits = static_cast<int>(near_.size()) + group().size();
  for (; visited_ < visits; ++visited_) {
    const int rank = queue(visited_);
    if (rank < 0) continue;
    drawn_ = draw_from(rank);
    if (drawn_.begin < drawn_.end) return drawn_.begin++;
  }
  return {};
}

}  // namespace tessera
