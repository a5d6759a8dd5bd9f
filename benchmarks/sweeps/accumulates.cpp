// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Accumulates of short runs, which the target's agent adds between nodes; and of contiguous blocks, against the
// source that locks, gets, adds, puts and unlocks.
#include <algorithm>

#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/mutexes.hpp>

#include "by_hand.hpp"
#include "rivals.hpp"
#include "signal.hpp"

namespace tessera::benchmark::sweeps {
namespace {

constexpr const char *strided_section = "strided accumulate: runs inside rows of twice their length",
                     *driver_section = "driver: accumulate by the target, and by the source under a lock";

Mover accumulate_only(Mover mover) {
  mover.put = mover.get = {};
  return mover;
}

// Accumulates a block onto the last rank's memory in both ways.
class Drivers {
 public:
  Drivers(const Group& world, index_t most)
      : world_(world),
        target_(world.size() - 1),
        segment_(world, most, "sums"),
        mutexes_(world, 1, target_),
        scratch_(most / element) {}
  void close() {
    mutexes_.close();
    segment_.close();
  }

  Mover by_target(index_t bytes, double* buffer, const Others& others) {
    return accumulate_only(by_segment(segment_, target_, Rows::contiguous(bytes), buffer, others));
  }
  Mover by_source(index_t bytes, double* buffer, const Others& others) {
    Mover mover = by_target(bytes, buffer, others);
    const Strided block = Strided::contiguous(bytes);
    const auto call = [this, block, buffer] {
      mutexes_.lock(0);
      segment_.get(target_, 0, block, scratch_.data());
      add(scratch_.data(), buffer, block.run / element);
      segment_.put(target_, 0, block, scratch_.data());
      mutexes_.unlock(0);  // after the put has reached its target
    };
    mover.accumulate.name = "lock, get, add, put, unlock";
    mover.accumulate.routine = repeat(call);
    return mover;
  }
  // All ranks add 1 several times at once, and no addition is lost.
  void check_at_once(index_t bytes, std::span<double> buffer, const Mover& mover) {
    constexpr index_t times = 20;
    const auto block = mover.memory.first(static_cast<std::size_t>(bytes / element));
    std::ranges::fill(block, 0.0);
    std::ranges::fill(buffer, 1.0);
    mover.sync();
    mover.accumulate.routine(times);
    mover.sync();
    const auto sum = static_cast<double>(times * world_.size());
    const bool right = std::ranges::all_of(block, [sum](double x) { return x == sum; });
    require_everywhere(world_, right || world_.rank() != target_,
                       "all ranks at once: " + mover.accumulate.name);
  }

 private:
  const Group& world_;
  int target_;
  Segment segment_;
  Mutexes mutexes_;
  LocalBuffer<double> scratch_;
};

}  // namespace

void strided_accumulate(Session& session, const Place& place) {
  if (!session.wants(strided_section)) return;
  const Group& world = session.world();
  constexpr index_t longest = kib, most_runs = 1024;
  const LocalBuffer<double> buffer(longest * most_runs / element);
  Segment segment(world, 2 * longest * most_runs, "sums");
  Rivals rivals(world, place, 2 * longest * most_runs);
  for (const index_t run : {index_t{16}, longest}) {
    for (const index_t count : {index_t{1}, index_t{4}, index_t{16}, index_t{64}, index_t{256}, most_runs}) {
      if (session.is_quick() && count != 1 && count != 64) continue;
      const Rows rows{count, run, 2 * run, run};
      const std::string name = std::to_string(count) + " x " + format_bytes(run);
      const Mover own = by_segment(segment, world.size() - 1, rows, buffer.data(), waiting(world));
      measure(session, {strided_section, name, places_of(rows)}, span_of(buffer), accumulate_only(own),
              rivals.of(rows, buffer.data()));
    }
  }
  segment.close();
}

void drivers(Session& session, const Place& place) {
  if (!session.wants(driver_section)) return;
  const Group& world = session.world();
  const std::vector<index_t> sizes =
      session.is_quick() ? std::vector<index_t>{element, 32 * kib}
                         : std::vector<index_t>{element, 512, 4 * kib, 32 * kib, 256 * kib, mib};
  const LocalBuffer<double> buffer(sizes.back() / element);
  Drivers drivers(world, sizes.back());
  Rivals rivals(world, place, sizes.back());
  Signal signal(world);
  for (const index_t bytes : sizes) {
    const auto row = [&](const std::string& meanwhile, const Others& others, std::vector<Mover> references) {
      references.insert(references.begin(), drivers.by_source(bytes, buffer.data(), others));
      measure(session, {driver_section, format_bytes(bytes) + meanwhile, places_of(Rows::contiguous(bytes))},
              span_of(buffer), drivers.by_target(bytes, buffer.data(), others), references);
    };
    row("", waiting(world), rivals.of(Rows::contiguous(bytes), buffer.data()));
    if (place.served && world.size() > 1) row(", target computes", computing(signal), {});
    if (world.size() == 1) continue;
    const Mover own = drivers.by_target(bytes, buffer.data(), waiting(world)),
                source = drivers.by_source(bytes, buffer.data(), waiting(world));
    drivers.check_at_once(bytes, span_of(buffer), own);
    drivers.check_at_once(bytes, span_of(buffer), source);
    session.compare({.section = driver_section,
                     .name = "accumulate, " + format_bytes(bytes) + ", all ranks at once",
                     .routine = own.accumulate.routine,
                     .bytes = static_cast<double>(bytes),
                     .clock = Clock::joint,
                     .others = own.accumulate.others},
                    {source.accumulate});
  }
  signal.close();
  drivers.close();
}

}  // namespace tessera::benchmark::sweeps
