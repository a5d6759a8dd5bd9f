// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// How fast the network to a process is, as the last long transfer shows.
class Wire {
 public:
  bool is_slow() const noexcept { return speed_ == Speed::slow; }
  bool is_fast() const noexcept { return speed_ == Speed::fast; }
  /// What a transfer took that a call waited for. @local
  void learn(index_t bytes, std::chrono::nanoseconds took) noexcept {
    speed_ = took > bytes * slow_per_byte ? Speed::slow : Speed::fast;
  }
  /// The same for a get that this process may have left alone meanwhile. @local
  void learn_of_get(index_t bytes, std::chrono::nanoseconds at_most) noexcept {
    speed_ = at_most > bytes * slow_per_byte ? Speed::unknown : Speed::fast;
  }

 private:
  enum class Speed { unknown, slow, fast };
  // Slower than a network of 2.5 Gbit/s; two copies take a third of that.
  static constexpr auto slow_per_byte = std::chrono::duration<double, std::nano>(3);

  Speed speed_ = Speed::unknown;
};

}  // namespace tessera::detail
