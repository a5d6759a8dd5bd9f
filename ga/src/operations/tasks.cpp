// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/tasks.hpp>

#include <algorithm>
#include <span>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/detail/unchecked.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"
#include "operations/take_tasks.hpp"

namespace tessera {
namespace {

enum : index_t { range_begin, range_end, range_words };

index_t checked_count(index_t count, std::string_view name) {
  if (count >= 0) return count;
  throw UsageError(formatted("\"{}\" cannot have {} tasks", name, count));
}

// Members with other numbers would draw other tasks.
std::uint64_t fingerprint(index_t count, const TaskOptions& options) {
  return detail::Fingerprint().add(count).add(options.chunk).add(static_cast<int>(options.by_node)).value();
}

}  // namespace

TaskCounter::TaskCounter(const Group& group, index_t count, const TaskOptions& options)
    : count_(count), chunk_(options.chunk), global_(group, 1, options.name, fingerprint(count, options)) {
  checked_count(count, options.name);  // now alike on all members
  detail::checked_chunk(options.chunk, options.name);
  // On a single node the counter itself is as near as another one.
  if (group.node_count() == 1 || !options.by_node) return;
  shares_ = group.node().size();
  // A process that is alone on its node keeps what it draws. All nodes decide alike, though it matters only
  // where there are several members.
  if (group.node_count() == group.size()) return;
  detail::agreed(group, formatted("TaskCounter \"{}\"", options.name), [&] {
    node_.emplace(group.node(), range_words, formatted("{} of a node", options.name));
    node_mutex_.emplace(group.node(), 1, 0, formatted("{} of a node", options.name));
  });
}

void TaskCounter::reset(std::optional<index_t> count) {
  // Only some members store anything, but all have to throw.
  if (!global_.segment().is_open())
    throw UsageError(
        formatted("\"{}\" was used after it was closed, or outlived by its Runtime", global_.name()));
  const Group& all = group();
  const index_t wanted = count.value_or(count_);
  index_t bounds[] = {wanted, ~wanted};
  all.all_reduce(std::span(bounds), Reduce::max);  // no rank draws any more
  if (bounds[0] != ~bounds[1]) {
    throw UsageError(formatted("TaskCounter::reset of \"{}\": ranks give from {} to {} tasks", global_.name(),
                               ~bounds[1], bounds[0]));
  }
  count_ = checked_count(wanted, global_.name());
  mine_ = {0, 0};
  ended_ = false;
  few_left_ = false;
  if (all.rank() == 0) global_.store(0, 0, 0);
  if (node_ && node_->group().rank() == 0) {
    node_->store(0, range_begin, 0);
    node_->store(0, range_end, 0);
  }
  all.barrier();
}

void TaskCounter::close() {
  if (node_mutex_) node_mutex_->close();
  if (node_) node_->close();
  global_.close();
}

// Draws a chunk. For a node, draws its members' part of half of what is left, in whole chunks and at least one.
detail::TaskRange TaskCounter::draw_from_all() {
  // A chunk of more tasks than there are could overflow the counter.
  const index_t chunk = std::min(chunk_, std::max<index_t>(1, count_));
  index_t wanted = chunk;
  if (shares_ > 0 && !few_left_) {
    const index_t left = std::max<index_t>(0, count_ - global_.load(0, 0));
    const index_t fair = left / (2 * group().size()) * shares_;
    few_left_ = fair < chunk;
    wanted = std::max(chunk, fair / chunk * chunk);
  }
  return detail::take_tasks(global_, 0, count_, wanted, group().size());
}

void TaskCounter::draw_from_node() {
  const auto mutex = (*node_mutex_)[0];
  const std::scoped_lock lock(mutex);
  detail::TaskRange left{node_->load(0, range_begin), node_->load(0, range_end)};
  if (left.begin == left.end) left = draw_from_all();
  mine_ = {left.begin, left.begin + std::min(chunk_, left.end - left.begin)};
  node_->store(0, range_begin, mine_.end);
  node_->store(0, range_end, left.end);
}

std::optional<index_t> TaskCounter::draw() {
  if (ended_) return {};
  const detail::Unchecked own;  // a draw orders nothing
  if (node_)
    draw_from_node();
  else
    mine_ = draw_from_all();
  ended_ = mine_.begin == mine_.end;
  if (ended_) return {};
  return mine_.begin++;
}

}  // namespace tessera
