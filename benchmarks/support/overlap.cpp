// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "overlap.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compute.hpp"

namespace tessera::benchmark {
namespace {

struct Seconds {
  double sample, all;  // how long a sample should take, and all samples of a transfer
};
constexpr Seconds full{500e-6, 5.0}, quick{20e-6, 0.05};

// Samples of single transfers on all ranks; rank 0's time is known to all.
class Sampler {
 public:
  Sampler(const Group& world, const Halves& transfer) : world_(world), transfer_(transfer) {}

  /// So many transfers in a sample. @local
  void set_count(index_t count) noexcept { count_ = count; }
  double alone() const {
    return take(count_, [this] {
      transfer_.start();
      transfer_.finish();
    });
  }
  double together(index_t steps) const {
    return take(count_, [this, steps] {
      transfer_.start();
      compute(steps);
      transfer_.finish();
    });
  }
  // The others have no transfers to serve.
  double computation(index_t steps) const {
    return take(0, [steps] { compute(steps); });
  }

 private:
  template <class F>
  double take(index_t served, const F& f) const {
    double seconds = 0.0;
    make_calls(world_, transfer_.others, served, [&] {
      const double begin = now();
      for (index_t i = 0; i < count_; ++i) f();
      seconds = (now() - begin) / static_cast<double>(count_);
    });
    return world_.broadcast(seconds, 0);
  }

  const Group& world_;
  const Halves& transfer_;
  index_t count_ = 1;
};

double time_of(const Sampler& sampler) {
  std::vector<double> trials(6);
  for (double& trial : trials) trial = sampler.alone();
  return median(trials);
}

}  // namespace

Measurement measure_overlap(const Session& session, const Halves& transfer, double factor) {
  const Seconds& wanted = session.is_quick() ? quick : full;
  Sampler sampler(session.world(), transfer);
  const auto count = static_cast<index_t>(std::ceil(wanted.sample / time_of(sampler)));
  sampler.set_count(count);
  const double seconds = time_of(sampler);
  const index_t steps = steps_of(factor * seconds);
  const double affordable = wanted.all / (4.0 * static_cast<double>(count) * seconds);
  const int pairs = static_cast<int>(std::clamp(affordable, 4.0, 31.0));
  std::vector<double> alone, computation, together, shares;
  for (int i = 0; i < pairs; ++i) {
    const bool forwards = i % 2 == 0;
    if (forwards) alone.push_back(sampler.alone());
    if (!forwards) computation.push_back(sampler.computation(steps));
    together.push_back(sampler.together(steps));
    if (forwards) computation.push_back(sampler.computation(steps));
    if (!forwards) alone.push_back(sampler.alone());
    shares.push_back(1.0 - (together.back() - computation.back()) / alone.back());
  }
  std::vector<double> controls = neighbour_ratios(alone);
  for (const double ratio : neighbour_ratios(together)) controls.push_back(ratio);
  return {.time = median_estimate(together),
          .reference = median_estimate(alone),
          .control = median_estimate(controls),
          .share = median_estimate(shares)};
}

}  // namespace tessera::benchmark
