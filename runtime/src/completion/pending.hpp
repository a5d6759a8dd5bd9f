// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class Outstanding;
class SegmentState;

/// A transfer that is under way: stages that are moved on one after another, in any order of completion.
/// Everything under the window lock. Kept by the user's Request and by the runtime: either completes it.
class Pending {
 public:
  /// A part of a transfer that is moved on until it is done.
  class Stage {
   public:
    virtual ~Stage() = default;
    /// Whether it is done.
    virtual bool advance() = 0;
    /// Bytes of memory it keeps.
    virtual index_t kept() const noexcept { return 0; }
    /// Whether it has to be moved on to get done; else only the thread that waits for it need look.
    virtual bool needs_moving() const noexcept { return true; }
  };

  Pending() = default;
  Pending(const SegmentState& segment, int rank) { touches(segment, rank); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void add(std::unique_ptr<Stage> stage);
  /// Whose completion includes it.
  void touches(const SegmentState& segment, int rank) { targets_.push_back({&segment, rank}); }
  /// The process that has to be awake for it to get done; without one it needs nobody.
  void needs_agent(int agent) noexcept { agent_ = agent; }

  bool is_to(const SegmentState& segment, int rank) const noexcept {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const Target& one) { return one.segment == &segment && one.rank == rank; });
  }
  bool is_of(const SegmentState& segment) const noexcept {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const Target& one) { return one.segment == &segment; });
  }
  /// Whether it has nothing to wait for, and never had.
  bool is_empty() const noexcept { return stages_.empty(); }
  bool is_done() const noexcept { return done_; }
  /// Bytes of memory its stages keep.
  index_t kept() const noexcept { return kept_; }
  /// Whether it has to be moved on to get done.
  bool needs_moving() const noexcept;
  /// -1 where it needs nobody.
  int agent() const noexcept { return agent_; }
  /// Moves it on. Whether it is done; one that throws is done as well. @onesided
  bool advance();
  /// MPI is over, and the Runtime with it: there is nothing left to wait for. @local
  void abandon() noexcept;
  /// The queue it is in, until it is done. @local
  Outstanding& queue() const noexcept { return *queue_; }
  void enter(Outstanding& queue) noexcept { queue_ = &queue; }

 private:
  struct Target {
    const SegmentState* segment;
    int rank;
  };

  Outstanding* queue_ = nullptr;
  std::vector<Target> targets_;
  int agent_ = -1;
  std::atomic<bool> done_{false};
  bool advancing_ = false;
  index_t kept_ = 0;
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace tessera::detail
