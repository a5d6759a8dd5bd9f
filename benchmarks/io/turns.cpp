// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "turns.hpp"
#include "compute.hpp"

#include <span>

namespace tessera::benchmark::io {
namespace {

double seconds_of(const Group& group, const Side& side) {
  group.barrier();
  const double begin = now();
  side.run();
  const double end = now();
  if (group.node_count() > 1) return group.all_reduce(end - begin, Reduce::max);
  return group.all_reduce(end, Reduce::max) - group.all_reduce(begin, Reduce::min);
}

}  // namespace

std::vector<std::vector<double>> take_turns(const Group& group, const Effort& effort,
                                            const std::vector<Side>& sides,
                                            const std::function<void()>& prepare) {
  std::vector<std::vector<double>> seconds(sides.size());
  double spent = 0.0;
  for (int round = 0; round < effort.pairs && (round < 2 || spent < effort.comparison_seconds); ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::size_t side = round % 2 == 0 ? i : sides.size() - 1 - i;
      prepare();
      seconds[side].push_back(seconds_of(group, sides[side]));
      spent += seconds[side].back();
    }
  }
  return seconds;
}

Measurement compared(const std::vector<double>& own, const std::vector<double>& reference) {
  std::vector<double> ratios, excesses, controls;
  for (std::size_t i = 0; i < own.size(); ++i) {
    ratios.push_back(reference[i] / own[i]);
    excesses.push_back(own[i] - reference[i]);
  }
  for (std::size_t i = 1; i < own.size(); ++i) {
    controls.push_back(own[i - 1] / own[i]);
    controls.push_back(reference[i - 1] / reference[i]);
  }
  return {.time = median_estimate(own),
          .reference = median_estimate(reference),
          .ratio = median_estimate(ratios),
          .control = median_estimate(controls),
          .excess = median_estimate(excesses)};
}

}  // namespace tessera::benchmark::io
