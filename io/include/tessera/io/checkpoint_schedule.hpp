// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <tessera/runtime/error.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::io {

/// When a program is to write a checkpoint.
struct ScheduleOptions {
  /// So long after the one before; 0 for not by time.
  std::chrono::seconds every{0};
  /// When the job is ended by the batch system. Not set: what SLURM_JOB_END_TIME says, if it is there.
  std::optional<std::chrono::system_clock::time_point> end = {};
  /// The same as so long from now; the earlier of the two counts.
  std::optional<std::chrono::seconds> run_time = {};
  /// How long before the end to write the last one and stop: time for a checkpoint, and for what follows.
  std::chrono::seconds margin{300};
  /// Handles SIGUSR1 (a checkpoint is due) and SIGTERM (one is due, and the program should stop) of any rank,
  /// in place of whatever handled them before, which is put back at the end.
  bool signals = false;
};

/// Says when a checkpoint is due: regularly, on a signal, and before the job's time is over. The ranks agree,
/// so that all of them hear the same.
class CheckpointSchedule {
 public:
  /// @collective @throws UsageError if `every` or `margin` is negative, or signals are handled by another
  /// schedule
  explicit CheckpointSchedule(const Group& group, const ScheduleOptions& options = {});
  ~CheckpointSchedule();
  CheckpointSchedule(CheckpointSchedule&&) noexcept;
  CheckpointSchedule& operator=(CheckpointSchedule&&) noexcept;

  /// Whether a checkpoint is due; not again then until there is another reason. Cheap enough for every
  /// iteration: the ranks agree, by a reduction of one number, at most ten times a second or so and at least in
  /// every 16th call; in the others nothing happens. What one rank knows therefore takes up to 16 calls to be
  /// heard. @collective
  bool due();
  /// Whether the program should end after its checkpoint: there was a SIGTERM, or the end of the job is near.
  /// As of the last time that the ranks agreed, so the same on all. @local
  bool should_stop() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
