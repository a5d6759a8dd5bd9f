// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Single operations at a target that computes and calls nothing: one after the other, and now and then.
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

// How long each of so many calls took; before each, rank 0 computes for pause() seconds.
template <class Call, class Pause>
std::vector<double> take(Ends& ends, const Others& others, std::size_t count, const Call& call, Pause pause) {
  std::vector<double> seconds(count);
  ends.call(others, [&] {
    for (double& one : seconds) {
      for (const double until = now() + pause(); now() < until;) compute(100);
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
  double operator()() {
    return -mean_ * std::log((static_cast<double>(random_() >> 11) + 1.0) / 9007199254740992.0);
  }

 private:
  std::mt19937_64 random_{20061103};
  double mean_;
};

constexpr std::size_t lone_calls(bool quick) { return quick ? 20 : 200; }

template <class Call>
void measure_call(Session& session, Ends& ends, const std::string& name, const Call& call) {
  const bool quick = session.is_quick();
  std::vector<double> trains;
  for (int train = 0; train < (quick ? 1 : 5); ++train) {
    const std::vector<double> one = take(ends, ends.computing(), quick ? 100 : 1000, call, [] { return 0.0; });
    trains.insert(trains.end(), one.begin(), one.end());
  }
  add(session, name + ", in trains", median_estimate(trains), 50e-6);
  add(session, name + ", in trains: 99 %", quantile_estimate(trains, 0.99), 1e-3);

  const std::vector<double> lone = take(ends, ends.computing(), lone_calls(quick), call, Pauses(quick));
  add(session, name + ", every 10 ms", median_estimate(lone), 80e-6);
}

// What the machine itself takes when all of it has to be fetched to the caches again: a message there and back,
// the target doing nothing but wait for it.
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
      "exponentially distributed; rank 0 computes meanwhile.");
  segment.close();
}

}  // namespace tessera::benchmark::network
