// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace tessera {

class Group;
class Runtime;

namespace detail {
/// Whether this process is traced (TESSERA_TRACE).
extern std::atomic<bool> tracing;
}  // namespace detail

/// A named part of a program, for traces (TESSERA_TRACE). It lasts as long as the object:
///
///     const tessera::Phase phase(group, "integrals");
///
/// Phases nest. A trace has each phase on the timeline, and the time by phase and rank: with the phases inside,
/// and without. While the process is not traced, a Phase only reads one word. All members are @local. An object
/// belongs to the thread that made it, and ends before the objects made earlier in that thread.
class Phase {
 public:
  /// Begins the phase. The name is copied. The group, or the Runtime, is the one that the phase works with.
  Phase(const Group&, std::string_view name) : Phase(name) {}
  Phase(const Runtime&, std::string_view name) : Phase(name) {}
  /// Ends the phase.
  ~Phase() {
    if (recording_ != 0) [[unlikely]]
      end();
  }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  explicit Phase(std::string_view name) {
    if (detail::tracing.load(std::memory_order_relaxed)) [[unlikely]]
      begin(name);
  }
  void begin(std::string_view name);
  void end() noexcept;

  std::uint64_t recording_ = 0;  // 0: not traced
  std::uint32_t name_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t inner_ = 0;  // nanoseconds in phases inside
  std::int64_t waits_ = 0;  // nanoseconds that the thread had waited at the beginning
  Phase* outer_ = nullptr;
};

}  // namespace tessera
