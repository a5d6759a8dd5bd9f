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
  /// The time from one checkpoint to the next; 0 for no regular checkpoints.
  std::chrono::seconds every{0};
  /// When the batch system ends the job. If not set, SLURM_JOB_END_TIME is used, if it is there.
  std::optional<std::chrono::system_clock::time_point> end = {};
  /// The end of the job as a time from now. If both ends are known, the earlier one counts.
  std::optional<std::chrono::seconds> run_time = {};
  /// How long before the end to write the last checkpoint and stop. It must suffice for the checkpoint and for
  /// what follows.
  std::chrono::seconds margin{300};
  /// Handles SIGUSR1 (a checkpoint is due) and SIGTERM (one is due, and the program should stop) on any rank.
  /// It replaces the previous handlers, which are restored at the end.
  bool signals = false;
};

/// Says when a checkpoint is due: regularly, on a signal, and before the job's time is over. The ranks agree,
/// so all of them get the same answer.
class CheckpointSchedule {
 public:
  /// @collective @throws UsageError if `every` or `margin` is negative, or signals are handled by another
  /// schedule
  explicit CheckpointSchedule(const Group& group, const ScheduleOptions& options = {});
  ~CheckpointSchedule();
  CheckpointSchedule(CheckpointSchedule&&) noexcept;
  CheckpointSchedule& operator=(CheckpointSchedule&&) noexcept;

  /// Whether a checkpoint is due. After true, the next calls return false until there is another reason. It is
  /// cheap enough for every iteration: the ranks agree by a reduction of one number, about ten times a second
  /// at most. They also agree in every 16th call at least; other calls do nothing. So it takes up to 16 calls
  /// until all ranks know what one rank knows. @collective
  bool due();
  /// Whether the program should end after its checkpoint: there was a SIGTERM, or the end of the job is near.
  /// It is the state when the ranks last agreed, so it is the same on all. @local
  bool should_stop() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
