// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/buffers_in_flight.hpp"

#include <algorithm>

#include "conflicts/own_memory.hpp"

namespace tessera::detail::conflicts {
namespace {

// A get fills its buffer; all others read theirs.
bool fills(Act act) noexcept { return act == Act::get; }

// Only memory that could be read before is known to be gone later.
void examine(const BuffersInFlight::FlyingBuffer& buffer, const BuffersInFlight::Found& f) {
  if (buffer.is_reported || !buffer.contents) return;
  const OwnMemory now = read_own_memory(buffer.memory);
  if (now.is_gone) return f(buffer, Misuse::gone);
  if (buffer.stays && now.contents && now.contents != buffer.contents) f(buffer, Misuse::changed);
}

}  // namespace

BuffersInFlight::FlyingBuffer* BuffersInFlight::find(Act act, const Footprint& memory) {
  const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const FlyingBuffer& other) {
    return (fills(act) || fills(other.act)) && intersect(memory, other.memory);
  });
  return found == buffers_.end() ? nullptr : &*found;
}

void BuffersInFlight::launched(std::uint64_t ticket, bool is_done) {
  for (FlyingBuffer& one : buffers_) {
    if (one.ticket != ticket) continue;
    one.contents = read_own_memory(one.memory).contents;
    one.stays = is_done || !fills(one.act);
  }
}

void BuffersInFlight::freed(const ByteRange& memory, const std::function<void(FlyingBuffer&)>& f) {
  for (FlyingBuffer& one : buffers_) {
    if (intersect(one.memory, footprint_of(memory))) f(one);
  }
}

void BuffersInFlight::release(std::uint64_t ticket, const Found& f) {
  std::erase_if(buffers_, [&](const FlyingBuffer& one) {
    if (one.ticket != ticket) return false;
    examine(one, f);
    return true;
  });
}

void BuffersInFlight::release(std::uint64_t segment, int target, const Found& f) {
  std::erase_if(buffers_, [&](const FlyingBuffer& one) {
    if (one.segment != segment || (target >= 0 && one.target != target)) return false;
    examine(one, f);
    return true;
  });
}

}  // namespace tessera::detail::conflicts
