// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mpi/mpi.hpp"
#include "node/node_memory.hpp"

namespace tessera::detail {

class GroupState;

/// Whether memory must be accessible by MPI's one-sided calls as well as by loads and stores.
enum class WindowNeed { none, wanted };

/// Memory on every member of a group and a window over it, if one is needed.
class Region {
 public:
  /// @collective @throws MemoryError, WindowError on every member; `what` names the segment in messages.
  static std::unique_ptr<Region> create(GroupState& group, index_t stride, index_t reserve, WindowNeed need,
                                        bool must_have_window, const std::string& what);
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  /// All members' slices on this node: [base, end). @local
  std::byte* base() const noexcept { return memory_.base(); }
  const std::byte* end() const noexcept;
  /// Bytes between the slices of two members on a node.
  index_t stride() const noexcept { return stride_; }
  /// Spreads the regions over the lock stripes; the same on every member.
  std::uint64_t salt() const noexcept { return salt_; }
  /// Its number for agents, the same on every member and never used again; 0 if no agent serves it.
  std::uint64_t number() const noexcept { return number_; }
  bool has_window() const noexcept { return static_cast<bool>(window_); }
  MPI_Win window() const noexcept { return window_.get(); }

 private:
  Region(GroupState& group, index_t stride);

  GroupState& group_;
  NodeMemory memory_;
  mpi::Win window_;
  index_t stride_;
  std::uint64_t salt_;
  std::uint64_t number_ = 0;
  bool shown_to_others_ = false;  // by this process, to agents in processes of their own
};

}  // namespace tessera::detail
