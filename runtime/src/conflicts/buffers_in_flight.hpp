// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "conflicts/accesses.hpp"

namespace tessera::detail::conflicts {

/// How local memory is used while a transfer that was not waited for uses it.
enum class Misuse : std::uint8_t {
  filled,   // by another transfer
  read,     // by another transfer, while this one fills it
  freed,    // memory of Tessera
  changed,  // found at the wait: the contents differ
  gone      // found at the wait: there is no such memory any more
};

struct BufferConflict {
  std::string name;  // of the segment of the transfer that was under way
  Act act;
  Site site;
  Misuse misuse;
  Site misuse_site;
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
    std::optional<std::uint64_t> contents = {};  // a hash, from when the call that began the transfer returned
    bool stays = false;                          // the contents must be the same until the wait
    bool is_reported = false;
  };
  /// The buffer in flight that does not allow this access; null if there is none. @local
  FlyingBuffer* find(Act act, const Footprint& memory);
  void add(const FlyingBuffer& buffer);
  /// The call that began the transfers returns now. From then on, what they read must stay as it is, and what
  /// they have filled already.
  void launched(std::uint64_t ticket, bool is_done);
  /// Calls f(buffer) for each that is in memory which is about to be freed.
  void freed(const ByteRange& memory, const std::function<void(FlyingBuffer&)>& f);
  /// Removes the buffers of a ticket, or others. Calls f(buffer, misuse) for each that is not as it was.
  using Found = std::function<void(const FlyingBuffer&, Misuse)>;
  void release(std::uint64_t ticket, const Found& f);
  void release(const std::function<bool(const FlyingBuffer&)>& is_over, const Found& f);
  bool is_empty() const noexcept { return buffers_.empty(); }

 private:
  // Of a buffer: how many bits its length has, and where it begins. So those that may reach into some memory
  // are found among thousands, also beside a long one.
  struct Reach {
    int bits;
    index_t low;
    friend auto operator<=>(const Reach&, const Reach&) = default;
  };
  using Buffers = std::multimap<Reach, FlyingBuffer>;
  static Reach reach_of(const ByteRange& memory) noexcept;
  // The first buffer that shares a byte with the memory and is wanted; the end if there is none.
  Buffers::iterator first_in(const Footprint& memory, const std::function<bool(FlyingBuffer&)>& is_wanted);

  Buffers buffers_;
  std::unordered_multimap<std::uint64_t, Buffers::iterator> by_ticket_;
};

}  // namespace tessera::detail::conflicts
