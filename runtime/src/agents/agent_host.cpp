// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/agent_host.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <sched.h>
#include <sys/prctl.h>

#include "base/pause.hpp"
#include "format.hpp"
#include "mpi/cores.hpp"
#include "mpi/terminate.hpp"

namespace tessera::detail {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How long the thread looks for more before it sleeps: long enough for a process that sends one request after
// the other, and short enough to leave the core to those that compute.
constexpr auto linger = microseconds(50);
// How often it looks by itself, should a ring get lost.
constexpr auto longest_rest = milliseconds(4);
// Where nobody rings, and while data is on its way.
constexpr auto shortest_nap = microseconds(10), longest_nap = microseconds(200);

// How long those may wait who believe that the agent is awake, as it was while somebody waited here.
constexpr auto longest_doubt = milliseconds(1);

// How long what others have under way here may rest when a wait ends: longer than to prepare the next.
constexpr auto between_waits = microseconds(30);

constexpr int spins_before_yield = 200;
constexpr unsigned turns_before_yield = 4;  // each of them calls the kernel anyway

}  // namespace

void AgentHost::start(std::unique_ptr<AgentServer> agent) {
  agent_ = std::move(agent);
  if (mode_ == ProgressMode::thread) thread_ = std::thread([this] { run(); });
  mpi::while_waiting_serve(*this);
}

void AgentHost::stop() {
  mpi::serve_no_more(*this);
  if (thread_.joinable()) {
    stopping_ = true;
    bells_.mine().nudge();
    thread_.join();
  }
  agent_.reset();
}

void AgentHost::look_after() noexcept {
  if (asleep_.load(std::memory_order_seq_cst)) bells_.mine().nudge();
}

bool AgentHost::step() {
  if (!agent_) return false;
  const std::unique_lock lock(agent_mutex_, std::try_to_lock);
  if (!lock) return false;
  // Threads that take turns at MPI take them for the agent too.
  std::unique_lock turn(mpi::mutex(), std::defer_lock);
  if (outstanding_.threads().level() == ThreadLevel::serialized && !turn.try_lock()) return false;
  const bool worked = agent_->step();
  busy_ = agent_->is_busy();
  return worked;
}

void AgentHost::poll() {
  step();
  if (!outstanding_.is_empty()) {
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) outstanding_.advance_all();
  }
}

// Others may wait for what was gathered before this process can go on.
void AgentHost::serve() {
  poll();
  send_gathered_();
  if (!agent_) {
    // Its agent is another process: here is nobody else who lets MPI get on with what was sent.
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) mpi::progress(comms_.requests.get());
  }
  // Nobody says that a wait begins or ends: data that is on its way now is the thread's to go on with.
  if (waiters_ == 0 && busy_) look_after();
  // An agent that shares the core has something to do, and the kernel would let it wait for its turn.
  thread_local unsigned turns = 0;
  if (bells_.are_crowded() || ++turns % turns_before_yield == 0) sched_yield();
}

void AgentHost::Waiter::turn(int turns) {
  host_.step();
  if (!host_.outstanding_.is_empty()) host_.outstanding_.advance_all();
  mpi::serve_others(host_);
  host_.bells_.are_crowded() || turns > spins_before_yield ? static_cast<void>(sched_yield()) : pause();
}

void AgentHost::begin() noexcept {
  ++waiters_;
  if (nudged_later_.load(std::memory_order_relaxed) && nudged_later_.exchange(false)) bells_.mine().call_off();
}

// The thread has to go on with what is not done. What follows what was it finds at its next look: to wake it
// now would take the core from who has just got what was waited for. Nor is it woken at once for what others
// have under way here: a thread that has waited mostly waits again soon.
void AgentHost::end() noexcept {
  see_answered();
  if (--waiters_ > 0 || mode_ != ProgressMode::thread) return;
  if (!bells_.are_heard() || outstanding_.has_moving()) return look_after();
  if (!busy_ || !asleep_.load(std::memory_order_seq_cst)) return;
  nudged_later_ = true;
  bells_.mine().nudge_after(between_waits);
}

void AgentHost::run() noexcept {
  // Naps of microseconds are to be naps of microseconds.
  prctl(PR_SET_TIMERSLACK, 1);
  take_short_turns();
  try {
    auto last_work = Clock::now();
    std::chrono::nanoseconds nap = shortest_nap;
    while (!stopping_) {
      // The thread that waits does the work, and needs the core for it.
      if (waiters_ == 0) {
        const mpi::Unyielding unyielding;
        bool worked = step();
        if (outstanding_.has_moving()) {
          const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
          if (lock) worked |= outstanding_.advance_all();
        }
        if (worked) {
          last_work = Clock::now();
          nap = shortest_nap;
          continue;
        }
        const bool is_under_way = busy_ || outstanding_.has_moving();
        if ((is_under_way || !bells_.are_crowded()) && Clock::now() - last_work < linger) {
          pause();
          continue;
        }
      }
      asleep_.store(true, std::memory_order_seq_cst);
      const bool look_on = waiters_ == 0 && (busy_ || !bells_.are_heard() || outstanding_.has_moving());
      // Those who had an answer while somebody waited here believe that the agent is awake.
      const bool after_wait = waiters_ > 0 && !bells_.are_crowded();
      const bool woken = bells_.mine().wait(look_on ? nap : after_wait ? longest_doubt : longest_rest);
      asleep_ = false;
      if (look_on) nap = std::min<std::chrono::nanoseconds>(nap * 2, longest_nap);
      if (woken) last_work = Clock::now();
      // Nobody has asked for it so far: it has waited long enough for company.
      send_gathered_();
    }
  } catch (const std::exception& error) {
    abort_job(formatted("the agent of this process failed: {}", error.what()));
  }
}

}  // namespace tessera::detail
