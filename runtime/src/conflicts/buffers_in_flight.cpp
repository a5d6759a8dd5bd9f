// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/buffers_in_flight.hpp"

#include <bit>
#include <limits>

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

BuffersInFlight::Reach BuffersInFlight::reach_of(const ByteRange& memory) noexcept {
  return {static_cast<int>(std::bit_width(static_cast<std::uint64_t>(memory.high - memory.low))), memory.low};
}

BuffersInFlight::Buffers::iterator BuffersInFlight::first_in(
    const Footprint& memory, const std::function<bool(FlyingBuffer&)>& is_wanted) {
  const ByteRange bounds = memory.bounds();
  for (auto one = buffers_.begin(); one != buffers_.end();) {
    const int bits = one->first.bits;
    const index_t longest = index_t{1} << bits;
    for (one = buffers_.lower_bound({bits, bounds.low - longest});
         one != buffers_.end() && one->first.bits == bits && one->first.low < bounds.high; ++one) {
      if (intersect(one->second.memory, memory) && is_wanted(one->second)) return one;
    }
    one = buffers_.lower_bound({bits + 1, std::numeric_limits<index_t>::min()});
  }
  return buffers_.end();
}

void BuffersInFlight::add(const FlyingBuffer& buffer) {
  by_ticket_.emplace(buffer.ticket, buffers_.emplace(reach_of(buffer.memory.bounds()), buffer));
}

BuffersInFlight::FlyingBuffer* BuffersInFlight::find(Act act, const Footprint& memory) {
  const auto found =
      first_in(memory, [&](const FlyingBuffer& other) { return fills(act) || fills(other.act); });
  return found == buffers_.end() ? nullptr : &found->second;
}

void BuffersInFlight::launched(std::uint64_t ticket, bool is_done) {
  const auto [first, last] = by_ticket_.equal_range(ticket);
  for (auto one = first; one != last; ++one) {
    FlyingBuffer& buffer = one->second->second;
    buffer.contents = read_own_memory(buffer.memory).contents;
    buffer.stays = is_done || !fills(buffer.act);
  }
}

void BuffersInFlight::freed(const ByteRange& memory, const std::function<void(FlyingBuffer&)>& f) {
  first_in(footprint_of(memory), [&](FlyingBuffer& one) { return f(one), false; });
}

void BuffersInFlight::release(const std::function<bool(const FlyingBuffer&)>& is_over, const Found& f) {
  std::erase_if(by_ticket_, [&](const auto& one) {
    if (!is_over(one.second->second)) return false;
    examine(one.second->second, f);
    buffers_.erase(one.second);
    return true;
  });
}

void BuffersInFlight::release(std::uint64_t ticket, const Found& f) {
  const auto [first, last] = by_ticket_.equal_range(ticket);
  for (auto one = first; one != last; ++one) {
    examine(one->second->second, f);
    buffers_.erase(one->second);
  }
  by_ticket_.erase(first, last);
}

}  // namespace tessera::detail::conflicts
