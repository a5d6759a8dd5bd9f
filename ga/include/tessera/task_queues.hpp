// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/tasks.hpp>

namespace tessera {

/// How tasks are taken from the queues of others; the same on every member.
struct QueueOptions {
  /// The least number of tasks that a process takes from another node at once. Take more if tasks are shorter
  /// than two remote operations, which take tens of microseconds.
  index_t chunk = 1;
  std::string_view name = "task queues";
};

/// Tasks with locality. Each member has a queue of the tasks whose data is near it. A process takes tasks from
/// its own queue, then from those of its node, and then steals from other nodes: a quarter of what a queue has
/// left. So data mostly stays on the node, and no process idles while there is work. Each task is given out
/// once. No process needs another one to take part. In the end each process looks at every queue once.
class TaskQueues {
 public:
  /// `mine` tasks are near this member. They are numbered by rank: tasks first(r) to first(r + 1) - 1 are those
  /// of rank r. @collective @throws UsageError on all members if a number is negative, the sum too large, or
  /// the chunk not positive; or as Scalars
  TaskQueues(const Group& group, index_t mine, const QueueOptions& options = {});

  const Group& group() const noexcept { return taken_.group(); }
  /// The tasks of all queues.
  index_t count() const noexcept { return first_.back(); }
  /// The first task of a member's queue, or where the next one would begin; rank may be group().size().
  /// @throws UsageError if there is no such member
  index_t first(int rank) const;
  /// The next task for this process; nothing when all are given out. Only one thread may call it at a time.
  /// @onesided
  std::optional<index_t> next() {
    if (drawn_.begin < drawn_.end) return drawn_.begin++;
    return draw();
  }
  /// Fills all queues again: with as many tasks as before, or with `mine` on members that give it.
  /// @collective @throws as the constructor
  void reset(std::optional<index_t> mine = {});
  /// Frees the memory now. @collective
  void close();

 private:
  void count_tasks(index_t mine);
  int queue(int visit) const;
  detail::TaskRange draw_from(int rank);
  std::optional<index_t> draw();

  index_t chunk_;
  std::vector<int> near_;       // the members on this node, this process first
  std::vector<index_t> first_;  // for each member, and the number of all tasks
  detail::TaskRange drawn_{0, 0};
  int visited_ = 0;              // so many queues are known to be empty
  Scalars<std::int64_t> taken_;  // on each member, the first task of its queue that no process has taken
};

}  // namespace tessera
