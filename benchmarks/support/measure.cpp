// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "measure.hpp"

#include <chrono>
#include <vector>

namespace tessera::benchmark {
namespace {

double seconds_of(const Routine& routine, index_t count) {
  const auto start = std::chrono::steady_clock::now();
  routine(count);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void append_quotients(std::vector<double>& to, const std::vector<double>& over,
                      const std::vector<double>& under) {
  for (std::size_t i = 0; i < over.size(); ++i) to.push_back(over[i] / under[i]);
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

Measurement Meter::time(const Routine& routine, Clock clock) const {
  const Batch own = batch(routine, clock);
  std::vector<double> first, second, control;
  for (int pair = 0; pair < effort_.pairs; ++pair) {
    first.push_back(sample(own));
    second.push_back(sample(own));
  }
  settle(first, clock);
  settle(second, clock);
  append_quotients(control, first, second);
  return {median_estimate(joined(first, second)), {}, {}, median_estimate(control)};
}

Measurement Meter::compare(const Routine& routine, const Routine& reference, Clock clock) const {
  const Batch own = batch(routine, clock), other = batch(reference, clock);
  std::vector<double> first, second, first_other, second_other;
  for (int block = 0; 2 * block < effort_.pairs; ++block) {
    const bool own_outside = block % 2 == 0;
    const Batch &outside = own_outside ? own : other, &inside = own_outside ? other : own;
    auto &outside_1 = own_outside ? first : first_other, &inside_1 = own_outside ? first_other : first;
    auto &outside_2 = own_outside ? second : second_other, &inside_2 = own_outside ? second_other : second;
    outside_1.push_back(sample(outside));
    inside_1.push_back(sample(inside));
    inside_2.push_back(sample(inside));
    outside_2.push_back(sample(outside));
  }
  for (auto* samples : {&first, &second, &first_other, &second_other}) settle(*samples, clock);
  std::vector<double> ratios, controls;
  append_quotients(ratios, first_other, first);
  append_quotients(ratios, second_other, second);
  append_quotients(controls, first, second);
  append_quotients(controls, first_other, second_other);
  return {median_estimate(joined(first, second)), median_estimate(joined(first_other, second_other)),
          median_estimate(ratios), median_estimate(controls)};
}

Meter::Batch Meter::batch(const Routine& routine, Clock clock) const {
  Batch batch{&routine, 1, clock == Clock::slowest || group_.rank() == 0};
  if (batch.takes_part) routine(1);
  const double enough = clock == Clock::slowest ? effort_.joint_sample_seconds : effort_.sample_seconds;
  // all ranks together, so that they are as slow as they will be when it counts
  while (true) {
    group_.barrier();
    double seconds = batch.takes_part ? seconds_of(routine, batch.count) : 0.0;
    seconds = group_.all_reduce(seconds, Reduce::max);
    if (seconds >= enough) return batch;
    batch.count *= 2;
  }
}

double Meter::sample(const Batch& batch) const {
  if (batch.takes_part) (*batch.routine)(1);
  group_.barrier();
  if (!batch.takes_part) return 0.0;
  return seconds_of(*batch.routine, batch.count) / static_cast<double>(batch.count);
}

void Meter::settle(std::span<double> samples, Clock clock) const {
  if (clock == Clock::slowest) {
    group_.all_reduce(samples, Reduce::max);
  } else {
    group_.broadcast(samples, 0);
  }
}

}  // namespace tessera::benchmark
