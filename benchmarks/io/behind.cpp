// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// The time that a computation on all ranks loses to a checkpoint that is written behind it.
#include <algorithm>
#include <array>

#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>

#include "compute.hpp"
#include "sections.hpp"

namespace tessera::benchmark::io {
namespace {

constexpr const char* section = "a computation while a checkpoint is written behind it";
constexpr double bytes_per_second = 500e6;  // of all ranks together

// Products of small matrices that stay in a core's cache: they need only the processor.
class Computation {
 public:
  Computation() {
    a_.fill(0.5);
    b_.fill(0.25);
  }
  // About a tenth of a millisecond.
  void step() {
    c_.fill(0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        const double x = a_[i * n + k];
        for (std::size_t j = 0; j < n; ++j) c_[i * n + j] += x * b_[k * n + j];
      }
    }
    keep(c_.data());
  }

 private:
  static constexpr std::size_t n = 64;
  std::array<double, n * n> a_, b_, c_;
};

// Times of one checkpoint, in seconds.
struct Run {
  double duration;  // until it is on disk under its name
  double snapshot;  // until write_async returns
  double lost;      // longer than the same computation takes alone
};

Run run(const Group& world, tessera::io::Checkpoint& checkpoint, std::int64_t number) {
  Computation computation;
  world.barrier();
  const double begin = now();
  auto pending = checkpoint.write_async(number);
  const double copied = now();
  index_t steps = 0;
  for (; !pending.test(); ++steps) computation.step();
  pending.wait();
  const double duration = now() - begin;
  world.barrier();
  const double again = now();
  for (index_t i = 0; i < steps; ++i) computation.step();
  const double alone = now() - again;
  return {world.all_reduce(duration, Reduce::max), world.all_reduce(copied - begin, Reduce::max),
          world.all_reduce(duration - alone, Reduce::max)};
}

}  // namespace

void behind(Session& session, const Plan& plan) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const index_t columns = 512, rows = std::max<index_t>(1, plan.bytes / (8 * columns));
  Array<double, 2> a(world, {rows, columns}, {.name = "a"});
  fill(a, 1.0);
  a.sync();
  tessera::io::Checkpoint checkpoint(
      world, plan.scratch / "behind",
      {.keep = 1, .bytes_per_second = static_cast<index_t>(bytes_per_second) / world.size()});
  checkpoint.add("a", a);
  std::vector<double> durations, shares, snapshots;
  const int runs = std::min(plan.effort.pairs, 7);
  double spent = 0;
  for (int i = 0; i < runs && (i < 2 || spent < plan.effort.comparison_seconds); ++i) {
    plan.scratch.make_cold();
    const Run one = run(world, checkpoint, i);
    durations.push_back(one.duration);
    shares.push_back(one.lost / one.duration);
    snapshots.push_back(one.snapshot);
    spent += 2 * one.duration;
  }
  fill(a, 2.0);
  a.sync();
  const auto restored = checkpoint.restore();
  bool right = restored.has_value() && restored->step == static_cast<std::int64_t>(durations.size()) - 1;
  for_each_local(a, [&](const Index<2>&, const double& x) { right = right && x == 1.0; });
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1, "a checkpoint behind a computation");
  const auto duration = median_estimate(durations), share = median_estimate(shares);
  session.add({.section = section,
               .name = "write_async, 500 MB/s: share that is lost",
               .measured = {.time = duration, .share = share},
               .bytes = static_cast<double>(rows * columns * 8),
               .target = Target{Goal::share_at_most, 0.25}});
  session.note("behind a computation: of " + format_seconds(duration.value) + ", write_async itself took " +
               format_seconds(median(snapshots)) + ", and " + format_share(share) +
               " in all were lost (the snapshot, the commit, and what the computation took longer than alone); "
               "medians of " +
               std::to_string(durations.size()) + " runs.");
  checkpoint.close();
  a.close();
  plan.scratch.clear();
}

}  // namespace tessera::benchmark::io
