// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <tessera/runtime/group.hpp>

namespace tessera::io::detail {

/// Shows people at a terminal how far a transfer is: on rank 0's standard error, from one second on, unless
/// TESSERA_IO_PROGRESS=off; with TESSERA_IO_PROGRESS=on at once, and if it is no terminal, too. @local
class Progress {
 public:
  Progress(const Group& group, std::string_view label, index_t total);
  /// Ends the line, if there is one.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// So much more of the total is done.
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
