// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "activity.hpp"
#include "agent.hpp"
#include "courier.hpp"
#include "doorbell.hpp"
#include "waiting.hpp"
#include "wire.hpp"

namespace tessera::detail {

struct Region;
struct RuntimeState;

/// The agents of a job that spans nodes, and what runs this one's: a thread that sleeps until it is rung, or
/// the threads that call Tessera, or processes that do nothing else.
class Progress : private mpi::Idle {
 public:
  /// @collective over `all`, which holds the agents' own processes too, if they have any (see
  /// progress_rank.hpp). agents[r] is the rank in it of the process that serves world rank r.
  Progress(RuntimeState& runtime, MPI_Comm all, std::vector<int> agents, ProgressMode mode);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Ends it: nobody sends any more. @local
  void leave();

  ProgressMode mode() const noexcept { return mode_; }
  int agent_of(int world_rank) const noexcept { return agents_[static_cast<std::size_t>(world_rank)]; }
  bool rings() const noexcept { return rings_; }
  /// Whether an agent looks for more for a while after each request. @local
  bool lingers(int agent) const noexcept { return bells_[static_cast<std::size_t>(agent)].lingers; }
  /// When the process of an agent last asked for something here. @local
  std::chrono::steady_clock::time_point heard(int agent) const noexcept {
    return agent_ ? agent_->heard(agent) : std::chrono::steady_clock::time_point();
  }
  /// Lets the agents of this node find a region, before anybody asks them for it. On the node's first member of
  /// its group it also tells those in processes of their own. The problem, if there is one. @local
  std::string show(const Region& region, bool first_on_node);
  void hide(const Region& region) noexcept;
  std::string show_locks();
  Courier& courier() noexcept { return courier_; }

  /// Rings an agent's process. @local
  void ring(int agent) const noexcept;
  /// To be called when a transfer goes on by itself: somebody has to look after it. @local
  void look_after() noexcept;
  /// Waits until done() and works for others meanwhile. Under the window lock. @onesided
  template <class Done>
  void wait_until(Done&& done) {
    if (done()) return see_answered();
    Waiter waiter(*this);
    for (int turns = 0; !done(); ++turns) waiter.turn(turns);
  }
  /// Runs the agent, and moves on what this process has under way. @local
  void poll();
  /// A turn of a wait that somebody else makes, and where such a wait begins and ends: meanwhile the thread
  /// keeps away. @local
  void serve() override;
  /// The same for the Runtimes of other libraries, where nobody else does that. @local
  void serve_others() const { mpi::serve_others(*this); }
  void begin() noexcept override;
  void end() noexcept override;
  bool is_needed() const noexcept override { return mode_ != ProgressMode::thread; }

 private:
  using Clock = std::chrono::steady_clock;
  class Waiter {
   public:
    explicit Waiter(Progress& progress) noexcept : progress_(progress) { progress_.begin(); }
    ~Waiter() { progress_.end(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    void turn(int turns);

   private:
    Progress& progress_;
    activity::Wait waits_{"answers from agents of other nodes"};
  };
  void see_answered() const noexcept {
    if (agent_) agent_->see_answered();
  }
  void run() noexcept;
  bool step();
  void send_gathered();
  void stop();
  void meet_bells(MPI_Comm all);
  void test_bells(MPI_Comm world);

  RuntimeState& runtime_;
  ProgressMode mode_;
  Wire wire_;
  std::vector<int> agents_;
  std::vector<int> own_agents_;  // processes that serve this node and do nothing else
  int my_agent_ = 0;
  Directory directory_;
  Doorbell bell_;
  std::vector<Doorbell::Address> bells_;
  bool rings_ = false;
  bool crowded_ = false;    // the thread takes a core from those who compute
  std::mutex agent_mutex_;  // held by who runs the agent
  std::unique_ptr<Agent> agent_;
  Courier courier_;
  std::atomic<int> waiters_{0};    // who run the agent while they wait, so that the thread need not
  std::atomic<bool> busy_{false};  // the agent has data on its way
  std::atomic<bool> asleep_{false}, stopping_{false};
  std::atomic<bool> nudged_later_{false};  // it is to be woken, unless somebody waits here again before
  std::thread thread_;
};

}  // namespace tessera::detail
