// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

class Outstanding;
class SegmentState;

/// A transfer under way. Its stages are advanced in turn, and may complete in any order. The user's Request and
/// the runtime share it: either completes it. Used under the network lock, except is_done() and queue().
class Pending {
 public:
  /// A part of a transfer that is advanced until it is done.
  class Stage {
   public:
    virtual ~Stage() = default;
    /// Makes progress; returns whether it is done.
    virtual bool advance() = 0;
    /// Bytes of memory it keeps.
    virtual index_t kept() const noexcept { return 0; }
    /// Whether it only progresses when polled. If not, only the thread that waits for it has to look.
    virtual bool needs_moving() const noexcept { return true; }
  };

  Pending() = default;
  Pending(const SegmentState& segment, int rank) { touches(segment, rank); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void add(std::unique_ptr<Stage> stage);
  /// Adds a target: completing the operations on that rank of the segment completes this transfer, too.
  void touches(const SegmentState& segment, int rank) { targets_.push_back({&segment, rank}); }
  /// Sets the agent whose process has to be awake for it to complete; without this call it needs none.
  void needs_agent(int agent) noexcept { agent_ = agent; }

  bool is_to(const SegmentState& segment, int rank) const noexcept {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const Target& one) { return one.segment == &segment && one.rank == rank; });
  }
  bool is_of(const SegmentState& segment) const noexcept {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const Target& one) { return one.segment == &segment; });
  }
  /// Whether it has no stages: then, at its launch, there is nothing to wait for.
  bool is_empty() const noexcept { return stages_.empty(); }
  bool is_done() const noexcept { return done_; }
  /// Bytes of memory its stages keep.
  index_t kept() const noexcept { return kept_; }
  /// Whether a stage only progresses when polled.
  bool needs_moving() const noexcept;
  /// -1 if it needs no agent.
  int agent() const noexcept { return agent_; }
  /// Advances its stages; returns whether it is done. If a stage throws, the transfer counts as done. @onesided
  bool advance();
  /// Its number among the asynchronous accesses that are checked; 0 if it is not checked. @local
  std::uint64_t ticket() const noexcept { return ticket_; }
  void has_ticket(std::uint64_t ticket) noexcept { ticket_ = ticket; }
  /// Drops its stages: MPI and the Runtime have ended, so there is nothing left to wait for. @local
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
  std::uint64_t ticket_ = 0;
  std::vector<std::unique_ptr<Stage>> stages_;
};

}  // namespace tessera::detail
