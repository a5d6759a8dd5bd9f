// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The owner of an element. Layouts are values without MPI, so we can also ask about larger machines than this
// one.
#include <random>
#include <vector>

#include <tessera/array.hpp>

#include "sections.hpp"

namespace tessera::benchmark::arrays {
namespace {

constexpr const char* section = "locate: the owner of an element at a random position";
constexpr index_t edge = 6000;

std::vector<Index<2>> random_positions() {
  std::mt19937_64 random(20080512);
  std::uniform_int_distribution<index_t> any(0, edge - 1);
  std::vector<Index<2>> positions;
  for (int i = 0; i < 4096; ++i) {
    const index_t row = any(random);
    positions.emplace_back(row, any(random));
  }
  return positions;
}

// The starts of uneven blocks; the first is 0.
std::vector<index_t> starts(index_t blocks) {
  std::vector<index_t> all;
  for (index_t b = 0; b < blocks; ++b) all.push_back(edge * b * b / (blocks * blocks));
  return all;
}

bool owns(const Layout<2>& layout, int rank, const Index<2>& at) {
  for (index_t b = 0; b < layout.block_count(rank); ++b) {
    if (layout.block(rank, b).contains(at)) return true;
  }
  return false;
}

}  // namespace

void locate(Session& session, const Place&) {
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const std::vector<Index<2>> positions = random_positions();
  const std::size_t mask = positions.size() - 1;
  const auto row = [&](const std::string& name, const auto& owner, std::optional<Target> target) {
    const Routine all = [&](index_t count) {
      int sum = 0;
      for (index_t i = 0; i < count; ++i) sum += owner(positions[static_cast<std::size_t>(i) & mask]);
      keep(&sum);
    };
    session.add({.section = section,
                 .name = name,
                 .measured = session.meter().time(all, Clock::origin),
                 .target = target});
  };
  const Target fast{Goal::at_most, 10e-9};
  const Extents<2> dims(edge, edge), block(64, 64);
  for (const int ranks : {world.size(), 64}) {
    const Extents<2> grid = ranks == 64 ? Extents<2>(8, 8) : Extents<2>(ranks, 1);
    const std::pair<const char*, Layout<2>> layouts[] = {
        {"blocked", Layout<2>::blocked(dims, ranks, {.grid = grid})},
        {"irregular", Layout<2>::irregular(dims, {starts(grid[0]), starts(grid[1])}, ranks)},
        {"block-cyclic", Layout<2>::block_cyclic(dims, block, {grid}, ranks)},
        {"tiled", Layout<2>::tiled(dims, block, {grid}, ranks)}};
    for (const auto& [name, layout] : layouts) {
      for (std::size_t i = 0; i < 100; ++i)
        require(owns(layout, layout.owner(positions[i]), positions[i]), std::string("owner, ") + name);
      const auto& of = layout;
      row(
          std::string(name) + ", " + std::to_string(ranks) + " ranks",
          [&of](const Index<2>& at) { return of.owner(at); }, fast);
    }
  }
  Array<double, 2> array(world, Extents<2>(edge, 64), {.name = "located"});
  row("asked of an array: its layout, and the owner",
      [&array](const Index<2>& at) {
        return array.layout().owner({at[0], at[1] % 64});
      },
      {});
  array.close();
}

}  // namespace tessera::benchmark::arrays
