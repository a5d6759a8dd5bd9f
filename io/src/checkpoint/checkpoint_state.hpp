// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/io/checkpoint.hpp>

#include "checkpoint/generation_writer.hpp"
#include "posix/path_lock.hpp"
#include "tiles/stored_items.hpp"

namespace tessera::io::detail {

/// The state that a Checkpoint shares with its pending checkpoints.
class CheckpointState {
 public:
  CheckpointState(const Group& group, const std::filesystem::path& prefix, const CheckpointOptions& options);
  /// Says that a background write is discarded, unless an exception is the reason.
  ~CheckpointState();
  CheckpointState(const CheckpointState&) = delete;
  CheckpointState& operator=(const CheckpointState&) = delete;

  void add(StoredItem item);
  /// Locks the path, or checks that it is still locked. Called before each write and each commit.
  void claim();
  void write(std::int64_t step);
  /// Returns the number of this write, for is_written and complete.
  std::int64_t write_behind(std::int64_t step);
  bool is_written(std::int64_t number) const noexcept;
  void complete(std::int64_t number);
  std::optional<Restored> restore();
  std::optional<std::int64_t> last_step() const noexcept { return last_step_; }
  void close();

 private:
  void complete();
  void begin(std::string_view call, std::int64_t step);

  Group group_;
  const bool speaks_;  // for all ranks
  std::filesystem::path prefix_;
  CheckpointOptions options_;
  std::vector<StoredItem> items_;
  std::optional<PathLock> lock_;                // on rank 0
  std::vector<std::filesystem::path> damaged_;  // found by restore()
  std::optional<std::int64_t> last_step_;       // restored, written, or being written
  std::unique_ptr<GenerationWriter> pending_;
  std::int64_t number_ = 0;  // of pending_, or of the last one
};

/// Reads the newest readable generation into the items. @collective
std::optional<Restored> restore(const Group& group, const std::filesystem::path& prefix,
                                const std::vector<StoredItem>& items);

}  // namespace tessera::io::detail
