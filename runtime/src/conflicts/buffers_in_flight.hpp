// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "conflicts/accesses.hpp"

namespace tessera::detail::conflicts {

/// Local memory that a transfer uses while another transfer that was not waited for uses it as well.
struct BufferConflict {
  std::string name;   // of the segment of the later transfer
  Act first, second;  // in the order of the calls
  Site first_site, second_site;
  bool is_freed = false;  // the second is no transfer: the memory was given up
};

/// The local memory of the asynchronous transfers of this process. Addresses serve as offsets.
class BuffersInFlight {
 public:
  struct FlyingBuffer {
    Footprint memory;
    Act act;
    Site site;
    std::uint64_t ticket, segment;
    int target;
  };
  /// The buffer in flight that does not allow this access; null if there is none. @local
  const FlyingBuffer* find(Act act, const Footprint& memory) const;
  void add(const FlyingBuffer& buffer) { buffers_.push_back(buffer); }
  void release(std::uint64_t ticket);
  /// After a flush of a member's slice, or of all (-1).
  void release(std::uint64_t segment, int target);
  bool is_empty() const noexcept { return buffers_.empty(); }

 private:
  std::vector<FlyingBuffer> buffers_;
};

}  // namespace tessera::detail::conflicts
