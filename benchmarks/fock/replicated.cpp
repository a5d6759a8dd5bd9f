// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "replicated.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "integrals.hpp"
#include "mpi_peer.hpp"

namespace tessera::benchmark::fock {

ReplicatedFock::ReplicatedFock(const Group& group, const rhf::Basis& basis, double screening,
                               LocalArray<double, 2> core)
    : tasks_(basis, rhf::schwarz_bounds(group, basis), screening, group.size()),
      counter_(group, tasks_.count(), {.name = "Fock tasks"}),
      core_(std::move(core)),
      two_electron_(core_.extents()),
      fock_(core_.extents()) {}

const LocalArray<double, 2>& ReplicatedFock::build(const LocalArray<double, 2>& density) {
  std::fill(two_electron_.begin(), two_electron_.end(), 0.0);
  double largest = 0;
  for (const double x : density) largest = std::max(largest, std::abs(x));
  tasks_.begin(largest);
  counter_.reset();
  for_each_task(counter_, [&](index_t task) {
    const auto patches = tasks_.patches(task);
    std::array<rhf::Strip, 3> strips;
    for (std::size_t k = 0; k < patches.size(); ++k)
      strips[k] = {density.view().subview(patches[k]), two_electron_.view().subview(patches[k])};
    tasks_.compute(task, strips);
  });
  // In progress mode poll, a rank that waits in MPI would not serve draws of others.
  counter_.group().barrier();
  mpi_peer::all_reduce(counter_.group(), two_electron_.data(), two_electron_.size() * index_t{sizeof(double)});
  for (index_t i = 0; i < fock_.extent(0); ++i) {
    for (index_t j = 0; j < fock_.extent(1); ++j)
      fock_(i, j) = core_(i, j) + 0.5 * (two_electron_(i, j) + two_electron_(j, i));
  }
  return fock_;
}

}  // namespace tessera::benchmark::fock
