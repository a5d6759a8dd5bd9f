// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Single operations at a target that computes and makes no calls: one after the other, and with pauses.
#include <cmath>
#include <random>
#include <vector>

#include "compute.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "progress: single operations, each timed";
constexpr int target = Ends::target;

// The times of so many calls. Before each call, rank 0 computes until next(end of the call before).
template <class Call, class Next>
std::vector<double> take(Ends& ends, const Others& others, std::size_t count, const Call& call, Next next) {
  std::vector<double> seconds(count);
  ends.call(others, [&] {
    for (double& one : seconds) {
      for (const double until = next(now()); now() < until;) compute(100);
      const double begin = now();
      call();
      one = now() - begin;
    }
  });
  ends.world().broadcast(std::span(seconds), Ends::origin);
  return seconds;
}

void add(Session& session, const std::string& name, const Estimate& time, double at_most) {
  session.add({.section = section,
               .name = name + computes,
               .measured = {.time = time},
               .target = Target{Goal::at_most, at_most}});
}

// Pauses of 10 ms on average, exponentially distributed.
class Pauses {
 public:
  explicit Pauses(bool quick) : mean_(quick ? 1e-3 : 10e-3) {}
  double operator()(double last) {
    return last - mean_ * std::log((static_cast<double>(random_() >> 11) + 1.0) / 9007199254740992.0);
  }

 private:
  std::mt19937_64 random_{20061103};
  double mean_;
};

// One a millisecond, by the clock.
class Beats {
 public:
  double operator()(double last) { return due_ = (due_ == 0.0 ? last : due_) + 1e-3; }

 private:
  double due_ = 0.0;
};

constexpr std::size_t lone_calls(bool quick) { return quick ? 20 : 200; }

void add_times(Session& session, const std::string& name, const std::vector<double>& times, double median,
               double tail) {
  add(session, name, median_estimate(times), median);
  add(session, name + ": 99 %", quantile_estimate(times, 0.99), tail);
}

template <class Call>
void measure_call(Session& session, Ends& ends, const std::string& name, const Call& call) {
  const bool quick = session.is_quick();
  std::vector<double> trains;
  const auto at_once = [](double last) { return last; };
  for (int train = 0; train < (quick ? 1 : 5); ++train) {
    const std::vector<double> one = take(ends, ends.computing(), quick ? 100 : 1000, call, at_once);
    trains.insert(trains.end(), one.begin(), one.end());
  }
  add_times(session, name + ", in trains", trains, 30e-6, 500e-6);
  const std::vector<double> lone = take(ends, ends.computing(), lone_calls(quick), call, Pauses(quick));
  add_times(session, name + ", every 10 ms", lone, 80e-6, 1e-3);
  const std::vector<double> regular = take(ends, ends.computing(), quick ? 20 : 2000, call, Beats());
  add_times(session, name + ", 1 a millisecond", regular, 80e-6, 1e-3);
}

// The time that the machine itself takes when everything has to be fetched into the caches again. It is
// measured by a message there and back; the target only waits for it.
void measure_message(Session& session, Ends& ends) {
  const Group& world = ends.world();
  double word = 0.0;
  const auto call = [&] { mpi_peer::ping_pong(world, target, &word, sizeof word); };
  const std::size_t count = lone_calls(session.is_quick());
  Others answering = ends.waiting();
  answering.work = [&](index_t) {
    for (std::size_t i = 0; i < count; ++i) call();
  };
  const std::vector<double> lone = take(ends, answering, count, call, Pauses(session.is_quick()));
  session.add({.section = section,
               .name = "message there and back, every 10 ms, target waits in MPI_Recv",
               .measured = {.time = median_estimate(lone)}});
}

}  // namespace

void latencies(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  if (!ends.is_served())
    return session.note("Single operations at a target that computes: not while agents poll.");
  Segment segment(ends.world(), 64, "words");
  const std::int64_t seven = 7, one = 1;
  segment.store(ends.world().rank(), 0, std::int64_t{ends.is_origin() ? 0 : seven});
  segment.sync();
  std::int64_t value = 0;
  if (ends.is_origin()) require(segment.load<std::int64_t>(target, 0) == seven, "a word");
  segment.sync();
  measure_call(session, ends, "get of 8 B", [&] { value = segment.load<std::int64_t>(target, 0); });
  if (ends.is_origin()) require(value == seven, "words");
  std::int64_t last = seven - 1;
  bool in_order = true;
  measure_call(session, ends, "fetch_add", [&] {
    segment.fetch_add(target, 0, ElementKind::int64, &one, &value);
    in_order = in_order && value == ++last;
  });
  require(ends.world().all_reduce(in_order ? 1 : 0, Reduce::min) == 1, "fetch_add");
  measure_message(session, ends);
  session.note(
      "Trains: 5 of 1,000 operations, one after the other. Every 10 ms: 200 operations after pauses that are "
      "exponentially distributed. 1 a millisecond: 2,000, by the clock. Rank 0 computes meanwhile.");
  segment.close();
}

}  // namespace tessera::benchmark::network
