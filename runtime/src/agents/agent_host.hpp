// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "agents/agent_server.hpp"
#include "agents/bells.hpp"
#include "agents/messages.hpp"
#include "base/activity.hpp"
#include "completion/outstanding.hpp"
#include "mpi/mpi.hpp"
#include "mpi/mpi_process.hpp"

namespace tessera::detail {

/// Runs this process's agent, if it has one, and advances the transfers that the process has under way. Two
/// kinds of threads do so: its own, which sleeps until it is rung (in mode spin never), and every thread of the
/// program that waits in Tessera.
class AgentHost : private mpi::Idle {
 public:
  /// `send_gathered` sends the messages gathered for other agents, if there are any. No agent runs before
  /// start().
  AgentHost(const AgentComms& comms, Bells& bells, Outstanding& outstanding, ProgressMode mode,
            std::function<void()> send_gathered)
      : comms_(comms),
        bells_(bells),
        outstanding_(outstanding),
        mode_(mode),
        send_gathered_(std::move(send_gathered)) {}
  ~AgentHost() override { stop(); }
  AgentHost(const AgentHost&) = delete;
  AgentHost& operator=(const AgentHost&) = delete;

  /// @local
  void start(std::unique_ptr<AgentServer> agent);
  /// Stops the agent; no process sends to it any more. @local
  void stop();

  ProgressMode mode() const noexcept { return mode_; }
  /// When the process of another agent last sent something to the agent here. @local
  std::chrono::steady_clock::time_point heard(int agent) const noexcept {
    return agent_ ? agent_->heard(agent) : std::chrono::steady_clock::time_point();
  }
  /// When data of a long transfer of the process of another agent last moved here. @local
  std::chrono::steady_clock::time_point moved(int agent) const noexcept {
    return agent_ ? agent_->moved(agent) : std::chrono::steady_clock::time_point();
  }
  /// Whether long data with a notification is coming in. @local
  bool is_notified_soon() const noexcept { return notified_soon_.load(std::memory_order_relaxed); }
  /// Wakes the thread, if it sleeps: there is something to progress. @local
  void look_after() noexcept;
  /// Waits until done() is true, and runs the agent meanwhile. Under the network lock. @onesided
  template <class Done>
  void wait_until(Done&& done) {
    if (done()) return see_answered();
    Waiter waiter(*this);
    for (int turns = 0; !done(); ++turns) waiter.turn(turns);
  }
  /// Runs the agent, and advances the transfers that this process has under way. Returns whether there was
  /// something to do. @local
  bool poll();
  /// One turn of a wait outside this class. begin() and end() enclose such a wait: meanwhile the thread leaves
  /// the agent to it. @local
  void serve() override;
  /// The same for the Runtimes of other libraries, if no other thread runs their agents. @local
  void serve_others() const { mpi::serve_others(*this); }
  void begin() noexcept override;
  void end() noexcept override;
  bool is_needed() const noexcept override { return !has_thread(mode_); }

 private:
  using Clock = std::chrono::steady_clock;
  class Waiter {
   public:
    explicit Waiter(AgentHost& host) noexcept : host_(host) { host_.begin(); }
    ~Waiter() { host_.end(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    void turn(int turns);

   private:
    AgentHost& host_;
    bool idle_ = false;  // the last turn had nothing to do
    activity::Wait waits_{"answers from agents of other nodes"};
  };
  void see_answered() const noexcept {
    if (agent_) agent_->see_answered();
  }
  void run() noexcept;
  bool step();
  bool step_of_agent() noexcept;

  const AgentComms& comms_;
  Bells& bells_;
  Outstanding& outstanding_;
  ProgressMode mode_;
  std::function<void()> send_gathered_;
  std::mutex agent_mutex_;  // held by the thread that runs the agent
  std::unique_ptr<AgentServer> agent_;
  std::atomic<int> waiters_{0};             // threads that wait, and run the agent meanwhile
  std::atomic<bool> busy_{false};           // the agent has requests or answers under way
  std::atomic<bool> needed_{false};         // of these, some that no thread here is about to wait for
  std::atomic<bool> notified_soon_{false};  // the agent receives long data with a notification
  std::atomic<bool> asleep_{false}, stopping_{false};
  std::atomic<bool> nudged_later_{false};  // the thread's wake-up is delayed; a new wait calls it off
  std::thread thread_;
};

}  // namespace tessera::detail
