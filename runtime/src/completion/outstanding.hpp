// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include <tessera/runtime/request.hpp>

#include "base/verb.hpp"
#include "completion/pending.hpp"
#include "mpi/threads.hpp"

namespace tessera::detail {

/// The transfers of this process that are under way, oldest first. All of it is used under the network lock,
/// except the counts.
class Outstanding {
 public:
  /// Progresses transfers between nodes while no thread calls Tessera, and serves other nodes while one waits.
  class Attendant {
   public:
    virtual ~Attendant() = default;
    /// Returns when done() is true. For that the process of `agent` has to be awake; -1: no process. @onesided
    virtual void wait_for(int agent, const std::function<bool()>& done) = 0;
    /// Wakes the attendant, if necessary, to poll a new transfer that only progresses when polled. @local
    virtual void look_after() noexcept = 0;
    /// Runs the agent in poll mode, where no thread of its own does. @local
    virtual void poll() = 0;
  };

  explicit Outstanding(const Threads& threads) noexcept : threads_(threads) {}
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;
  /// Sets the attendant. Without one, as on one node, a wait only polls its own transfer. @local
  void attend(Attendant* attendant) noexcept { attendant_ = attendant; }

  /// Keeps a transfer that has begun, and returns the user's request for it. If too many are under way, it
  /// completes the oldest first. The attendant is not woken for a caller that waits at once. @onesided
  Request launch(std::shared_ptr<Pending> pending, Returns returns = Returns::early);
  /// Adds a checked access to a request: it is complete when the request has been waited for. The access may be
  /// done now only if it has begun. @local
  static void add_ticket(Request& request, std::uint64_t ticket, bool has_begun = true);
  /// Advances one transfer; returns whether it is done. @onesided
  bool advance(Pending& one);
  /// Advances all transfers; returns whether one was done. Ends the job if one fails. @onesided
  bool advance_all() noexcept;
  /// Waits for one. @onesided
  void complete(Pending& one);
  /// Waits for the transfers for which `which(const Pending&)` is true. @onesided
  template <class Which>
  void complete_if(Which&& which) {
    const auto all = queue_;  // a copy: completing removes them from the queue
    for (const auto& [pending, moves] : all) {
      if (which(std::as_const(*pending))) complete(*pending);
    }
  }
  /// Gives up all transfers, because MPI has ended. @local
  void abandon() noexcept;
  /// Runs the agent in poll mode, where no thread of its own does. @local
  void poll() {
    if (attendant_ != nullptr) attendant_->poll();
  }

  /// @local
  bool is_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  /// Whether there are transfers that only progress when polled. @local
  bool has_moving() const noexcept { return moving_ > 0; }
  const Threads& threads() const noexcept { return threads_; }

 private:
  struct Launched {
    std::shared_ptr<Pending> pending;
    bool moves;  // only progresses when polled
  };
  void remove(const Pending& one) noexcept;
  bool are_too_many() const noexcept;

  const Threads& threads_;
  Attendant* attendant_ = nullptr;
  std::deque<Launched> queue_;
  std::atomic<std::size_t> count_{0}, moving_{0};
};

}  // namespace tessera::detail
