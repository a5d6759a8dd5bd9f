// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/stencil.hpp>

#include <tessera/reductions.hpp>

#include "onesided_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Stencil, interior_and_boundary_visit_each_element_of_the_block_once) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const Extents<3> dims{pick(random, 1, 9), pick(random, 1, 9), pick(random, 1, 9)};
    const PerDimension<index_t, 3> widths{pick(random, 0, 2), pick(random, 0, 2), pick(random, 1, 2)};
    Array<int, 3> a(world(), Layout<3>::blocked(dims, world().size()), {.name = "a", .ghosts = widths});
    const Patch<3> block = a.local_patch();
    LocalArray<int, 3> visits(dims), inside(dims);
    for_each_interior(a, [&](index_t i, index_t j, index_t k) { ++visits(i, j, k), ++inside(i, j, k); });
    for_each_boundary(a, [&](index_t i, index_t j, index_t k) { ++visits(i, j, k); });
    for_each_index(Patch<3>::whole(dims), [&](const Index<3>& at) {
      ASSERT_EQ(visits[at], block.contains(at) ? 1 : 0);
      bool is_inside = block.contains(at);
      for (std::size_t d = 0; d < 3; ++d)
        is_inside = is_inside && at[d] - widths[d] >= block.lo[d] && at[d] + widths[d] < block.hi[d];
      ASSERT_EQ(inside[at], is_inside ? 1 : 0);
    });
  }
}

TEST(Stencil, a_block_is_cut_at_each_side_by_its_own_width) {
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    Patch<3> block;
    PerDimension<index_t, 3> low{}, high{};
    for (std::size_t d = 0; d < 3; ++d) {
      block.lo[d] = pick(random, -3, 3), block.hi[d] = block.lo[d] + pick(random, 0, 6);
      low[d] = pick(random, -1, 3), high[d] = pick(random, -1, 3);
    }
    const BlockParts<3> parts = split_block(block, low, high);
    const Extents<3> all{12, 12, 12};
    LocalArray<int, 3> visits(all);
    const auto visit = [&](const Patch<3>& part, int amount) {
      for_each_row(part, [&](const Index<3>& first) {
        for (index_t i = 0; i < part.hi[2] - part.lo[2]; ++i)
          visits(first[0] + 3, first[1] + 3, first[2] + i + 3) += amount;
      });
    };
    visit(parts.interior, 100);
    for (const Patch<3>& slab : parts.boundary) {
      ASSERT_FALSE(slab.empty());
      visit(slab, 1);
    }
    for_each_index(Patch<3>::whole(all), [&](const Index<3>& place) {
      bool is_in_block = true, is_inside = true;
      for (std::size_t d = 0; d < 3; ++d) {
        const index_t at = place[d] - 3;
        is_in_block &= block.lo[d] <= at && at < block.hi[d];
        is_inside &= at - block.lo[d] >= low[d] && block.hi[d] - at > high[d];
      }
      ASSERT_EQ(visits[place], !is_in_block ? 0 : is_inside ? 100 : 1);
    });
  }
}

// A ring of numbers is shifted by a stencil, with the update under way meanwhile.
TEST(Stencil, computes_the_interior_during_an_update) {
  const int ranks = world().size();
  const index_t n = 5 * ranks;
  const ArrayOptions<1> options{.name = "ring", .ghosts = 2, .periodic = {true}};
  Array<double, 1> now(world(), Layout<1>::blocked({n}, ranks), options), next(world(), now.layout(), options);
  for_each_point(now.local_patch(), [&](index_t i) { now.store({i}, static_cast<double>(i)); });
  now.sync();
  constexpr index_t steps = 7;
  for (index_t step = 0; step < steps; ++step) {
    {
      const auto from_access = std::as_const(now).local_with_ghosts();
      const auto to_access = next.local();
      const auto from = from_access.global();
      const auto to = to_access.global();
      const auto shift = [&](index_t i) { to(i) = from(i - 2) + from(i + 2) - from(i); };
      auto update = now.update_ghosts_async();
      for_each_interior(now, shift);
      update.wait();
      for_each_boundary(now, shift);
    }
    std::swap(now, next);
  }
  std::vector<double> model(at(n)), other(at(n));
  for (index_t i = 0; i < n; ++i) model[at(i)] = static_cast<double>(i);
  for (index_t step = 0; step < steps; ++step) {
    for (index_t i = 0; i < n; ++i)
      other[at(i)] = model[at((i + n - 2) % n)] + model[at((i + 2) % n)] - model[at(i)];
    model.swap(other);
  }
  for_each_point(now.local_patch(), [&](index_t i) { EXPECT_EQ(now.load({i}), model[at(i)]) << i; });
  now.sync();
}

// Each element and each ghost cell is visited once, with its index, and can be set.
TEST(Stencil, loops_and_fills_reach_ghost_cells) {
  Random random(2);
  for (int round = 0; round < 20; ++round) {
    const Extents<2> dims{pick(random, 1, 9), pick(random, 1, 9)};
    const index_t rows = pick(random, 0, 2), columns = pick(random, 0, 2);
    Array<index_t, 2> a(world(), Layout<2>::blocked(dims, world().size()),
                        {.name = "a", .ghosts = {rows, columns}});
    fill_with_ghosts(a, 7);
    const Patch<2> block = a.local_patch();
    index_t visited = 0, sum = 0;
    for_each_local_with_ghosts(a, [&](const Index<2>& at, index_t& element) {
      EXPECT_GE(at[0], block.lo[0] - rows);
      EXPECT_LT(at[1], block.hi[1] + columns);
      sum += element;
      ++visited;
      element = 100 * at[0] + at[1];
    });
    const index_t expected =
        block.empty() ? 0 : (block.hi[0] - block.lo[0] + 2 * rows) * (block.hi[1] - block.lo[1] + 2 * columns);
    EXPECT_EQ(visited, expected);
    EXPECT_EQ(sum, 7 * expected);
    const auto access = std::as_const(a).local_with_ghosts();
    const auto from = access.global();
    for_each_point(from.patch(), [&](index_t j, index_t i) { EXPECT_EQ(from(j, i), 100 * j + i); });
  }
}

// Ranks that have no block, as those of a coarse grid on fewer ranks, have no ghost cells either.
TEST(Stencil, ranks_without_a_block_have_nothing_to_access) {
  const auto layout = Layout<2>::blocked({6, 4}, world().size()).agglomerated({world().size(), world().size()});
  Array<int, 2> a(world(), layout, {.name = "a", .ghosts = {2, 1}});
  {
    const auto access = a.local_with_ghosts();
    EXPECT_EQ(access.extents(), world().rank() == 0 ? Extents<2>(10, 6) : Extents<2>());
    const auto at = access.global();
    for_each_point(at.patch(), [&](index_t i, index_t j) { at(i, j) = 1; });
  }
  a.sync();
  EXPECT_EQ(reduce(a, Reduce::sum), 24);
  // Nor have those whose block is empty.
  const index_t few = std::max(1, world().size() - 1);
  Array<int, 1> u(world(), Layout<1>::blocked({few}, world().size(), {.grid = Extents<1>(world().size())}),
                  {.name = "u", .ghosts = 1});
  fill_with_ghosts(u, 1);
  u.update_ghosts();
  int visited = 0;
  for_each_local_with_ghosts(u, [&](const Index<1>&, int& x) { visited += x; });
  EXPECT_EQ(visited, u.local_patch().empty() ? 0 : static_cast<int>(u.local_patch().size()) + 2);
  u.sync();
}

}  // namespace
