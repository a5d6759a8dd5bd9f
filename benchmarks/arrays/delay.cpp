// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// One rank is late to an update of ghost cells: only its neighbours may have to wait.
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <tessera/array.hpp>

#include "compute.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "delay: time in update_ghosts when one rank comes 100 ms late";
constexpr std::chrono::milliseconds lateness(100);

bool holds(const Array<double, 1>& array, index_t width) {
  const index_t size = array.size(), lo = array.local_patch().lo[0];
  const auto cells = array.local_with_ghosts();
  for (index_t i = 0; i < cells.size(); ++i) {
    if (cells(i) != static_cast<double>((lo + i - width + size) % size)) return false;
  }
  return true;
}

}  // namespace

void delay(Session& session, const Place&) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const int ranks = world.size(), me = world.rank(), late = ranks / 2;
  constexpr index_t edge = 1000, width = 4;
  ArrayOptions<1> options{.name = "ring"};
  options.ghosts = {width};
  options.periodic = {true};
  Array<double, 1> array(world, Extents<1>(edge * ranks), options);

  const int repeats = session.is_quick() ? 3 : 15;
  std::vector<std::vector<double>> waits(static_cast<std::size_t>(ranks));
  bool right = true;
  for (int turn = 0; turn < repeats; ++turn) {
    {
      auto own = array.local();
      for (index_t i = 0; i < own.size(); ++i) own(i) = static_cast<double>(me * edge + i);
    }
    array.sync();
    if (me == late) std::this_thread::sleep_for(lateness);
    const double begin = now();
    array.update_ghosts();
    const std::vector<double> seconds = world.all_gather(now() - begin);
    for (std::size_t rank = 0; rank < waits.size(); ++rank) waits[rank].push_back(seconds[rank]);
    right = right && holds(array, width);
  }
  require_everywhere(world, right, "delay");
  for (int rank = 0; rank < ranks; ++rank) {
    const int distance = std::min((rank - late + ranks) % ranks, (late - rank + ranks) % ranks);
    std::string name = "rank " + std::to_string(rank);
    if (distance == 0) name += ", the late one";
    if (distance == 1) name += ", its neighbour";
    std::optional<Target> target;
    if (distance > 1) target = Target{Goal::at_most, 20e-3};
    session.add({.section = section,
                 .name = name,
                 .measured = {.time = median_estimate(waits[static_cast<std::size_t>(rank)])},
                 .target = target});
  }
  array.close();
}

}  // namespace tessera::benchmark::arrays
