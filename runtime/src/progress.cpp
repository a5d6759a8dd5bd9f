// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <set>
#include <unordered_map>
#include <utility>

#include <sched.h>
#include <sys/prctl.h>

#include "cores.hpp"
#include "format.hpp"
#include "state.hpp"

namespace tessera::detail {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// How long the thread looks for more before it sleeps: long enough for who sends one request after the other,
// and short enough to leave the core to those who compute.
constexpr auto linger = microseconds(50);
// How often it looks by itself, should a ring get lost.
constexpr auto longest_sleep = milliseconds(4);
// Where nobody rings, and while data is on its way.
constexpr auto shortest_nap = microseconds(10), longest_nap = microseconds(200);

// How long those may wait who believe that the agent is awake, as it was while somebody waited here.
constexpr auto longest_doubt = milliseconds(1);

// How long what others have under way here may rest when a wait ends: longer than to prepare the next.
constexpr auto between_waits = microseconds(30);

constexpr int spins_before_yield = 200;
constexpr unsigned turns_before_yield = 4;  // each of them calls the kernel anyway

}  // namespace

Progress::Progress(RuntimeState& runtime, MPI_Comm all, std::vector<int> agents, ProgressMode mode)
    : runtime_(runtime),
      mode_(mode),
      wire_{mpi::dup(all), mpi::dup(all)},
      agents_(std::move(agents)),
      courier_(*this, wire_) {
  const GroupState& world = GroupState::of(runtime.world);
  const bool own_agent = mode != ProgressMode::rank;
  my_agent_ = agent_of(world.rank);
  std::set<int> own;
  for (int r = 0; !own_agent && r < world.size; ++r) {
    if (world.on_node(r)) own.insert(agent_of(r));
  }
  own_agents_.assign(own.begin(), own.end());
  meet_bells(all);
  if (!own_agent) mpi::barrier(all);  // as the others in create_agents: senders may be heard from here on
  if (own_agent) agent_ = std::make_unique<Agent>(wire_, runtime.locks, directory_);
  if (mode == ProgressMode::thread) test_bells(world.comm.get());
  if (mode == ProgressMode::thread) thread_ = std::thread([this] { run(); });
  mpi::while_waiting_serve(*this);
}

Progress::~Progress() { stop(); }

std::string Progress::show(const Region& region, bool first_on_node) {
  const index_t bytes = region.end() - region.memory.base();
  directory_.add(region.number, {region.memory.base(), bytes, region.salt});
  if (!first_on_node || mode_ != ProgressMode::rank) return {};
  const std::lock_guard lock(mpi::mutex());
  for (const int agent : own_agents_) {
    if (!courier_.map(agent, Message::attach, region.number, {region.memory.file(), bytes, region.salt}))
      return "the progress process of this node could not map it";
  }
  return {};
}

std::string Progress::show_locks() {
  const GroupState& world = GroupState::of(runtime_.world);
  if (mode_ != ProgressMode::rank || world.slot[static_cast<std::size_t>(world.rank)] != 0) return {};
  const std::lock_guard lock(mpi::mutex());
  for (const int agent : own_agents_) {
    if (!courier_.map(agent, Message::attach_locks, 0, {runtime_.lock_table.file(), LockStripes::bytes, 0}))
      return "the progress process of this node could not map it";
  }
  return {};
}

void Progress::hide(const Region& region) noexcept {
  directory_.remove(region.number);
  if (!region.shown_to_agents) return;
  try {
    const std::lock_guard lock(mpi::mutex());
    for (const int agent : own_agents_) courier_.map(agent, Message::detach, region.number, {});
  } catch (const std::exception&) {  // then MPI is gone, and the other process with it
  }
}

void Progress::leave() {
  if (mode_ != ProgressMode::rank) return stop();
  const std::lock_guard lock(mpi::mutex());
  courier_.leave(my_agent_);
}

void Progress::stop() {
  mpi::serve_no_more(*this);
  if (thread_.joinable()) {
    stopping_ = true;
    bell_.nudge();
    thread_.join();
  }
  agent_.reset();
}

// Agents linger where there are cores for them besides those that the processes need. What counts is who shares
// the machine, not what TESSERA_NODE_SIZE, or a host's name, makes of it.
void Progress::meet_bells(MPI_Comm all) {
  Doorbell::Address mine{bell_.address()};
  const Cores cores = Cores::mine();
  mine.cores = cores.id;
  mine.core_count = cores.count;
  bells_.resize(static_cast<std::size_t>(mpi::size(all)));
  mpi::all_gather(all, &mine, bells_.data(), sizeof(Doorbell::Address));
  std::unordered_map<std::uint64_t, int> sharing;
  for (const Doorbell::Address& bell : bells_) ++sharing[bell.cores];
  const bool threads = mode_ == ProgressMode::thread;
  for (Doorbell::Address& bell : bells_) bell.lingers = threads && sharing[bell.cores] < bell.core_count;
  crowded_ = sharing[cores.id] + (threads ? 1 : 0) > cores.count;
}

// Everybody is rung by one other, on another node wherever nodes are of equal size; if one does not hear it,
// nobody relies on bells.
void Progress::test_bells(MPI_Comm world) {
  const GroupState& group = GroupState::of(runtime_.world);
  mpi::barrier(world);
  if (runtime_.environment.doorbells) ring(agent_of((group.rank + group.first_node_size) % group.size));
  mpi::barrier(world);
  std::int64_t heard = 0;
  for (const auto end = Clock::now() + milliseconds(50); heard == 0 && Clock::now() < end;)
    heard = bell_.was_rung() ? 1 : 0;
  mpi::all_reduce(world, &heard, 1, ElementKind::int64, Reduce::min);
  rings_ = heard != 0;
}

void Progress::ring(int agent) const noexcept {
  if (mode_ == ProgressMode::poll) return;
  bell_.ring(bells_[static_cast<std::size_t>(agent)]);
}

void Progress::look_after() noexcept {
  if (asleep_.load(std::memory_order_seq_cst)) bell_.nudge();
}

bool Progress::step() {
  if (!agent_) return false;
  const std::unique_lock lock(agent_mutex_, std::try_to_lock);
  if (!lock) return false;
  // Threads that take turns at MPI take them for the agent too.
  std::unique_lock turn(mpi::mutex(), std::defer_lock);
  if (runtime_.threads == ThreadLevel::serialized && !turn.try_lock()) return false;
  const bool worked = agent_->step();
  busy_ = agent_->is_busy();
  return worked;
}

void Progress::send_gathered() {
  if (!courier_.has_gathered()) return;
  const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
  if (lock) courier_.send_gathered();
}

void Progress::poll() {
  step();
  if (runtime_.outstanding_count.load(std::memory_order_relaxed) > 0) {
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) runtime_.advance_outstanding();
  }
}

// Others may wait for what was gathered before this process can go on.
void Progress::serve() {
  poll();
  send_gathered();
  if (!agent_) {
    // Its agent is another process: here is nobody else who lets MPI get on with what was sent.
    const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
    if (lock) mpi::progress(wire_.requests.get());
  }
  // Nobody says that a wait begins or ends: data that is on its way now is the thread's to go on with.
  if (waiters_ == 0 && busy_) look_after();
  // An agent that shares the core has something to do, and the kernel would let it wait for its turn.
  thread_local unsigned turns = 0;
  if (crowded_ || ++turns % turns_before_yield == 0) sched_yield();
}

void Progress::Waiter::turn(int turns) {
  progress_.step();
  if (progress_.runtime_.outstanding_count.load(std::memory_order_relaxed) > 0)
    progress_.runtime_.advance_outstanding();
  mpi::serve_others(progress_);
  progress_.crowded_ || turns > spins_before_yield ? static_cast<void>(sched_yield()) : pause();
}

void Progress::begin() noexcept {
  ++waiters_;
  if (nudged_later_.load(std::memory_order_relaxed) && nudged_later_.exchange(false)) bell_.call_off();
}

// The thread has to go on with what is not done. What follows what was it finds at its next look: to wake it
// now would take the core from who has just got what was waited for. Nor is it woken at once for what others
// have under way here: a thread that has waited mostly waits again soon.
void Progress::end() noexcept {
  see_answered();
  if (--waiters_ > 0 || mode_ != ProgressMode::thread) return;
  if (!rings_ || runtime_.moving_count > 0) return look_after();
  if (!busy_ || !asleep_.load(std::memory_order_seq_cst)) return;
  nudged_later_ = true;
  bell_.nudge_after(between_waits);
}

void Progress::run() noexcept {
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
        if (runtime_.moving_count > 0) {
          const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
          if (lock) worked |= runtime_.advance_outstanding();
        }
        if (worked) {
          last_work = Clock::now();
          nap = shortest_nap;
          continue;
        }
        const bool is_under_way = busy_ || runtime_.moving_count > 0;
        if ((is_under_way || !crowded_) && Clock::now() - last_work < linger) {
          pause();
          continue;
        }
      }
      asleep_.store(true, std::memory_order_seq_cst);
      const bool look_on = waiters_ == 0 && (busy_ || !rings_ || runtime_.moving_count > 0);
      // Those who had an answer while somebody waited here believe that the agent is awake.
      const bool after_wait = waiters_ > 0 && !crowded_;
      const bool woken = bell_.wait(look_on ? nap : after_wait ? longest_doubt : longest_sleep);
      asleep_ = false;
      if (look_on) nap = std::min<std::chrono::nanoseconds>(nap * 2, longest_nap);
      if (woken) last_work = Clock::now();
      // Nobody has asked for it so far: it has waited long enough for company.
      send_gathered();
    }
  } catch (const std::exception& error) {
    abort_job(GroupState::of(runtime_.world), formatted("the agent of this process failed: {}", error.what()));
  }
}

}  // namespace tessera::detail
