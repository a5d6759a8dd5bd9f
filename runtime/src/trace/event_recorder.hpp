// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/runtime/phase.hpp>
#include <tessera/runtime/statistics.hpp>

#include "trace/event_log.hpp"

// Records what this process does while TESSERA_TRACE asks for it. While it does not, a hook reads one word.
namespace tessera::detail::trace {

inline bool is_on() noexcept { return tracing.load(std::memory_order_relaxed); }

/// Nanoseconds of this host's steady clock. @local
inline std::int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// A segment whose operations are recorded.
struct TracedSegment {
  std::uint32_t name = 0;
  const int* world_ranks = nullptr;  // of the group's members
};

/// Calls of one name.
struct Sum {
  std::uint64_t calls = 0;
  std::int64_t total = 0;  // nanoseconds
  std::int64_t self = 0;   // without the phases inside
  std::int64_t waits = 0;  // the part of `self` in waits
};

/// The operations on all segments of one name.
struct ArraySum {
  std::uint64_t segments = 0;
  std::map<int, Statistics::Table> targets;  // by rank in the world
};

/// All that is recorded in a process. There is one, which is never destroyed: threads may outlive a Runtime.
class EventRecorder {
 public:
  static constexpr std::size_t most_names = 4096;  // later names become "(other)"

  /// Any thread may call all of these. @local
  void start(std::size_t events);
  void stop() noexcept;
  std::uint32_t name(std::string_view text);
  bool is_turn() noexcept { return operations_.is_turn(); }
  void operation(const TracedSegment& segment, int rank, Path path, Operation operation, std::uint64_t bytes,
                 std::int64_t begin, std::int64_t duration);
  void wait(const char* what, std::int64_t begin, std::int64_t duration);
  void phase(std::uint32_t name, std::int64_t begin, const Sum& sum);
  /// Adds the operations on a segment that is released.
  void released(const TracedSegment& segment, const Statistics& statistics);

  struct Recording {
    std::vector<std::string> names;
    std::map<std::uint32_t, Sum> phases, waits;
    std::map<std::uint32_t, ArraySum> arrays;
    EventLog::Contents operations, phase_events, wait_events;
  };
  /// All but the names, which are to be read after all that has numbers of them.
  Recording recording() const;
  std::vector<std::string> names() const;
  static void add(std::map<std::uint32_t, ArraySum>& arrays, const TracedSegment& segment,
                  const Statistics& statistics);

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::map<std::uint32_t, Sum> phases_, waits_;
  std::map<std::uint32_t, ArraySum> arrays_;
  EventLog operations_, phase_events_, wait_events_;
};

EventRecorder& recorder();

/// The time that a thread waits, from its construction to its destruction. Waits nest; the outermost counts.
class WaitTime {
 public:
  explicit WaitTime(const char* what) noexcept : what_(is_on() ? what : nullptr) {
    if (what_ != nullptr) [[unlikely]]
      begin();
  }
  ~WaitTime() {
    if (what_ != nullptr) [[unlikely]]
      end();
  }
  WaitTime(const WaitTime&) = delete;
  WaitTime& operator=(const WaitTime&) = delete;

 private:
  void begin() noexcept;
  void end() noexcept;

  const char* what_;
  std::int64_t begin_ = 0;
};

}  // namespace tessera::detail::trace
