// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/agent_host.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <sys/prctl.h>

#include <tessera/runtime/detail/quiet_thread.hpp>

#include "agents/rest.hpp"
#include "base/explain.hpp"
#include "base/give_way.hpp"
#include "base/pause.hpp"
#include "format.hpp"
#include "mpi/cores.hpp"
#include "mpi/terminate.hpp"

namespace tessera::detail {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How often the thread polls by itself, in case a ring is lost.
constexpr auto longest_rest = milliseconds(4);

// The longest sleep while a thread waits here. A client that was just answered does not ring, as it takes the
// agent for awake.
constexpr auto longest_doubt = milliseconds(1);

// How long requests of others may rest here when a wait ends: longer than it takes to prepare the next wait.
constexpr auto between_waits = microseconds(30);

constexpr int spins_before_yield = 200;
constexpr unsigned turns_before_yield = 4;  // each of them calls the kernel anyway

// The turns of this thread's wait that have found nothing since the last one that has.
thread_local unsigned idle_turns = 0;

}  // namespace

void AgentHost::start(std::unique_ptr<AgentServer> agent) {
  agent_ = std::move(agent);
  if (has_thread(mode_)) thread_ = quiet_thread([this] { run(); });
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

// An error of the agent must not end the wait of this thread, which may have memory at MPI.
bool AgentHost::step_of_agent() noexcept try { return agent_->step(); } catch (...) {
  abort_by_current_exception("the agent of this process failed: ");
}

bool AgentHost::step() {
  if (!agent_) return false;
  const std::unique_lock lock(agent_mutex_, std::try_to_lock);
  if (!lock) return false;
  // In serialized mode, running the agent needs a turn at MPI, too.
  std::unique_lock turn(mpi::mutex(), std::defer_lock);
  if (outstanding_.threads().level() == ThreadLevel::serialized && !turn.try_lock()) return false;
  const bool worked = step_of_agent();
  busy_ = agent_->is_busy();
  needed_ = busy_ && agent_->is_needed();
  notified_soon_ = busy_ && agent_->notifies_soon();
  return worked;
}

bool AgentHost::poll() {
  bool worked = step();
  if (!outstanding_.is_empty()) {
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) worked |= outstanding_.advance_all();
  }
  return worked;
}

// Also sends the gathered messages: other processes may wait for them before this process can go on.
void AgentHost::serve() {
  // Yields to an agent that shares the core, which the kernel would otherwise let wait for its turn. This comes
  // first, so that the caller sees at once what the turn has brought.
  if (idle_turns > 0 && (bells_.are_crowded() || idle_turns % turns_before_yield == 0)) give_way();
  idle_turns = poll() ? 0 : idle_turns + 1;
  send_gathered_();
  if (!agent_) {
    // The agent is another process, so nothing else here lets MPI progress the messages sent.
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) mpi::progress(comms_.requests.get());
  }
  // If no begin() has announced this wait, the thread has to progress the requests under way.
  if (waiters_ == 0 && busy_) look_after();
}

// The yield comes first, so that the caller sees at once what the turn has brought.
void AgentHost::Waiter::turn(int turns) {
  if (idle_) host_.bells_.are_crowded() || turns > spins_before_yield ? give_way() : pause();
  idle_ = !host_.step();
  if (!host_.outstanding_.is_empty() && host_.outstanding_.advance_all()) idle_ = false;
  mpi::serve_others(host_);
}

void AgentHost::begin() noexcept {
  idle_turns = 0;
  ++waiters_;
  if (nudged_later_.load(std::memory_order_relaxed) && nudged_later_.exchange(false)) bells_.mine().call_off();
}

// The last wait leaves the rest to the thread. It wakes the thread at once for this process's own transfers,
// and after a delay for requests of others, as mostly a new wait begins soon. The thread finds later messages
// at its next poll: woken now, it would take the core from the thread whose wait has ended. Nor does it wake
// the thread for data that comes with a notification, as the next wait is mostly for that: to set the timer and
// to stop it takes as long as two messages.
void AgentHost::end() noexcept {
  see_answered();
  if (--waiters_ > 0 || mode_ != ProgressMode::thread) return;
  if (!bells_.are_heard() || outstanding_.has_moving()) return look_after();
  if (!needed_ || !asleep_.load(std::memory_order_seq_cst)) return;
  nudged_later_ = true;
  bells_.mine().nudge_after(between_waits);
}

void AgentHost::run() noexcept {
  // Otherwise the kernel's timer slack would lengthen naps of microseconds.
  prctl(PR_SET_TIMERSLACK, 1);
  take_short_turns();
  try {
    Rest rest(bells_.mine(), bells_.are_crowded());
    while (!stopping_) {
      // A thread that waits runs the agent, and needs the core for it.
      if (waiters_ == 0) {
        bool worked = step();
        if (outstanding_.has_moving()) {
          const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
          if (lock) worked |= outstanding_.advance_all();
        }
        if (worked) {
          rest.worked();
          continue;
        }
        if (rest.lingers(busy_ || outstanding_.has_moving())) {
          pause();
          continue;
        }
      }
      if (mode_ == ProgressMode::spin) {
        bells_.are_crowded() ? give_way() : pause();
        if (rest.has_worked_lately()) continue;
        send_gathered_();  // the gathered messages have waited long enough for more
        rest.begin();
        continue;
      }
      asleep_.store(true, std::memory_order_seq_cst);
      const bool looks_on = waiters_ == 0 && (busy_ || !bells_.are_heard() || outstanding_.has_moving());
      // Clients that were answered during a wait here take the agent for awake, and do not ring.
      const bool after_wait = waiters_ > 0 && !bells_.are_crowded();
      looks_on ? rest.nap() : rest.sleep(after_wait ? longest_doubt : longest_rest);
      asleep_ = false;
      // The gathered messages have waited long enough for more.
      send_gathered_();
    }
  } catch (const std::exception& error) {
    abort_job(formatted("the agent of this process failed: {}", explain(error)));
  }
}

}  // namespace tessera::detail
