// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/task_queues.hpp>

#include "fock_tasks.hpp"
#include "integrals.hpp"

namespace rhf {

/// Gives each task to the rank that owns its second strip. Of the three strips, only the second one changes
/// with every task, so most transfers stay on the rank. Ranks own consecutive rows.
class NearTasks {
 public:
  /// @collective
  NearTasks(const FockTasks& tasks, const Matrix& matrix);

  tessera::TaskQueues& queues() { return queues_; }
  /// The number that a task of the queues has among all tasks.
  tessera::index_t number(tessera::index_t queued);

 private:
  // The blocks whose rows a rank owns, and where the tasks of each first block begin in its queue. The largest
  // first block comes first.
  struct Queue {
    int rank = -1;
    tessera::index_t first = 0, last = 0;
    std::vector<tessera::index_t> begins = {};
    /// The second blocks of tasks with this first block.
    tessera::index_t width(tessera::index_t a) const;
  };
  Queue queue_of(int rank) const;

  const FockTasks& tasks_;
  std::vector<tessera::index_t> first_block_;  // of each rank, and the number of blocks
  Queue known_;                                // the queue that was asked for last
  tessera::TaskQueues queues_;
};

}  // namespace rhf
