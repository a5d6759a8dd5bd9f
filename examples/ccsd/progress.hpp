// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace ccsd {

/// Says on one rank how far a long phase is, every ten seconds.
class Progress {
 public:
  Progress(std::string name, bool speaks) : name_(std::move(name)), speaks_(speaks) {}
  /// `share` of the work has begun, between 0 and 1.
  void operator()(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  bool speaks_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace ccsd
