// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fock.hpp"

#include <array>

namespace rhf {

using namespace tessera;

// Members are destroyed in reverse order: the request waits while its patches still exist.
struct FockBuilder::Densities {
  std::array<LocalArray<double, 2>, 3> patches;
  Request request;
  double* seconds;

  void wait() {
    const Timer timer(*seconds);
    request.wait();
  }
};

struct FockBuilder::Focks {
  explicit Focks(double& time) : seconds(&time) {}
  Focks(Focks&&) = default;
  ~Focks() {
    const Timer timer(*seconds);
    request = {};
  }
  std::array<LocalArray<double, 2>, 3> patches;
  Request request;
  double* seconds;
};

FockBuilder::FockBuilder(const Group& group, const Basis& basis, double screening)
    : tasks_(basis, schwarz_bounds(group, basis), screening, group.size()),
      counter_(group, tasks_.count(), {.name = "Fock tasks"}),
      change_(group, {basis.size(), basis.size()}, {.name = "change of the density"}),
      two_electron_(change_.duplicate("two-electron part")) {
  restart();
}

void FockBuilder::restart() {
  fill(change_, 0.0);
  fill(two_electron_, 0.0);
}

void FockBuilder::build(const Matrix& density, const Matrix& core, Matrix& fock) {
  axpby(1, density, -1, change_);
  tasks_.begin(norm_inf(change_));
  counter_.reset();
  double all = 0;
  const double others = times_.get + times_.accumulate + times_.integrals;
  {
    const Timer timer(all);
    for_each_task(
        counter_, [this](index_t task) { return fetch(task); },
        [this](index_t task, Densities& densities) { return compute(task, densities); });
  }
  times_.counter += all - (times_.get + times_.accumulate + times_.integrals - others);
  {
    const Timer timer(times_.waiting);
    two_electron_.sync();
  }
  symmetrise(two_electron_);
  copy(density, change_);
  axpby(1, two_electron_, 1, core, fock);
}

FockBuilder::Densities FockBuilder::fetch(index_t task) {
  const Timer timer(times_.get);
  Densities densities{{}, {}, &times_.get};
  const auto patches = tasks_.patches(task);
  for (std::size_t k = 0; k < patches.size(); ++k) {
    densities.patches[k] = LocalArray<double, 2>(patches[k].extents());
    densities.request += change_.get_async(patches[k], densities.patches[k]);
  }
  return densities;
}

FockBuilder::Focks FockBuilder::compute(index_t task, Densities& densities) {
  const auto patches = tasks_.patches(task);
  Focks focks(times_.accumulate);
  std::array<Strip, 3> strips;
  for (std::size_t k = 0; k < patches.size(); ++k) {
    focks.patches[k] = LocalArray<double, 2>(patches[k].extents());
    strips[k] = {densities.patches[k], focks.patches[k]};
  }
  bool any = false;
  {
    const Timer timer(times_.integrals);
    any = tasks_.compute(task, strips);
  }
  if (!any) return focks;
  const Timer timer(times_.accumulate);
  for (std::size_t k = 0; k < patches.size(); ++k)
    focks.request += two_electron_.acc_async(patches[k], focks.patches[k]);
  return focks;
}

}  // namespace rhf
