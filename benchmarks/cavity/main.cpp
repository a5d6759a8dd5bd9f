// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The lattice Boltzmann solver of examples/solvers/cavity: arrays with a halo against messages of MPI by hand,
// and against the memory's speed. The loops over cells are the same.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "messages.hpp"
#include "session.hpp"
#include "triad.hpp"

namespace tessera::benchmark::lattice {
namespace {

template <class Lattice>
::cavity::FlowOptions<Lattice> options_of(index_t n) {
  ::cavity::Sizes<Lattice> grid;
  for (std::size_t d = 0; d < Lattice::dimensions; ++d) grid[d] = n;
  return {grid, 0.1 * static_cast<double>(n) / 100, {.lid = 0.1, .is_span_periodic = false}};
}

// Both ways have the same populations, bit for bit.
template <class Lattice>
void check(const Group& world, index_t n) {
  ::cavity::Flow<Lattice> own(world, options_of<Lattice>(n));
  MessageFlow<Lattice> messages(world, options_of<Lattice>(n));
  for (int step = 0; step < 100; ++step) own.step(), messages.step();
  const auto cells = own.populations().local();
  const std::vector<double> expected = messages.cells();
  auto next = expected.begin();
  bool is_same = static_cast<index_t>(expected.size()) == cells.size();
  for_each_point(Patch<Lattice::dimensions + 1>::whole(cells.extents()),
                 [&](auto... at) { is_same = is_same && cells(at...) == *next++; });
  const double most = *std::max_element(expected.begin(), expected.end());
  require_everywhere(world, is_same, "populations differ between the ways");
  require_everywhere(world, world.all_reduce(most, Reduce::max) > 1e-4, "the fluid does not move");
}

class Program {
 public:
  explicit Program(Session& session) : session_(session), world_(session.world()) {}

  template <class Lattice>
  void measure(index_t n) {
    const auto own = std::make_shared<::cavity::Flow<Lattice>>(world_, options_of<Lattice>(n));
    const auto messages = std::make_shared<MessageFlow<Lattice>>(world_, options_of<Lattice>(n));
    const double cells = static_cast<double>(options_of<Lattice>(n).grid.size());
    // Each population is read, and written, for which a cache reads the line once more.
    const double bytes = cells * static_cast<double>(Lattice::populations) * 24;
    const auto triad = std::make_shared<Triad>(
        static_cast<std::size_t>(bytes / Triad::bytes / static_cast<double>(world_.size())));
    std::string shape = std::to_string(n);
    for (std::size_t d = 1; d < Lattice::dimensions; ++d) shape += " x " + std::to_string(n);
    session_.compare({.section = "lattice Boltzmann, D" + std::to_string(Lattice::dimensions) + "Q" +
                                 std::to_string(Lattice::populations),
                      .name = "one step of " + shape + " cells",
                      .routine = repeat([own] { own->step(); }),
                      .bytes = bytes,
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     {{.name = MessageFlow<Lattice>::name,
                       .routine = repeat([messages] { messages->step(); }),
                       .target = Target{Goal::at_least, world_.node_count() == 1 ? 0.95 : 1.0}},
                      {.name = "triad with as many bytes",
                       .routine = repeat([triad] { (*triad)(); }),
                       .target = Target{Goal::at_least, 0.85}}});
  }

 private:
  Session& session_;
  const Group& world_;
};

}  // namespace
}  // namespace tessera::benchmark::lattice

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  std::vector<tessera::index_t> squares, cubes;
  auto parsed = parse_options(
      argc, argv, "The lattice Boltzmann method in a cavity, with ghost cells exchanged in two ways.",
      world.rank() == 0, [&](CLI::App& app) {
        add_sizes(app, "--squares", squares, 8,
                  "Edges of 2-D grids (64,128, and so on to 2048; with --quick to 256)");
        add_sizes(app, "--cubes", cubes, 8, "Edges of 3-D grids (32,64,128; with --quick 32)");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};

  if (squares.empty() && cubes.empty()) {
    squares = {64, 128, 256}, cubes = {32};
    if (!parsed.options.quick)
      squares.insert(squares.end(), {512, 1024, 2048}), cubes.insert(cubes.end(), {64, 128});
  }
  Session session(runtime, "cavity", parsed.options);
  lattice::check<cavity::D2Q9>(world, 37);
  lattice::check<cavity::D3Q19>(world, 14);
  lattice::Program program(session);
  for (const tessera::index_t n : squares) program.measure<cavity::D2Q9>(n);
  for (const tessera::index_t n : cubes) program.measure<cavity::D3Q19>(n);
  session.note(
      "Before they are measured, both ways make 100 steps, after which all populations must be the same bit "
      "for "
      "bit. Bytes of a step are 24 for each population: it is read and written, and caches read a line before "
      "they write to it. The triad, a = b + s c, moves as many at 32 for each element, in arrays that are "
      "together 9/8 as large: its ratio is the share of the memory's speed that is reached.");
  session.finish();
  return 0;
}
