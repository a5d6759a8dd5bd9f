// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>
#include <unordered_map>

#include "completion/ordering.hpp"

namespace tessera::detail {

/// The marks of what is under way to each member of one segment; only members talked to take memory. Used under
/// the network lock, except is_empty().
class UnderWay {
 public:
  /// May be called without the lock. @local
  bool is_empty() const noexcept { return size_.load(std::memory_order_relaxed) == 0; }
  /// The marks of a member. @local
  unsigned of(int rank) const noexcept {
    const auto found = marks_.find(rank);
    return found == marks_.end() ? 0 : found->second;
  }
  void add(int rank, unsigned marks) {
    if (marks == 0) return;
    marks_[rank] |= marks;
    size_.store(marks_.size(), std::memory_order_relaxed);
  }
  void clear(int rank) noexcept {
    marks_.erase(rank);
    size_.store(marks_.size(), std::memory_order_relaxed);
  }
  void clear() noexcept {
    marks_.clear();
    size_.store(0, std::memory_order_relaxed);
  }
  /// By rank. @local
  const std::unordered_map<int, unsigned>& marks() const noexcept { return marks_; }

 private:
  std::unordered_map<int, unsigned> marks_;
  std::atomic<std::size_t> size_{0};
};

}  // namespace tessera::detail
