// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/tasks.hpp>

#include <algorithm>
#include <limits>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera {
namespace {

enum : index_t { range_begin, range_end, range_words };

index_t checked_count(index_t count, std::string_view name) {
  if (count >= 0) return count;
  throw UsageError(formatted("\"{}\" cannot have {} tasks", name, count));
}

index_t checked_chunk(index_t chunk, std::string_view name) {
  if (chunk > 0) return chunk;
  throw UsageError(formatted("\"{}\" cannot be drawn in chunks of {} tasks", name, chunk));
}

}  // namespace

TaskCounter::TaskCounter(const Group& group, index_t count, const TaskOptions& options)
    : count_(checked_count(count, options.name)),
      chunk_(checked_chunk(options.chunk, options.name)),
      global_(group, 1, options.name) {
  group.check_agreement(formatted("TaskCounter \"{}\"", options.name),
                        static_cast<std::uint64_t>(count_) * 31 + static_cast<std::uint64_t>(chunk_) * 2 +
                            static_cast<std::uint64_t>(options.by_node));
  // Nodes need no counters if there is only one, where the counter itself is as near, or if each has one
  // process. All nodes decide alike, though it matters only where there are several members.
  if (group.node_count() == 1 || group.node_count() == group.size() || !options.by_node) return;
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
  all.check_agreement(formatted("TaskCounter::reset of \"{}\"", global_.name()),
                      static_cast<std::uint64_t>(wanted), [&] { return formatted(" to {} tasks", wanted); });
  count_ = checked_count(wanted, global_.name());
  all.barrier();  // no rank still draws
  mine_ = {0, 0};
  ended_ = false;
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

// For `shares` members of the group, draws their part of half of what is left, in whole chunks and at least one
// chunk.
TaskCounter::TaskRange TaskCounter::draw_from_all(index_t shares) {
  // A chunk of more tasks than there are could overflow the counter.
  const index_t chunk = std::min(chunk_, std::max<index_t>(1, count_));
  index_t wanted = chunk;
  if (shares > 1) {
    const index_t left = std::max<index_t>(0, count_ - global_.load(0, 0));
    const index_t fair = left / (2 * group().size()) * shares;
    wanted = std::max(chunk, fair / chunk * chunk);
  }
  const index_t begin = std::min(count_, advance(wanted));
  return {begin, begin + std::min(wanted, count_ - begin)};
}

// Advances the counter, and returns where it was. Each process adds beyond the end at most once.
index_t TaskCounter::advance(index_t wanted) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  if (wanted <= (most - count_) / group().size()) return global_.fetch_add(0, 0, wanted);
  index_t now = global_.load(0, 0);
  while (now < count_ && !global_.compare_exchange(0, 0, now, now + std::min(wanted, count_ - now))) {
  }
  return now;
}

void TaskCounter::draw_from_node() {
  const auto mutex = (*node_mutex_)[0];
  const std::scoped_lock lock(mutex);
  TaskRange left{node_->load(0, range_begin), node_->load(0, range_end)};
  if (left.begin == left.end) left = draw_from_all(node_->group().size());
  mine_ = {left.begin, left.begin + std::min(chunk_, left.end - left.begin)};
  node_->store(0, range_begin, mine_.end);
  node_->store(0, range_end, left.end);
}

std::optional<index_t> TaskCounter::draw() {
  if (ended_) return {};
  if (node_)
    draw_from_node();
  else
    mine_ = draw_from_all(1);
  ended_ = mine_.begin == mine_.end;
  if (ended_) return {};
  return mine_.begin++;
}

}  // namespace tessera
