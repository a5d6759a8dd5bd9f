// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tessera/runtime/group.hpp>

namespace tessera::io::detail {

/// Shows the progress of a transfer on rank 0's standard error. By default it does so only on a terminal, and
/// only after one second. TESSERA_IO_PROGRESS=off disables it. TESSERA_IO_PROGRESS=on shows it at once, and not
/// only on a terminal. @local
class Progress {
 public:
  Progress(const Group& group, std::string_view label, index_t total);
  /// Ends the line, if there is one.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// Adds `amount` to what is done of the total.
  void advance(index_t amount);

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  index_t total_, done_ = 0;
  int shown_ = -1;  // percent
  bool is_on_ = false;
  Clock::time_point from_;
};

}  // namespace tessera::io::detail
