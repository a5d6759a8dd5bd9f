// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node_meeting.hpp"

#include <algorithm>
#include <new>

#include <sched.h>

#include "waiting.hpp"

namespace tessera::detail {
namespace {

constexpr int spins = 4000;  // some microseconds: longer than a barrier takes when everybody is there

}  // namespace

NodeMeeting::NodeMeeting(MPI_Comm node, std::string& problem)
    : node_(node), rank_(mpi::rank(node)), size_(mpi::size(node)) {
  const auto needed = static_cast<index_t>(sizeof(Shared) + sizeof(Slot) * 2 * static_cast<std::size_t>(size_));
  const index_t stride = round_up((needed + size_ - 1) / size_, page_size());
  memory_ = NodeMemory::create(node, stride, stride, problem);
  memory_.close_file();  // nobody else is to map it, and a group is not to cost a descriptor
  // New pages are zero, which is what the counters begin with.
  if (memory_) shared_ = reinterpret_cast<Shared*>(memory_.base());
}

NodeMeeting::Slot& NodeMeeting::slot(std::uint32_t round, int rank) const noexcept {
  auto* slots = reinterpret_cast<Slot*>(memory_.base() + sizeof(Shared));
  return slots[static_cast<std::size_t>(rank) * 2 + round % 2];
}

void NodeMeeting::reduce_min(std::int64_t* values, int count) {
  const std::uint32_t round = shared_->round.load(std::memory_order_acquire);
  std::copy_n(values, count, slot(round, rank_).values);
  if (shared_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<std::uint32_t>(size_)) {
    shared_->arrived.store(0, std::memory_order_relaxed);
    shared_->round.store(round + 1, std::memory_order_release);
  } else {
    auto here = [&] { return shared_->round.load(std::memory_order_acquire) != round; };
    for (int i = 0; i < (is_crowded(size_) ? 1 : spins) && !here(); ++i) pause();
    while (!here()) {
      mpi::wait_turn(node_);
      sched_yield();
    }
  }
  for (int r = 0; r < size_; ++r) {
    for (int i = 0; i < count; ++i) values[i] = std::min(values[i], slot(round, r).values[i]);
  }
}

}  // namespace tessera::detail
