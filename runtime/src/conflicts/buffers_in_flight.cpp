// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/buffers_in_flight.hpp"

#include <algorithm>

namespace tessera::detail::conflicts {
namespace {

// A get fills its buffer; all others read theirs.
bool fills(Act act) noexcept { return act == Act::get; }

}  // namespace

const BuffersInFlight::FlyingBuffer* BuffersInFlight::find(Act act, const Footprint& memory) const {
  const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const FlyingBuffer& other) {
    return (fills(act) || fills(other.act)) && intersect(memory, other.memory);
  });
  return found == buffers_.end() ? nullptr : &*found;
}

void BuffersInFlight::release(std::uint64_t ticket) {
  std::erase_if(buffers_, [&](const FlyingBuffer& one) { return one.ticket == ticket; });
}

void BuffersInFlight::release(std::uint64_t segment, int target) {
  std::erase_if(buffers_, [&](const FlyingBuffer& one) {
    return one.segment == segment && (target < 0 || one.target == target);
  });
}

}  // namespace tessera::detail::conflicts
