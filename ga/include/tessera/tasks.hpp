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

namespace detail {
struct TaskRange {
  index_t begin, end;
};
}  // namespace detail

/// How tasks are dealt out; the same on every member.
struct TaskOptions {
  /// How many tasks a draw takes at once. Take more if tasks are shorter than a draw, which takes 10 ns on a
  /// node and tens of microseconds between nodes.
  index_t chunk = 1;
  /// Whether each node draws for all of its members at once. For each of its members, a draw takes half of what
  /// is left, divided by the size of the group. The sum is rounded down to whole chunks, but is at least one
  /// chunk.
  bool by_node = true;
  std::string_view name = "tasks";
};

/// Deals out tasks 0 to count - 1 as ranks ask for them: dynamic load balancing, like the shared counter of
/// Global Arrays (NGA_Read_inc). Each task is given out once. Each process gets its tasks in increasing order.
/// A draw does not need a computing process to take part.
class TaskCounter {
 public:
  /// @collective @throws UsageError if count is negative or the chunk is not positive; or as Scalars
  TaskCounter(const Group& group, index_t count, const TaskOptions& options = {});

  const Group& group() const noexcept { return global_.group(); }
  index_t count() const noexcept { return count_; }
  /// The next task for this process; nothing when all are given out. Only one thread may call it at a time.
  /// @onesided
  std::optional<index_t> next() {
    if (mine_.begin < mine_.end) return mine_.begin++;
    return draw();
  }
  /// Restarts with task 0, and with another number of tasks if one is given. @collective @throws UsageError if
  /// it is negative
  void reset(std::optional<index_t> count = {});
  /// Frees the memory now. @collective
  void close();

 private:
  std::optional<index_t> draw();
  detail::TaskRange draw_from_all();
  void draw_from_node();

  index_t count_, chunk_;
  detail::TaskRange mine_{0, 0};
  index_t shares_ = 0;            // how many members a draw is for where nodes draw, else 0
  bool ended_ = false;            // this process has seen the end
  bool few_left_ = false;         // this process has seen that a node's part is less than a chunk
  Scalars<std::int64_t> global_;  // the first task that no process has drawn, on rank 0
  // For each node that draws for its members: the range that it has left, on its first member, under its mutex.
  std::optional<Scalars<std::int64_t>> node_;
  std::optional<Mutexes> node_mutex_;
};

/// Hands out tasks: a TaskCounter, or TaskQueues.
template <class T>
concept TaskSource = std::is_same_v<decltype(std::declval<T&>().next()), std::optional<index_t>>;

/// Calls compute(task) for each task that this process draws. @onesided
template <TaskSource Tasks, class F>
requires std::invocable<F&, index_t>
void for_each_task(Tasks& tasks, F&& compute) {
  while (const auto task = tasks.next()) std::invoke(compute, *task);
}

/// Begins to fetch the input of a task, and returns it as an object with wait().
template <class F>
concept TaskPrefetch = std::invocable<F&, index_t>;
namespace detail {
template <class F, class Prefetch>
inline constexpr bool computes = std::is_invocable_v<F&, index_t, std::invoke_result_t<Prefetch&, index_t>&>;
}  // namespace detail

/// Computes a task from its input.
template <class F, class Prefetch>
concept TaskComputation = detail::computes<F, Prefetch>;

/// The same, with communication overlapped by computation. prefetch(task) begins to fetch the input of a task,
/// one task ahead, and returns it as an object with wait(). compute(task, input) is called when the input is
/// there. compute may return a Request, or an object that holds one together with the memory it sends. The
/// result is destroyed when the next task has been computed, so that its transfer overlaps that computation.
/// @onesided
template <TaskSource Tasks, TaskPrefetch Prefetch, TaskComputation<Prefetch> Compute>
void for_each_task(Tasks& tasks, Prefetch&& prefetch, Compute&& compute) {
  using Input = std::invoke_result_t<Prefetch&, index_t>;
  using Output = std::invoke_result_t<Compute&, index_t, Input&>;
  auto task = tasks.next();
  if (!task) return;
  std::optional<Input> input(std::invoke(prefetch, *task));
  [[maybe_unused]] std::optional<std::conditional_t<std::is_void_v<Output>, int, Output>> sent;
  while (task) {
    const auto following = tasks.next();
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
