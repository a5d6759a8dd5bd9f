// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/tasks.hpp>

namespace tessera {

/// All pairs (i, j) of 0 to n - 1: n * n.
struct Square {};
/// The pairs (i, j) of 0 to n - 1 with j <= i: n (n + 1) / 2.
struct Triangular {};

/// Square or Triangular.
template <class S>
concept PairShape = std::same_as<S, Square> || std::same_as<S, Triangular>;

/// An estimate of the work for a pair, in any unit.
template <class F>
concept PairCost = std::is_invocable_r_v<double, F&, index_t, index_t>;

/// Pairs of indices, numbered as tasks. Without costs, they are in row-major order, and take no memory. With
/// costs, the most expensive one is number 0, and each takes 8 bytes, and 24 while they are sorted. So ranks
/// that draw tasks in order end together: the last tasks are short.
class Pairs {
 public:
  /// @local @throws UsageError if n is negative, or there are more pairs than 64 bits can count
  template <PairShape S>
  Pairs(index_t n, S) : Pairs(n, std::is_same_v<S, Triangular>) {}
  /// Ordered by cost(i, j), which must be the same on every rank. Pairs of equal cost are in row-major order.
  /// @local @throws UsageError as above, if a cost is NaN, or if n is above 2^32
  template <PairShape S, PairCost F>
  Pairs(index_t n, S shape, F&& cost) : Pairs(n, shape) {
    sort([&cost](index_t i, index_t j) { return static_cast<double>(std::invoke(cost, i, j)); });
  }

  index_t count() const noexcept { return count_; }
  /// The pair with a number from 0 to count() - 1. @local
  std::pair<index_t, index_t> operator[](index_t number) const noexcept {
    if (sorted_.empty()) return in_order(number);
    const std::uint64_t pair = sorted_[static_cast<std::size_t>(number)];
    return {static_cast<index_t>(pair >> 32), static_cast<index_t>(pair & 0xffffffffU)};
  }

 private:
  Pairs(index_t n, bool is_triangular);
  std::pair<index_t, index_t> in_order(index_t number) const noexcept;
  void sort(const std::function<double(index_t, index_t)>& cost);

  index_t n_, count_;
  bool is_triangular_;
  std::vector<std::uint64_t> sorted_;  // i in the upper half, j in the lower
};

namespace detail {
/// @throws UsageError unless there is one task for each pair @local
void require_task_for_each(const Pairs& pairs, index_t tasks);
}  // namespace detail

/// Hands out tasks and knows how many there are: a TaskCounter, or TaskQueues.
template <class T>
concept CountedTasks = TaskSource<T> && requires(const T& tasks) {
  { tasks.count() } -> std::same_as<index_t>;
};

/// Calls compute(i, j) for each pair whose task this process draws. @onesided @throws UsageError unless there
/// are as many tasks as pairs
template <CountedTasks Tasks, class F>
requires std::invocable<F&, index_t, index_t>
void for_each_pair(Tasks& tasks, const Pairs& pairs, F&& compute) {
  detail::require_task_for_each(pairs, tasks.count());
  for_each_task(tasks, [&](index_t task) {
    const auto [i, j] = pairs[task];
    std::invoke(compute, i, j);
  });
}
/// The same in row-major order: `for_each_pair(counter, n, Triangular{}, f)`. @onesided @throws as above
template <CountedTasks Tasks, PairShape S, class F>
requires std::invocable<F&, index_t, index_t>
void for_each_pair(Tasks& tasks, index_t n, S shape, F&& compute) {
  for_each_pair(tasks, Pairs(n, shape), compute);
}

/// The same with communication overlapped by computation, as for_each_task with prefetch(i, j) and
/// compute(i, j, input). @onesided @throws as above
template <CountedTasks Tasks, class Prefetch, class Compute>
requires std::invocable<Prefetch&, index_t, index_t>
void for_each_pair(Tasks& tasks, const Pairs& pairs, Prefetch&& prefetch, Compute&& compute) {
  detail::require_task_for_each(pairs, tasks.count());
  for_each_task(
      tasks,
      [&](index_t task) {
        const auto [i, j] = pairs[task];
        return std::invoke(prefetch, i, j);
      },
      [&](index_t task, auto& input) {
        const auto [i, j] = pairs[task];
        return std::invoke(compute, i, j, input);
      });
}

}  // namespace tessera
