// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "node/node_memory.hpp"

namespace tessera::detail {

/// Where the processes of one node meet, in memory they share. Collective calls proceed in steps, numbered
/// alike on all processes. In each step every process says that it has arrived, and may leave data for the
/// others at its own place. A wait yields the processor, polls MPI ever more rarely, and sleeps at last. So it
/// works with more processes than cores, and cannot lock up a program whose own messages are still under way.
class NodeBarrier {
 public:
  /// The most bytes that a process can leave in a step at no cost (beside its stamp), and on the page that each
  /// process has.
  static constexpr index_t line_bytes = 56, page_room = 896;
  /// The same in the larger memory, which is made when it is first needed.
  static constexpr index_t stage_room = index_t{64} << 10;
  enum class Sleep { never, when_waiting_long };

  NodeBarrier() = default;
  /// Not open yet. @local
  NodeBarrier(MPI_Comm node, bool crowded, Sleep sleep);
  /// Makes the pages; nothing is needed for one process. `problem` as NodeMemory::create. @collective over node
  void open(std::string& problem);
  bool is_open() const noexcept { return open_; }

  MPI_Comm comm() const noexcept { return node_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// The most that can be left in one step: the larger memory's room, if the machine has it. @collective
  index_t room();

  /// The number of the next step. @local, alike on all
  std::uint32_t next_step() noexcept { return ++step_; }
  /// The place where a process leaves `bytes` in a step. The data stays there until that process writes in the
  /// fourth step after this one. @local
  std::byte* place(int rank, std::uint32_t step, index_t bytes) const noexcept;
  /// Waits until data left in the fourth step before this one may be overwritten. A process no longer reads
  /// such data after it has arrived in the second step that follows. @local
  void await_room(std::uint32_t step) { await_all(step - 2); }
  /// Says that this process has arrived. The data it leaves in this step can now be read. It no longer reads
  /// data of the second step before this one, or of earlier ones. @local
  void arrive(std::uint32_t step) noexcept;
  /// Waits until a process has arrived. @local
  void await(int rank, std::uint32_t step) {
    if (!is_there(stamp(rank, step), step)) wait(rank, step);
  }
  void await_all(std::uint32_t step) {
    for (int r = 0; r < size_; ++r) await(r, step);
  }

 private:
  static constexpr std::uint32_t kept = 4;  // steps with distinct places; divides 2^32, as step numbers wrap
  struct alignas(64) Line {
    std::atomic<std::uint32_t> stamp;
    alignas(8) std::byte data[line_bytes];
  };
  struct Page {
    alignas(64) std::atomic<std::uint32_t> sleepers;  // threads that sleep on stamps of this process
    Line lines[kept];
    alignas(64) std::byte data[kept][page_room];
  };

  Page& page(int rank) const noexcept { return *reinterpret_cast<Page*>(pages_.base() + rank * page_size()); }
  std::atomic<std::uint32_t>& stamp(int rank, std::uint32_t step) const noexcept {
    return page(rank).lines[step % kept].stamp;
  }
  static bool is_there(const std::atomic<std::uint32_t>& stamp, std::uint32_t step) noexcept {
    return static_cast<std::int32_t>(stamp.load(std::memory_order_acquire) - step) >= 0;
  }
  void wait(int rank, std::uint32_t step) const;

  MPI_Comm node_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  bool open_ = false, crowded_ = false;
  Sleep sleep_ = Sleep::never;
  std::uint32_t step_ = 0;
  bool has_asked_for_stage_ = false;
  NodeMemory pages_, stage_;
};

}  // namespace tessera::detail
