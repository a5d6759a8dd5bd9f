// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Creating and closing a small array, and a large one whose elements are written meanwhile.
#include <optional>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>
#include <tessera/workspace.hpp>

#include "ga_peer.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "creation: an array of 64 x 64 made and closed";
constexpr const char* section_large = "creation: a large array made, filled with 1 and closed";
constexpr index_t edge = 64;

void check(const Group& world, const Layout<2>& layout, const ArrayOptions<2>& options) {
  Array<double, 2> array(world, layout, options);
  fill(array, 0.5);
  require_everywhere(world, reduce(array, Reduce::sum) == 0.5 * edge * edge, "a new array");
  array.close();
}

// Memory is taken where it is written first. So only an array that is written shows what its memory costs.
void large(Session& session, const Place& place) {
  if (!session.wants(section_large)) return;
  const Group& world = session.world();
  for (const index_t bytes : {mib, 4 * mib, 32 * mib}) {
    const index_t columns = bytes / element / 256, rows = 256 * world.size(), own = 256 * columns;
    const std::string name = format_bytes(bytes) + " on each rank";
    const Extents<2> dims(rows, columns);
    const auto layout = Layout<2>::blocked(dims, world.size(), {.grid = Extents<2>(world.size(), 1)});
    const Routine routine = repeat([&] {
      Array<double, 2> array(world, layout, {.name = "short-lived"});
      fill(array, 1.0);
      array.close();
    });
    {
      Array<double, 2> array(world, layout, {.name = "short-lived"});
      fill(array, 1.0);
      const double sum = reduce(array, Reduce::sum);
      require_everywhere(world, sum == static_cast<double>(rows * columns), "a new large array");
    }
    Routine by_mpi, by_global_arrays;
    if (place.windows) by_mpi = repeat([&world, own] { mpi_peer::allocate_fill_and_free(world, own); });
    if (place.global_arrays)
      by_global_arrays = repeat([rows, columns] { ga_peer::create_fill_and_destroy(rows, columns); });
    const Routine by_malloc = repeat([own] {
      const std::vector<double> elements(static_cast<std::size_t>(own), 1.0);
      keep(elements.data());
    });
    session.compare({.section = section_large,
                     .name = name,
                     .routine = routine,
                     .bytes = static_cast<double>(bytes),
                     .clock = Clock::joint,
                     .others = waiting(world)},
                    {{"MPI_Win_allocate, fill, free", by_mpi, no_slower},
                     {"GA_Create, Fill, Destroy", by_global_arrays, no_slower},
                     {"std::vector", by_malloc}});
    Workspace temporaries(world);
    const Routine by_workspace = repeat([&] {
      Array<double, 2> array = temporaries.array<double>(layout);
      fill(array, 1.0);
      array.close();
    });
    session.compare({.section = section_large,
                     .name = name + ", of a workspace",
                     .routine = by_workspace,
                     .bytes = static_cast<double>(bytes),
                     .clock = Clock::joint,
                     .others = waiting(world)},
                    {{"a new array", routine}});
    temporaries.close();
  }
}

}  // namespace

void creation(Session& session, const Place& place) {
  large(session, place);
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
