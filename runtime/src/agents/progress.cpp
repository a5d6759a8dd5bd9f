// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/progress.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <utility>

#include "mpi/mpi_process.hpp"

namespace tessera::detail {

Progress::Progress(MPI_Comm world, MPI_Comm all, AgentRanks agents, ProgressMode mode, Outstanding& outstanding,
                   const LockStripes& locks, bool doorbells)
    : comms_{mpi::dup(all), mpi::dup(all)},
      outstanding_(outstanding),
      agents_(std::move(agents)),
      bells_(all, mode),
      host_(comms_, bells_, outstanding, mode, [this] { send_gathered(); }),
      client_(host_, bells_, comms_) {
  std::unique_ptr<AgentServer> agent;
  if (mode == ProgressMode::rank) {
    mpi::barrier(all);  // matches the barrier in serve_node(): from here on the agents receive requests
  } else {
    agent = std::make_unique<AgentServer>(comms_, locks, regions_);
  }
  if (mode == ProgressMode::thread) bells_.test(world, doorbells ? agents_.of_next_node : -1);
  outstanding.attend(this);
  host_.start(std::move(agent));
}

Progress::~Progress() {
  host_.stop();
  outstanding_.attend(nullptr);
}

std::string Progress::let_map(Message message, std::uint64_t region, const Attachment& memory) {
  const std::lock_guard lock(mpi::mutex());
  for (const int agent : agents_.of_node) {
    if (!client_.map(agent, message, region, memory))
      return "the progress process of this node could not map it";
  }
  return {};
}

std::string Progress::show_to_others(std::uint64_t region, const Attachment& memory) {
  return let_map(Message::attach, region, memory);
}

std::string Progress::show_locks(const Attachment& table) { return let_map(Message::attach_locks, 0, table); }

void Progress::hide(std::uint64_t region, bool was_shown_to_others) noexcept {
  regions_.remove(region);
  // An agent ends with its last client, and drops all regions. It may have gone while others here go on.
  if (!was_shown_to_others || is_ending_) return;
  try {
    const std::lock_guard lock(mpi::mutex());
    for (const int agent : agents_.of_node) client_.map(agent, Message::detach, region, {});
  } catch (const std::exception&) {  // MPI has ended, and the agent's process with it
  }
}

void Progress::settle() {
  const std::lock_guard lock(mpi::mutex());
  client_.settle();
  is_ending_ = true;
}

void Progress::leave() {
  if (mode() != ProgressMode::rank) return host_.stop();
  const std::lock_guard lock(mpi::mutex());
  client_.leave(agents_.of_this);
}

void Progress::wait_for(int agent, const std::function<bool()>& done) {
  agent >= 0 ? client_.wait_for(agent, done) : host_.wait_until(done);
}

// Serves what has come, but not without end: the calling thread has work of its own.
void Progress::poll() {
  constexpr int most = 32;
  if (mode() != ProgressMode::poll || !outstanding_.threads().may_call_mpi()) return;
  for (int i = 0; i < most && host_.poll(); ++i) {
  }
}

void Progress::send_gathered() {
  if (!client_.has_gathered()) return;
  const std::unique_lock lock(mpi::mutex(), std::try_to_lock);
  if (lock) client_.send_gathered();
}

}  // namespace tessera::detail
