// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/node_barrier.hpp"

#include <algorithm>
#include <utility>

#include "base/activity.hpp"
#include "base/give_way.hpp"
#include "base/pause.hpp"
#include "mpi/mpi_process.hpp"

namespace tessera::detail {
namespace {

constexpr int max_spins = 4000;  // some microseconds: longer than a step takes when all are there
// Numbers of turns that yield the processor: before the first poll of MPI, between two polls, and before the
// first sleep. If cores are few, a waiter that does not sleep holds a core that others want.
constexpr int first_look = 8, max_between_looks = 64;
constexpr int turns_before_sleep = 1000, turns_before_sleep_if_crowded = 100;
// Nanoseconds; after each nap the waiter polls MPI.
constexpr std::int64_t first_nap_ns = 50'000, longest_nap_ns = 500'000;

}  // namespace

NodeBarrier::NodeBarrier(MPI_Comm node, bool crowded, Sleep sleep)
    : node_(node), rank_(mpi::rank(node)), size_(mpi::size(node)), crowded_(crowded), sleep_(sleep) {}

void NodeBarrier::open(std::string& problem) {
  static_assert(sizeof(Page) <= 4096 && sizeof(Line) == 64);
  if (size_ > 1) pages_ = NodeMemory::create(*this, page_size(), page_size(), problem);
  pages_.close_file();  // no other process maps it, and a group must not cost a descriptor
  // New pages are zero, the initial value of the stamps.
  open_ = size_ == 1 || pages_;
}

index_t NodeBarrier::room() {
  if (!has_asked_for_stage_) {
    has_asked_for_stage_ = true;
    // If the machine has no memory left, the pages have to suffice.
    std::string problem;
    constexpr index_t stride = kept * stage_room;
    NodeMemory stage = NodeMemory::create(*this, round_up(stride, page_size()), stride, problem);
    stage.close_file();
    stage_ = std::move(stage);
  }
  return stage_ ? stage_room : page_room;
}

std::byte* NodeBarrier::place(int rank, std::uint32_t step, index_t bytes) const noexcept {
  const auto at = static_cast<index_t>(step % kept);
  if (bytes > page_room)
    return stage_.base() + rank * round_up(kept * stage_room, page_size()) + at * stage_room;
  return bytes > line_bytes ? page(rank).data[at] : page(rank).lines[at].data;
}

void NodeBarrier::arrive(std::uint32_t step) noexcept {
  std::atomic<std::uint32_t>& mine = stamp(rank_, step);
  mine.store(step, std::memory_order_seq_cst);
  if (page(rank_).sleepers.load(std::memory_order_seq_cst) > 0)
    wake_all(reinterpret_cast<std::uint32_t&>(mine));
}

void NodeBarrier::wait(int rank, std::uint32_t step) const {
  std::atomic<std::uint32_t>& theirs = stamp(rank, step);
  for (int i = 0; i < (crowded_ ? 1 : max_spins); ++i) {
    pause();
    if (is_there(theirs, step)) return;
  }
  const activity::Wait waits("the other ranks of this node");
  const int awake = crowded_ ? turns_before_sleep_if_crowded : turns_before_sleep;
  std::int64_t nap = first_nap_ns;
  for (int turn = 0, next_look = first_look; !is_there(theirs, step); ++turn) {
    // If waiting processes have to run their agents, nothing else is as urgent.
    if (mpi::has_to_serve() || turn == next_look) {
      mpi::wait_turn(node_);
      next_look = turn + std::min(turn, max_between_looks);
    }
    if (sleep_ == Sleep::never || (turn < awake && !do_yields_come_late())) {
      give_way();
      continue;
    }
    std::atomic<std::uint32_t>& sleepers = page(rank).sleepers;
    sleepers.fetch_add(1, std::memory_order_seq_cst);
    const std::uint32_t seen = theirs.load(std::memory_order_seq_cst);
    if (!is_there(theirs, step)) sleep_while(reinterpret_cast<std::uint32_t&>(theirs), seen, nap);
    sleepers.fetch_sub(1, std::memory_order_relaxed);
    nap = std::min(2 * nap, longest_nap_ns);
    next_look = turn + 1;
  }
}

}  // namespace tessera::detail
