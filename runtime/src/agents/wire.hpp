// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// How fast the network to a process is, as the last long transfer shows.
class Wire {
 public:
  struct Sample {
    index_t bytes = 0;
    bool is_get = false;      // if not, the last data may still be in buffers of MPI
    bool is_awaited = false;  // if not, this process may have left it alone for a while
  };
  bool is_slow() const noexcept { return speed_ == Speed::slow; }
  bool is_fast() const noexcept { return speed_ == Speed::fast; }
  /// Learns from how long such a transfer took. @local
  void learn(const Sample& one, std::chrono::nanoseconds took) noexcept {
    const bool was_quick = took <= one.bytes * slow_per_byte;
    if (!was_quick) {
      speed_ = one.is_awaited ? Speed::slow : Speed::unknown;
    } else if (one.is_get) {
      speed_ = Speed::fast;
    } else if (is_slow()) {
      speed_ = Speed::unknown;
    }
  }

 private:
  enum class Speed { unknown, slow, fast };
  // Slower than a network of 2.5 Gbit/s; two copies take a third of that.
  static constexpr auto slow_per_byte = std::chrono::duration<double, std::nano>(3);

  Speed speed_ = Speed::unknown;
};

}  // namespace tessera::detail
