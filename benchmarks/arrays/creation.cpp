// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Creating and closing a small array.
#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "ga_peer.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "creation: an array of 64 x 64 made and closed";
constexpr index_t edge = 64;

void check(const Group& world, const Layout<2>& layout, const ArrayOptions<2>& options) {
  Array<double, 2> array(world, layout, options);
  fill(array, 0.5);
  require_everywhere(world, reduce(array, Reduce::sum) == 0.5 * edge * edge, "a new array");
  array.close();
}

}  // namespace

void creation(Session& session, const Place& place) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const int ranks = world.size();
  // The target holds for two ranks on one node, without a network.
  std::optional<Target> goal;
  if (place.one_node && ranks == 2) goal = Target{Goal::at_most, 25e-6};
  Routine by_mpi, by_global_arrays;
  if (place.windows && ranks > 1)
    by_mpi = repeat([&world, ranks] { mpi_peer::allocate_and_free(world, edge * edge * element / ranks); });
  if (place.global_arrays) by_global_arrays = repeat([] { ga_peer::create_and_destroy(edge, edge); });

  const Extents<2> dims(edge, edge);
  ArrayOptions<2> with_ghosts{.name = "short-lived"};
  with_ghosts.ghosts = {1, 1};
  struct Kind {
    const char* name;
    Layout<2> layout;
    ArrayOptions<2> options;
  };
  const Kind kinds[] = {
      {"blocked", Layout<2>::blocked(dims, ranks), {.name = "short-lived"}},
      {"block-cyclic", Layout<2>::block_cyclic(dims, {8, 8}, {Extents<2>(ranks, 1)}), {.name = "short-lived"}},
      {"blocked, with ghost cells", Layout<2>::blocked(dims, ranks, {.grid = Extents<2>(ranks, 1)}),
       with_ghosts},
  };
  for (const Kind& kind : kinds) {
    check(world, kind.layout, kind.options);
    const Routine routine = repeat([&] {
      Array<double, 2> array(world, kind.layout, kind.options);
      array.close();
    });
    const Others others = waiting(world);
    session.add({.section = section,
                 .name = kind.name,
                 .measured = session.meter().time({routine, others}, Clock::joint),
                 .target = goal});
    session.compare(
        {.section = section, .name = kind.name, .routine = routine, .clock = Clock::joint, .others = others},
        {{"MPI_Win_allocate and free", by_mpi},
         {"GA_Create and Destroy", by_global_arrays, no_slower, Counts::where_reference_is_fastest}});
  }
}

}  // namespace tessera::benchmark::arrays
