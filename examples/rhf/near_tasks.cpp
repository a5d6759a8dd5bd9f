// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "near_tasks.hpp"

#include <algorithm>

namespace rhf {

using namespace tessera;

namespace {

// The first block of each rank: of those that begin in its rows, or in rows of later ranks.
std::vector<index_t> first_blocks(const FockTasks& tasks, const Layout<2>& layout, int ranks) {
  std::vector<index_t> all(static_cast<std::size_t>(ranks) + 1, tasks.blocks());
  for (int rank = ranks - 1; rank >= 0; --rank) {
    const auto at = static_cast<std::size_t>(rank);
    all[at] = all[at + 1];
    if (layout.block_count(rank) == 0) continue;
    const index_t row = layout.block(rank, 0).lo[0];
    while (all[at] > 0 && tasks.first_function(all[at] - 1) >= row) --all[at];
  }
  return all;
}

}  // namespace

NearTasks::NearTasks(const FockTasks& tasks, const Matrix& matrix)
    : tasks_(tasks),
      first_block_(first_blocks(tasks, matrix.layout(), matrix.group().size())),
      known_(queue_of(matrix.group().rank())),
      queues_(matrix.group(), known_.begins.back(), {.name = "Fock tasks"}) {}

index_t NearTasks::Queue::width(index_t a) const { return std::max<index_t>(0, std::min(a + 1, last) - first); }

NearTasks::Queue NearTasks::queue_of(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  Queue queue{rank, first_block_[at], first_block_[at + 1], {0}};
  for (index_t a = tasks_.blocks() - 1; a >= 0; --a)
    queue.begins.push_back(queue.begins.back() + (a + 1) * queue.width(a));
  return queue;
}

index_t NearTasks::number(index_t queued) {
  if (known_.rank < 0 || queued < queues_.first(known_.rank) || queued >= queues_.first(known_.rank + 1)) {
    int rank = 0;
    while (queues_.first(rank + 1) <= queued) ++rank;
    known_ = queue_of(rank);
  }
  const index_t place = queued - queues_.first(known_.rank);
  const auto next = std::upper_bound(known_.begins.begin(), known_.begins.end(), place);
  const index_t a = tasks_.blocks() - (next - known_.begins.begin()), rest = place - *(next - 1);
  const index_t width = known_.width(a);
  return tasks_.number({static_cast<std::size_t>(a), static_cast<std::size_t>(known_.first + rest % width),
                        static_cast<std::size_t>(a - rest / width)});
}

}  // namespace rhf
