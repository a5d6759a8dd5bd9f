// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/runtime/group.hpp>

#include "statistics.hpp"

namespace tessera::benchmark {

/// Something to be timed: does it `count` times in a row.
using Routine = std::function<void(index_t count)>;

/// The routine that makes a call again and again, with nothing between. @local
template <class F>
Routine repeat(F call) {
  return [call](index_t count) mutable {
    for (index_t i = 0; i < count; ++i) call();
  };
}

/// Makes the compiler believe that the memory behind `pointer` is read and written here. @local
inline void keep(const void* pointer) noexcept { asm volatile("" : : "r"(pointer) : "memory"); }

/// What the other ranks do while rank 0 makes calls. It is the same on all ranks.
struct Others {
  /// Their part of the calls. Without it they wait at once.
  Routine work = {};
  /// What rank 0 does after the time is taken, so that their part ends.
  std::function<void()> release = {};
  /// The barrier in which they wait. By default it is MPI's, not the group's, because some libraries need their
  /// target inside MPI to make progress.
  std::function<void()> wait = {};
};

/// The barrier in which the others wait. @collective
void meet(const Group& world, const Others& others);

/// What is timed.
struct Work {
  Work(Routine calls, Others meanwhile = {}) : routine(std::move(calls)), others(std::move(meanwhile)) {}
  Routine routine;
  Others others;
};

/// Which ranks make the calls, and whose time counts.
enum class Clock {
  origin,  ///< rank 0 makes them while the others do what Others says: without anything, they wait in a barrier
  joint,   ///< all ranks make them at the same time; what counts is from the first start to the last end
};

/// Rank 0 calls f() while the other ranks do their part of `count` calls. All meet before and after.
/// @collective
template <class F>
void make_calls(const Group& world, const Others& others, index_t count, F&& f) {
  meet(world, others);
  if (world.rank() == 0) {
    f();
    if (others.release) others.release();
  } else if (others.work) {
    others.work(count);
  }
  meet(world, others);
}

struct Effort {
  /// Interleaved pairs of samples.
  int pairs = 31;
  /// Calls are batched until a sample takes this long.
  double sample_seconds = 20e-6;
  /// The same if all ranks make the calls. It is long compared with the time between the first and the last
  /// rank that leave a barrier.
  double joint_sample_seconds = 10e-3;
  /// No more pairs than fit into this time, but at least two.
  double comparison_seconds = std::numeric_limits<double>::infinity();
};

/// The result, in seconds per call.
struct Measurement {
  Estimate time = {};
  std::optional<Estimate> reference = {};
  /// Speed relative to the reference: the reference's time over ours, pair by pair.
  std::optional<Estimate> ratio = {};
  /// A/A: the routine against itself and the reference against itself, pair by pair. Without it a target is
  /// judged by the interval alone.
  std::optional<Estimate> control = {};
  /// How much longer than the reference, pair by pair.
  std::optional<Estimate> excess = {};
  /// A share of a time or of a processor, if that was measured: between 0 and 1, or near them.
  std::optional<Estimate> share = {};
};

/// Measures the time of routines on all ranks of a group. Samples begin together, after a barrier. An untimed
/// call comes before each sample, so that all samples find the caches alike. Routine and reference take turns,
/// S R R S then R S S R. So neither drifts of the machine nor their order favour one. Each half of a block is a
/// pair. The control compares each routine in one half with itself in the other.
class Meter {
 public:
  Meter(const Group& group, const Effort& effort) : group_(group), effort_(effort) {}

  /// The time of a routine alone. Every rank gets the same result. @collective
  Measurement time(const Work& work, Clock clock) const;
  /// The time of a routine against that of a reference. @collective
  Measurement compare(const Work& work, const Work& reference, Clock clock) const;

 private:
  struct Batch {
    const Work* work;
    index_t count;
    bool takes_part;
    double seconds;  // of one call; the same on all ranks
    double sample() const noexcept { return seconds * static_cast<double>(count + 1); }
  };
  /// When samples of one kind began and ended on this rank, by a clock that all processes of a node share.
  struct Samples {
    std::vector<double> begin, end;
  };
  Batch batch(const Work& work, Clock clock) const;
  int pairs(double seconds_of_one) const;
  void call(const Batch& batch, index_t count) const;
  void release(const Batch& batch) const;
  void take(Samples& samples, const Batch& batch, Clock clock) const;
  std::vector<double> seconds_per_call(const Samples& samples, const Batch& batch, Clock clock) const;

  Group group_;
  Effort effort_;
};

}  // namespace tessera::benchmark
