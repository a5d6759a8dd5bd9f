// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <tessera/core/array_core.hpp>

#include "array/node_cache.hpp"

namespace tessera::detail {

/// The phases in which one array is used in one way only: which goes on, and what it needs.
class EpochState {
 public:
  bool is_active() const noexcept { return active_; }
  /// Whether it is the one of a number that goes on. @local
  bool is_active(std::uint64_t number) const noexcept { return active_ && number_ == number; }
  /// Of the one that goes on, or did last. @local
  Mode mode() const noexcept { return mode_; }
  /// What the node keeps of other nodes' elements; null if it keeps nothing in this epoch. @local
  NodeCache* cache() const noexcept { return caches_ ? cache_.get() : nullptr; }

  /// Begins one, and returns its number. @collective @throws as ArrayCore::begin_epoch
  std::uint64_t begin(const ArrayCore& array, Mode mode, index_t cache_bytes);
  /// Ends the one that goes on: what was written in it is visible to all. @collective
  /// @throws as ArrayCore::end_epoch
  void end(const ArrayCore& array);
  /// Notes what this rank writes; several threads may. @local
  void add_written(const OwnedBox& box);
  /// Frees what is kept for later epochs. @collective
  void close();

 private:
  void prepare_cache(const ArrayCore& array, index_t bytes);

  bool active_ = false, caches_ = false;
  Mode mode_ = Mode::read_only;
  std::uint64_t number_ = 0;
  std::unique_ptr<NodeCache> cache_;
  index_t cache_bytes_ = 0;
  std::mutex mutex_;
  std::vector<OwnedBox> written_;  // by this rank
};

}  // namespace tessera::detail
