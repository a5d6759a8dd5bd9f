// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <tessera/core/array_core.hpp>

#include "array/node_cache.hpp"

namespace tessera::detail {

/// The epochs of one array: which one is active, and what it needs.
class EpochState {
 public:
  bool is_active() const noexcept { return active_; }
  /// Whether the epoch of a number is active. @local
  bool is_active(std::uint64_t number) const noexcept { return active_ && number_ == number; }
  /// The mode of the active epoch, or of the last one. @local
  Mode mode() const noexcept { return mode_; }
  /// The node's cache of other nodes' elements; null if this epoch has none. @local
  NodeCache* cache() const noexcept { return caches_ ? cache_.get() : nullptr; }

  /// Begins an epoch, and returns its number. @collective @throws as ArrayCore::begin_epoch
  std::uint64_t begin(const ArrayCore& array, Mode mode, index_t cache_bytes);
  /// Ends the active epoch, and makes its writes visible to all. @collective @throws as ArrayCore::end_epoch
  void end(const ArrayCore& array);
  /// What a rank has written.
  struct Write {
    int rank = 0;
    Lattice patch{};
  };
  /// Records a write of this rank; several threads may call it. @local
  void add_written(const Write& write);
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
  std::vector<Write> written_;  // by this rank
};

}  // namespace tessera::detail
