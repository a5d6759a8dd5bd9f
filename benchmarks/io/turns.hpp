// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace tessera::benchmark::io {

/// Something that takes its turn: all ranks call it together.
struct Side {
  std::string name;
  std::function<void()> run;
};

/// Runs all sides in each round, in turns forwards and backwards. It calls `prepare` before each; this time
/// does not count. Unlike Meter, it makes no untimed call before each sample, because that would double the
/// time. More than two sides share a round. Of `effort`, pairs and comparison_seconds count. Returns the
/// seconds by side and round, from the first rank's start to the last one's end; the same on all ranks.
/// @collective
std::vector<std::vector<double>> take_turns(const Group& group, const Effort& effort,
                                            const std::vector<Side>& sides,
                                            const std::function<void()>& prepare);

/// One side against another, round by round; the control is each against itself in the next round. @local
Measurement compared(const std::vector<double>& own, const std::vector<double>& reference);

}  // namespace tessera::benchmark::io
