// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/scalars.hpp>

namespace tessera {

/// How tasks are dealt out; the same on every member.
struct TaskOptions {
  /// How many tasks a draw takes at once: more for tasks that are shorter than a draw, which takes 10 ns on a
  /// node and tens of microseconds between nodes.
  index_t chunk = 1;
  /// Whether each node draws for all of its members, as many chunks at a time as are still worth it: half of
  /// what is left, divided by the members of the group, for each of those of the node.
  bool by_node = true;
  std::string_view name = "tasks";
};

/// Deals out tasks 0 to count - 1 as ranks ask for them: dynamic load balancing, as by the shared counter of
/// Global Arrays (NGA_Read_inc). Each task is given out once, in increasing order to each process. No draw
/// needs the help of a process that computes.
class TaskCounter {
 public:
  /// @collective @throws UsageError if count is negative or the chunk is not positive; or as Scalars
  TaskCounter(const Group& group, index_t count, const TaskOptions& options = {});

  const Group& group() const noexcept { return global_.group(); }
  index_t count() const noexcept { return count_; }
  /// The next task for this process; nothing when all are given out. By one thread at a time. @onesided
  std::optional<index_t> next() {
    if (mine_.begin < mine_.end) return mine_.begin++;
    return draw();
  }
  /// Begins anew with task 0; another number of them, if one is given. @collective
  /// @throws UsageError if it is negative
  void reset(std::optional<index_t> count = {});
  /// Frees the memory now. @collective
  void close();

 private:
  struct TaskRange {
    index_t begin, end;
  };
  std::optional<index_t> draw();
  TaskRange draw_from_all(index_t shares);
  index_t advance(index_t wanted);
  void draw_from_node();

  index_t count_, chunk_;
  TaskRange mine_{0, 0};
  bool ended_ = false;            // this process has seen the end
  Scalars<std::int64_t> global_;  // the first task that nobody has drawn, on rank 0
  // Of each node that draws for its members: the range it has left, on its first member, under its mutex.
  std::optional<Scalars<std::int64_t>> node_;
  std::optional<Mutexes> node_mutex_;
};

/// Calls compute(task) for each task that this process draws. @onesided
template <class F>
requires std::invocable<F&, index_t>
void for_each_task(TaskCounter& counter, F&& compute) {
  while (const auto task = counter.next()) std::invoke(compute, *task);
}

/// The same with communication behind the computation. prefetch(task) begins to fetch what a task needs and
/// returns it, in an object with wait(), one task ahead; compute(task, input) is called when it is there. What
/// compute returns (if anything: a Request, or an object that holds one together with the memory it sends) is
/// destroyed when the next task has been computed: results travel behind it. @onesided
template <class Prefetch, class Compute>
requires std::invocable<Prefetch&, index_t> && std::invocable < Compute&, index_t,
    std::invoke_result_t<Prefetch&, index_t>
& > void for_each_task(TaskCounter& counter, Prefetch&& prefetch, Compute&& compute) {
  using Input = std::invoke_result_t<Prefetch&, index_t>;
  using Output = std::invoke_result_t<Compute&, index_t, Input&>;
  auto task = counter.next();
  if (!task) return;
  std::optional<Input> input(std::invoke(prefetch, *task));
  [[maybe_unused]] std::optional<std::conditional_t<std::is_void_v<Output>, int, Output>> sent;
  while (task) {
    const auto following = counter.next();
    std::optional<Input> ahead;
    if (following) ahead.emplace(std::invoke(prefetch, *following));
    input->wait();
    if constexpr (std::is_void_v<Output>) {
      std::invoke(compute, *task, *input);
    } else {
      sent.emplace(std::invoke(compute, *task, *input));
    }
    input = std::move(ahead);
    task = following;
  }
}

}  // namespace tessera
