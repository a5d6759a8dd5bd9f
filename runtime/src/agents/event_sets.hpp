// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

namespace tessera::detail {

/// The epoll sets of this process, of which MPI's are some. MPI waits for its sockets with them, so such a set
/// becomes readable when data has come, or when there is room for data that MPI still has to send. Without
/// sockets (InfiniBand, shared memory) no set tells.
class EventSets {
 public:
  /// Finds the sets that exist now. Without /proc there are none. @local
  EventSets();
  /// To be polled, but never read. @local
  std::span<const int> descriptors() const noexcept { return descriptors_; }

 private:
  std::vector<int> descriptors_;
};

}  // namespace tessera::detail
