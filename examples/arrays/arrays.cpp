// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A tour of arrays: owners, parts of arrays, direct access to local elements, ghost cells, and epochs in which
// an array is used in one way. Also copies on each node, and memory of other libraries. Each part checks its
// result.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>

#include "parts.hpp"

using tessera::Array, tessera::Extents, tessera::Group, tessera::Index, tessera::index_t, tessera::Layout,
    tessera::LocalArray, tessera::Patch, tessera::View;

namespace {

bool layouts(const Group& world) {
  const int ranks = world.size();
  // [blocks]
  const auto even = Layout<2>::blocked({100, 80}, ranks);  // Tessera chooses the grid of processes
  const auto rows = Layout<2>::blocked({100, 80}, ranks, {.grid = {{ranks, 1}}});
  const auto large = Layout<2>::blocked({100, 80}, ranks, {.min_block = {50, 40}});  // some may have none
  std::vector<index_t> starts;  // rank 0 has one row of `uneven`, rank 1 two, ..., the last rank the rest
  for (index_t i = 0; i < ranks; ++i) starts.push_back(i * (i + 1) / 2);
  const auto uneven = Layout<2>::irregular({100, 80}, {{starts, {0}}});
  // [blocks]
  // [many_blocks]
  const tessera::ProcessGrid<2> grid{.shape = {ranks, 1}};
  const auto scalapack = Layout<2>::block_cyclic({100, 80}, {16, 16}, grid);
  const auto tiles = Layout<2>::tiled({100, 80}, {16, 16}, grid);
  const auto shells = Layout<2>::tiled({100, 80}, {{{0, 10, 45, 60}, {0, 64}}}, grid);  // where tiles begin
  // [many_blocks]
  // [any_blocks]
  const auto two =
      Layout<2>::of_blocks({100, 80}, {{0, {{0, 0}, {100, 30}}}, {ranks - 1, {{0, 30}, {100, 80}}}});
  // Rows are dealt out forth and back: 0 1 2 2 1 0 0 1 ... In a triangle, later rows are more work.
  const auto dealt = Layout<2>::by_policy({100, 80}, ranks, [](const Extents<2>& dims, int n) {
    std::vector<tessera::OwnedPatch<2>> blocks;
    for (index_t i = 0; i < dims[0]; ++i) {
      const auto turn = static_cast<int>(i % (2 * n));
      blocks.push_back({turn < n ? turn : 2 * n - 1 - turn, {{i, 0}, {i + 1, dims[1]}}});
    }
    return blocks;
  });
  const auto last = Layout<2>::blocked({100, 80}, 1).on_ranks({ranks - 1}, ranks);  // all on the last rank
  // [any_blocks]
  bool right = uneven.block(0).lo == Index<2>{0, 0} && tiles.block(0, 0).size() == 256;
  for (const auto& layout : {even, rows, large, uneven, scalapack, tiles, shells, two, dealt, last}) {
    const int me = world.rank();
    // [ask]
    Array<double, 2> a(world, layout, {.name = "a"});
    const int owner = layout.owner({99, 79});
    index_t mine = 0, inside = 0;
    for (index_t b = 0; b < layout.block_count(me); ++b) mine += layout.block(me, b).size();
    for (const auto& [rank, patch] : layout.locate({{10, 10}, {60, 20}}))  // the owners of its parts
      inside += patch.size();
    // [ask]
    right = right && owner < ranks && mine == layout.local_size(me) && inside == 50 * 10 &&
            world.all_reduce(mine, tessera::Reduce::sum) == a.size();
  }
  return right;
}

bool slices(const Group& world) {
  // [slices]
  Array<double, 3> t(world, {8, 9, 10}, {.name = "t"});
  for_each_local(
      t, [](const Index<3>& at, double& x) { x = static_cast<double>(100 * at[0] + 10 * at[1] + at[2]); });
  t.sync();
  const auto corner = t.get({{6, 0, 0}, {8, 3, 4}});  // 2 x 3 x 4 elements, in a LocalArray
  using tessera::placeholders::all;
  const auto plane = t(5, all, all);                              // 9 x 10; the same as t.slice().fix(0, 5)
  const auto column = plane.transposed().fix(0, 2);               // t(5, :, 2), 9
  const auto some = t.slice({{0, 0, 0}, {8, 9, 10}}, {4, 3, 1});  // t(0 4, 0 3 6, :), 2 x 3 x 10
  const double sum = reduce(some, tessera::Reduce::sum);
  fill(some, -1.0);
  copy(plane, t(7, all, all));
  // [slices]
  return corner(1, 2, 3) == 723 && column.get()(8) == 582 && sum == 60 * 234.5 && t.load({4, 6, 9}) == -1 &&
         t.load({7, 8, 9}) == 589 && t.load({1, 0, 0}) == 100;
}

bool periodic(const Group& world) {
  // [periodic]
  Array<double, 1> ring(world, {10}, {.name = "ring"});
  tessera::enumerate(ring);  // 0 1 2 ... 9
  LocalArray<double, 1> near(Extents<1>{5});
  ring.get_periodic({{-2}, {3}}, near);  // 8 9 0 1 2
  ring.sync();                           // all have read
  ring.acc_periodic({{8}, {13}}, near);  // each rank adds to the same five
  ring.sync();
  // [periodic]
  return near(0) == 8 && near(4) == 2 && ring.load({9}) == 9.0 * (1 + world.size());
}

// [atom]
struct Atom {
  double position[3];
  double charge;
  std::int32_t element;
};
// [atom]

bool fields(const Group& world) {
  // [fields]
  Array<Atom, 1> atoms(world, {12}, {.name = "atoms"});
  fill(atoms, Atom{{0, 0, 0}, 0.5, 6});
  LocalArray<double, 1> charges(Extents<1>{12});
  for (double& q : charges) q = 0.25;
  atoms.acc_field({{0}, {12}}, &Atom::charge, charges);  // the other members are not touched
  atoms.sync();
  atoms.get_field({{0}, {12}}, &Atom::charge, charges);
  // [fields]
  return charges(11) == 0.5 + 0.25 * world.size() && atoms.load({11}).element == 6;
}

bool lists(const Group& world) {
  Array<double, 2> a(world, {30, 30}, {.name = "a"});
  fill(a, 1.0);
  // [lists]
  const std::vector<Index<2>> where{{3, 4}, {29, 0}, {3, 4}};
  std::vector<double> values{1, 10, 100};
  a.scatter_acc(where, values);  // {3, 4} gets 101
  a.sync();
  a.gather(where, values);
  // [lists]
  return values[0] == 1 + 101.0 * world.size() && values[1] == 1 + 10.0 * world.size() &&
         values[2] == values[0];
}

bool local_access(const Group& world) {
  const int me = world.rank();
  Array<double, 2> a(world, {40, 30}, {.name = "a"});
  fill(a, 0.0);
  // [local]
  {
    const auto block = a.local();  // the elements of a.local_patch(), in place
    for (index_t i = 0; i < block.extent(0); ++i) {
      for (index_t j = 0; j < block.extent(1); ++j) block(i, j) = me;
    }
  }
  a.sync();  // now others may read them
  double neighbours = 0;
  const int next = (me + 1) % world.size();
  if (world.on_node(next)) neighbours = a.block_of(next)(0, 0);  // no copy: the shared memory of the node
  // [local]
  Array<double, 2> c(world, Layout<2>::tiled({40, 30}, {8, 8}, {.shape = {world.size(), 1}}), {.name = "c"});
  // [tiles]
  const auto layout = c.layout();
  for (index_t b = 0; b < layout.block_count(me); ++b) {
    const Index<2> first = layout.block(me, b).lo;
    const auto tile = c.local_block(b);
    for (index_t i = 0; i < tile.extent(0); ++i) {
      for (index_t j = 0; j < tile.extent(1); ++j)
        tile(i, j) = static_cast<double>(first[0] + i + first[1] + j);
    }
  }
  c.sync();
  // [tiles]
  return neighbours == (world.on_node(next) ? next : 0) && c.load({39, 29}) == 68 && c.load({8, 7}) == 15;
}

// [stencil]
constexpr double r = 0.2;  // conductivity * time step / spacing^2

// One step of the heat equation in a part of this rank's block; the old temperatures have ghost cells of
// width 1.
void step(const Array<double, 2>& u, Array<double, 2>& next, const Patch<2>& part) {
  const auto old = u.local_with_ghosts();  // element (i, j) of the block is old(i + 1, j + 1)
  const auto now = next.local();
  for (index_t i = part.lo[0]; i < part.hi[0]; ++i) {
    for (index_t j = part.lo[1]; j < part.hi[1]; ++j) {
      const double sides = old(i, j + 1) + old(i + 2, j + 1) + old(i + 1, j) + old(i + 1, j + 2);
      now(i, j) = old(i + 1, j + 1) + r * (sides - 4 * old(i + 1, j + 1));
    }
  }
}
// [stencil]

// On a torus sin x sin y decays by the same factor in every step.
bool heat(const Group& world) {
  constexpr index_t n = 24;
  constexpr int steps = 20;
  constexpr double angle = 2 * std::numbers::pi / n;
  auto wave = [](const Index<2>& at, double& x) {
    x = std::sin(angle * static_cast<double>(at[0])) * std::sin(angle * static_cast<double>(at[1]));
  };
  // [ghosts]
  Array<double, 2> u(world, {n, n}, {.name = "u", .ghosts = {1, 1}, .periodic = {true, true}});
  Array<double, 2> next = u.duplicate("next");
  for_each_local(u, wave);
  u.sync();
  for (int i = 0; i < steps; ++i) {
    u.update_ghosts();  // waits for the neighbours, not for all
    step(u, next, Patch<2>::whole(u.local_patch().extents()));
    std::swap(u, next);
  }
  // [ghosts]
  // [behind]
  for (int i = 0; i < steps; ++i) {
    auto update = u.update_ghosts_async(tessera::Corners::without);  // this stencil reads no corners
    const auto [rows, columns] = u.local_patch().extents().values();
    step(u, next, {{1, 1}, {rows - 1, columns - 1}});  // the part that needs no ghost cells
    update.wait();
    step(u, next, {{0, 0}, {std::min<index_t>(1, rows), columns}});
    step(u, next, {{std::max<index_t>(0, rows - 1), 0}, {rows, columns}});
    step(u, next, {{0, 0}, {rows, std::min<index_t>(1, columns)}});
    step(u, next, {{0, std::max<index_t>(0, columns - 1)}, {rows, columns}});
    std::swap(u, next);
  }
  // [behind]
  const double decay = std::pow(1 - 4 * r * (1 - std::cos(angle)), 2 * steps);
  next.sync();
  for_each_local(next, wave);
  axpby(-decay, next, 1.0, u);
  return norm_inf(u) < 1e-13;
}

bool epochs(const Group& world) {
  Array<double, 2> a(world, {200, 100}, {.name = "a"});
  fill(a, 2.0);
  const int me = world.rank();
  LocalArray<double, 2> block({10, 100});
  for (double& x : block) x = 1;
  double sum = 0;
  // [epochs]
  auto reading = read_only(a);  // nobody changes a
  for (index_t i = 0; i < 200; i += 10) {
    for (const double x : reading.get({{i, 0}, {i + 10, 100}})) sum += x;
  }
  reading.end();

  auto adding = accumulate_only(a);  // nobody reads it
  for (index_t i = 0; i < 200; i += 10) adding.acc({{i, 0}, {i + 10, 100}}, block, 0.5);
  adding.end();  // from here on all see the sums

  auto writing = disjoint_writes(a);  // nobody reads, and each element is written by one rank
  for (index_t i = 10 * me; i < 200; i += 10 * world.size()) writing.put({{i, 0}, {i + 10, 100}}, block);
  writing.end();
  // [epochs]
  return sum == 2.0 * 200 * 100 && reduce(a, tessera::Reduce::sum) == 200 * 100;
}

bool copies_on_nodes(const Group& world) {
  LocalArray<double, 2> more({20, 30});
  for (double& x : more) x = 1;
  // [replicated]
  tessera::Replicated<double, 2> fock(world, {20, 30}, "fock");  // one copy on each node
  fill(fock.copy(), 0.0);
  fock.copy().acc({{0, 0}, {20, 30}}, more);  // stays on the node
  fock.merge();                               // every copy becomes the sum of all
  // [replicated]
  return fock.copy().load({19, 29}) == world.size();
}

bool other_libraries(const Group& world) {
  Array<double, 2> a(world, {40, 30}, {.name = "a"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(100 * at[0] + at[1]); });
  a.sync();
  // [interop]
  // A Fortran array: column-major, its columns 12 elements apart.
  std::vector<double> f(12 * 5);
  const View<double, 2> fortran(f.data(), {10, 5}, {1, 12});
  a.get({{20, 10}, {30, 15}}, fortran);  // element (i, j) is f[i + 12 * j]

  // The local elements as a plain pointer with strides, for example for a BLAS kernel.
  const auto mine = std::as_const(a).local();
  const double* data = mine.data();
  const index_t leading = mine.view().stride(0);

  // A plain pointer to any element of this node; null for elements of other nodes.
  const double* middle = a.address({20, 15});

  // MPI calls among the members, on a communicator that belongs to Tessera. In progress mode poll, a rank
  // serves no requests while it is in MPI. So let all ranks finish their accesses first.
  a.sync();
  double largest = 0;
  const double own = mine.size() > 0 ? data[(mine.extent(0) - 1) * leading + mine.extent(1) - 1] : 0;
  MPI_Allreduce(&own, &largest, 1, MPI_DOUBLE, MPI_MAX, world.mpi_comm());
  // [interop]
  return f[9 + 12 * 4] == 2914 && (middle == nullptr || *middle == 2015) && largest == 3929;
}

bool memory_that_is_there(const Group& world) {
  const index_t n = 50;
  // [in_place]
  // Memory of this program on each rank: a header of 8 numbers, and 50 numbers that become an array.
  tessera::Segment memory(world, (8 + n) * index_t{sizeof(double)}, "solver");
  auto* mine = reinterpret_cast<double*>(memory.address(world.rank()));
  std::fill_n(mine, 8 + n, 1.0 + world.rank());

  const auto rows = Layout<2>::blocked({5 * world.size(), 10}, world.size(), {.grid = {{world.size(), 1}}});
  Array<double, 2> u(memory, 8 * sizeof(double), rows, {.name = "u"});
  const double last = u.load({5 * world.size() - 1, 9});  // what the last rank wrote by its pointer
  u.sync();
  scale(u, 2.0);  // the pointer sees this, too

  // Copies the elements to a matrix of another shape, and gives u other owners.
  Array<double, 2> wide(world, {world.size(), n}, {.name = "wide"});
  reshape(u, wide);
  u.redistribute(Layout<2>::block_cyclic({5 * world.size(), 10}, {2, 5}, {.shape = {1, world.size()}}));
  // [in_place]
  return last == world.size() && mine[0] == 1.0 + world.rank() && mine[8 + n - 1] == 2.0 * mine[0] &&
         wide.load({world.size() - 1, n - 1}) == 2.0 * world.size() && u.load({0, 0}) == 2.0;
}

bool temporary_arrays(const Group& world) {
  Array<double, 4> t(world, {6, 6, 9, 9}, {.name = "t"});
  tessera::fill(t, 1.0);
  double sum = 0;
  // [workspace]
  tessera::Workspace temporaries(world, {.name = "temporaries"});
  for (int iteration = 0; iteration < 10; ++iteration) {
    // After the first iteration, both take memory that the workspace already has.
    auto turned = temporaries.array<double>(tessera::Extents<4>{9, 9, 6, 6});
    tessera::permute(t, {2, 3, 0, 1}, turned);
    auto pairs = temporaries.array<double>(tessera::Extents<2>{81, 36});
    tessera::reshape(turned, pairs);
    sum += tessera::dot(pairs, pairs);
  }
  // [workspace]
  return sum == 10 * 81.0 * 36.0;
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  return run_parts(runtime.world(), {{"layouts", layouts},
                                     {"slices", slices},
                                     {"patches that go round", periodic},
                                     {"members of structures", fields},
                                     {"lists of elements", lists},
                                     {"direct access", local_access},
                                     {"ghost cells", heat},
                                     {"epochs", epochs},
                                     {"copies on each node", copies_on_nodes},
                                     {"memory of other libraries", other_libraries},
                                     {"memory that is there", memory_that_is_there},
                                     {"temporary arrays", temporary_arrays}});
}
