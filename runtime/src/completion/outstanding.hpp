// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include <tessera/runtime/request.hpp>

#include "completion/pending.hpp"
#include "mpi/threads.hpp"

namespace tessera::detail {

/// The transfers of this process that are under way, oldest first. Everything under the window lock, but for
/// the counts.
class Outstanding {
 public:
  /// Looks after transfers between nodes while nobody calls, and serves other nodes while somebody waits.
  class Attendant {
   public:
    virtual ~Attendant() = default;
    /// Returns when done(). The process of `agent` has to be awake for that; -1: none. @onesided
    virtual void wait_for(int agent, const std::function<bool()>& done) = 0;
    /// A transfer goes on by itself: somebody has to look after it. @local
    virtual void look_after() noexcept = 0;
    /// Runs the agent, where only the threads that call do. @local
    virtual void poll() = 0;
  };

  explicit Outstanding(const Threads& threads) noexcept : threads_(threads) {}
  Outstanding(const Outstanding&) = delete;
  Outstanding& operator=(const Outstanding&) = delete;
  /// Without one, as on one node, a wait does nothing else. @local
  void attend(Attendant* attendant) noexcept { attendant_ = attendant; }

  /// The user's share in a transfer that has begun; completes older ones where there are too many. @onesided
  Request launch(std::shared_ptr<Pending> pending);
  /// Moves one on; whether it is done. @onesided
  bool advance(Pending& one);
  /// Moves all on; whether one was done. @onesided
  bool advance_all();
  /// Waits for one. @onesided
  void complete(Pending& one);
  /// Waits for those of which which(const Pending&). @onesided
  template <class Which>
  void complete_if(Which&& which) {
    const auto all = queue_;  // completing takes them off the list
    for (const auto& [pending, moves] : all) {
      if (which(std::as_const(*pending))) complete(*pending);
    }
  }
  /// MPI is over: there is nothing left to wait for. @local
  void abandon() noexcept;
  /// Runs the agent, where only the threads that call do. @local
  void poll() {
    if (attendant_ != nullptr) attendant_->poll();
  }

  /// @local
  bool is_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  /// Whether some do not get on by themselves. @local
  bool has_moving() const noexcept { return moving_ > 0; }
  const Threads& threads() const noexcept { return threads_; }

 private:
  struct Launched {
    std::shared_ptr<Pending> pending;
    bool moves;  // has to be moved on
  };
  void remove(const Pending& one) noexcept;
  bool are_too_many(const Pending& with) const noexcept;

  const Threads& threads_;
  Attendant* attendant_ = nullptr;
  std::deque<Launched> queue_;
  std::atomic<std::size_t> count_{0}, moving_{0};
};

}  // namespace tessera::detail
