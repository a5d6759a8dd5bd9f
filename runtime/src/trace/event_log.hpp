// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace tessera::detail::trace {

/// Something that a thread did, in nanoseconds of this host's steady clock. `target`, `bytes`, `path` and
/// `operation` are of one-sided operations only.
struct Event {
  std::int64_t begin = 0, duration = 0;
  std::uint64_t bytes = 0;
  std::uint32_t name = 0;    // of the array, the phase or the wait
  std::int32_t target = -1;  // in the world
  std::uint16_t thread = 0;
  std::uint8_t path = 0, operation = 0;
};

/// A list of events in bounded memory. When it is full, it drops every second event, and from then on takes
/// half as many. So the events that are left are spread evenly over all. Any thread may call.
class EventLog {
 public:
  /// Starts anew. @local
  void start(std::size_t capacity);
  /// Counts an event; returns whether it is to be added. @local
  bool is_turn() noexcept {
    return seen_.fetch_add(1, std::memory_order_relaxed) % every_.load(std::memory_order_relaxed) == 0;
  }
  void add(const Event& event);

  struct Contents {
    std::vector<Event> events;
    std::uint64_t seen = 0;
    std::uint64_t every = 1;  // one in so many was kept
  };
  Contents contents() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Event> events_;
  std::size_t capacity_ = 0;
  std::atomic<std::uint64_t> seen_{0}, every_{1};
};

}  // namespace tessera::detail::trace
