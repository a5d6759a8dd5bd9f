// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "measure.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <mpi.h>

#include <tessera/runtime/error.hpp>

#include "compute.hpp"

namespace tessera::benchmark {
namespace {

void wait_for_all(const Group& group) {
  if (const int code = MPI_Barrier(group.mpi_comm()); code != MPI_SUCCESS)
    throw Error("MPI_Barrier failed between two samples, with code " + std::to_string(code));
}

void append_differences(std::vector<double>& to, const std::vector<double>& from,
                        const std::vector<double>& less) {
  for (std::size_t i = 0; i < from.size(); ++i) to.push_back(from[i] - less[i]);
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

void meet(const Group& world, const Others& others) { others.wait ? others.wait() : wait_for_all(world); }

Measurement Meter::time(const Work& work, Clock clock) const {
  const Batch own = batch(work, clock);
  Samples first, second;
  for (int pair = 0, last = pairs(2.0 * own.sample()); pair < last; ++pair) {
    take(first, own, clock);
    take(second, own, clock);
  }
  const auto times = seconds_per_call(first, own, clock), again = seconds_per_call(second, own, clock);
  return {.time = median_estimate(joined(times, again)), .control = median_estimate(quotients(times, again))};
}

Measurement Meter::compare(const Work& work, const Work& reference, Clock clock) const {
  const Batch own = batch(work, clock), other = batch(reference, clock);
  Samples own_samples[2], other_samples[2];  // of the first and of the second half of a block
  const int most = pairs(own.sample() + other.sample());
  for (int block = 0; 2 * block < most; ++block) {
    const bool own_outside = block % 2 == 0;
    for (int half : {0, 1}) {
      const bool own_first = own_outside == (half == 0);
      if (own_first) take(own_samples[half], own, clock);
      take(other_samples[half], other, clock);
      if (!own_first) take(own_samples[half], own, clock);
    }
  }
  std::vector<double> times[2], other_times[2], excesses;
  for (int half : {0, 1}) {
    times[half] = seconds_per_call(own_samples[half], own, clock);
    other_times[half] = seconds_per_call(other_samples[half], other, clock);
    append_differences(excesses, times[half], other_times[half]);
  }
  const auto ratios = joined(quotients(other_times[0], times[0]), quotients(other_times[1], times[1]));
  const auto controls = joined(quotients(times[0], times[1]), quotients(other_times[0], other_times[1]));
  return {.time = median_estimate(joined(times[0], times[1])),
          .reference = median_estimate(joined(other_times[0], other_times[1])),
          .ratio = median_estimate(ratios),
          .control = median_estimate(controls),
          .excess = median_estimate(excesses)};
}

Meter::Batch Meter::batch(const Work& work, Clock clock) const {
  Batch batch{&work, 1, clock == Clock::joint || group_.rank() == 0, 0.0};
  const double enough = clock == Clock::joint ? effort_.joint_sample_seconds : effort_.sample_seconds;
  while (true) {
    Samples trial;
    take(trial, batch, clock);
    batch.seconds = seconds_per_call(trial, batch, clock)[0];
    if (batch.seconds * static_cast<double>(batch.count) >= enough) return batch;
    batch.count *= 2;
  }
}

int Meter::pairs(double seconds_of_one) const {
  const double affordable = effort_.comparison_seconds / seconds_of_one;
  return affordable < effort_.pairs ? std::max(2, static_cast<int>(affordable)) : effort_.pairs;
}

void Meter::call(const Batch& batch, index_t count) const {
  if (batch.takes_part) {
    batch.work->routine(count);
  } else if (batch.work->others.work) {
    batch.work->others.work(count);
  }
}

void Meter::release(const Batch& batch) const {
  if (batch.takes_part && batch.work->others.release) batch.work->others.release();
}

// The barrier at the end belongs to the sample: it is where the others wait while the calls are made.
void Meter::take(Samples& samples, const Batch& batch, Clock clock) const {
  call(batch, 1);
  release(batch);
  meet(group_, batch.work->others);
  // All ranks leave this barrier within a fraction of a microsecond: ranks that are to collide must begin
  // together.
  if (clock == Clock::joint) group_.barrier();
  samples.begin.push_back(now());
  call(batch, batch.count);
  samples.end.push_back(now());
  release(batch);
  meet(group_, batch.work->others);
}

std::vector<double> Meter::seconds_per_call(const Samples& samples, const Batch& batch, Clock clock) const {
  std::vector<double> seconds(samples.begin.size()), begin = samples.begin, end = samples.end;
  const bool common_clock = group_.node_count() == 1;
  if (clock == Clock::joint && common_clock) {
    group_.all_reduce(std::span(begin), Reduce::min);
    group_.all_reduce(std::span(end), Reduce::max);
  }
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = (end[i] - begin[i]) / static_cast<double>(batch.count);
  if (clock == Clock::joint && !common_clock) group_.all_reduce(std::span(seconds), Reduce::max);
  if (clock == Clock::origin) group_.broadcast(std::span(seconds), 0);
  return seconds;
}

}  // namespace tessera::benchmark
