// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>

#include "node_memory.hpp"

namespace tessera::detail {

/// A barrier with a reduction for the processes of one node, in memory they share. Who waits gives the
/// processor away and keeps MPI going, so that it works with more processes than cores, and cannot lock up a
/// program whose own messages are still under way.
class NodeMeeting {
 public:
  static constexpr int most_values = 7;

  NodeMeeting() = default;
  /// @collective over node; `problem` as NodeMemory::create
  NodeMeeting(MPI_Comm node, std::string& problem);
  explicit operator bool() const noexcept { return static_cast<bool>(memory_); }

  /// Returns when all have called, with the least of each of `count` values. @collective
  void reduce_min(std::int64_t* values, int count);

 private:
  struct alignas(64) Slot {
    std::int64_t values[most_values];
  };
  struct Shared {
    alignas(64) std::atomic<std::uint32_t> arrived;
    alignas(64) std::atomic<std::uint32_t> round;
  };
  // Two sets of slots, used in turn: nobody can be two rounds ahead of one who still reads.
  Slot& slot(std::uint32_t round, int rank) const noexcept;

  MPI_Comm node_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  NodeMemory memory_;
  Shared* shared_ = nullptr;
};

}  // namespace tessera::detail
