// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/grid_transfer.hpp>
#include <tessera/halo.hpp>

#include "onesided_model.hpp"

// Restriction and prolongation, checked against their definitions on serial arrays.
namespace {

using namespace tessera;
using namespace tessera::test;

template <std::size_t N>
struct Grids {
  Extents<N> fine, coarse;
  std::array<bool, N> periodic;
};

// An element of a serial array, wrapped around periodic ends and 0 beyond the others.
template <std::size_t N>
double value_at(const LocalArray<double, N>& values, Index<N> at, const std::array<bool, N>& periodic) {
  for (std::size_t d = 0; d < N; ++d) {
    const index_t n = values.extent(d);
    if (periodic[d]) at[d] = ((at[d] % n) + n) % n;
    if (at[d] < 0 || at[d] >= n) return 0;
  }
  return values[at];
}

// Calls f(offsets, weight) for all points of the product of a stencil.
template <std::size_t N, class F>
void for_each_weight(const LevelStencil& stencil, F&& f) {
  Extents<N> counts;
  for (std::size_t d = 0; d < N; ++d) counts[d] = static_cast<index_t>(stencil.weights.size());
  for_each_index(Patch<N>::whole(counts), [&](Index<N> k) {
    double weight = 1;
    for (std::size_t d = 0; d < N; ++d) {
      weight *= stencil.weights[at(k[d])];
      k[d] += stencil.first;
    }
    f(k, weight);
  });
}

template <std::size_t N>
LocalArray<double, N> restricted(const Grids<N>& grids, const LocalArray<double, N>& fine,
                                 const LevelStencil& stencil) {
  LocalArray<double, N> coarse(grids.coarse);
  for_each_index(Patch<N>::whole(grids.coarse), [&](const Index<N>& i) {
    for_each_weight<N>(stencil, [&](const Index<N>& k, double weight) {
      Index<N> j;
      for (std::size_t d = 0; d < N; ++d) j[d] = 2 * i[d] + k[d];
      coarse[i] += weight * value_at(fine, j, grids.periodic);
    });
  });
  return coarse;
}

template <std::size_t N>
LocalArray<double, N> prolonged(const Grids<N>& grids, const LocalArray<double, N>& coarse,
                                const LevelStencil& stencil) {
  LocalArray<double, N> fine(grids.fine);
  for_each_index(Patch<N>::whole(grids.fine), [&](const Index<N>& j) {
    for_each_weight<N>(stencil, [&](const Index<N>& k, double weight) {
      Index<N> i;
      for (std::size_t d = 0; d < N; ++d) {
        if ((j[d] - k[d]) % 2 != 0) return;
        i[d] = (j[d] - k[d]) / 2;
      }
      fine[j] += weight * value_at(coarse, i, grids.periodic);
    });
  });
  return fine;
}

template <std::size_t N>
void set(Random& random, Array<double, N>& array, LocalArray<double, N>& model) {
  for (double& value : model) value = static_cast<double>(pick(random, -64, 64));
  if (world().rank() == 0) array.put(Patch<N>::whole(array.dims()), model.view());
  array.sync();
}

template <std::size_t N>
void expect_equal(const Array<double, N>& array, const LocalArray<double, N>& model) {
  const auto found = array.get(Patch<N>::whole(array.dims()));
  Comparison compared;
  for_each_index(Patch<N>::whole(array.dims()),
                 [&](const Index<N>& at) { compared(at, model[at], found[at]); });
  EXPECT_TRUE(compared.equal());
  array.sync();
}

template <std::size_t N>
void check_transfers(int rounds) {
  Random random(30 + N);
  const LevelStencil restrictions[] = {LevelStencil::cell_mean(), LevelStencil::node_weighting()};
  const LevelStencil prolongations[] = {LevelStencil::cell_constant(), LevelStencil::cell_linear(),
                                        LevelStencil::node_linear()};
  for (int round = 0; round < rounds; ++round) {
    Grids<N> grids;
    for (std::size_t d = 0; d < N; ++d) {
      grids.coarse[d] = pick(random, 2, 7);
      grids.periodic[d] = pick(random, 0, 1) == 1;
      // A ring has two fine elements for each coarse one.
      grids.fine[d] = 2 * grids.coarse[d] - (grids.periodic[d] ? 0 : pick(random, 0, 1));
    }
    Extents<N> two;
    for (std::size_t d = 0; d < N; ++d) two[d] = 2;
    const auto fine_layout = Layout<N>::blocked(grids.fine, world().size(), {.min_block = two});
    auto coarse_layout = fine_layout.coarsened(2);
    if (const auto kind = pick(random, 0, 2); kind == 1) {
      coarse_layout = coarse_layout.agglomerated(2);
    } else if (kind == 2) {
      coarse_layout = Layout<N>::blocked(grids.coarse, 1).on_ranks({world().size() - 1}, world().size());
    }
    SCOPED_TRACE(fine_layout.description() + ", " + coarse_layout.description());
    Array<double, N> fine(world(), fine_layout, {.name = "fine", .ghosts = 1, .periodic = grids.periodic});
    Array<double, N> coarse(world(), coarse_layout,
                            {.name = "coarse", .ghosts = 1, .periodic = grids.periodic});
    LocalArray<double, N> fine_model(grids.fine), coarse_model(grids.coarse);
    const LevelStencil& restriction = restrictions[pick(random, 0, 1)];
    const LevelStencil& prolongation = prolongations[pick(random, 0, 2)];
    GridTransfer<double, N> transfer(world(), fine_layout, coarse_layout, restriction, prolongation,
                                     grids.periodic);
    Boundaries<double, N> zero;
    zero.set(Boundary<double, N>::value(0));

    set(random, fine, fine_model);
    Halo fine_halo({halo_of(fine, zero)}), coarse_halo({halo_of(coarse, zero)});
    fine_halo.update();
    transfer.restrict_to(fine, coarse);
    // Another one at once, in which no rank may disturb those that still read what the first one left.
    Array<double, N> again(world(), coarse_layout, {.name = "again"});
    const LocalArray<double, N> once = restricted(grids, fine_model, restriction);
    for (double& value : fine_model) value *= 2;
    {
      const auto access = fine.local();
      const auto values = access.global();
      for_each_point(values.patch(), [&](auto... at) { values(at...) *= 2; });
    }
    fine_halo.update();
    transfer.restrict_to(fine, again);
    coarse.sync();
    expect_equal(coarse, once);
    expect_equal(again, restricted(grids, fine_model, restriction));

    set(random, coarse, coarse_model);
    coarse_halo.update();
    transfer.prolong(coarse, fine, Update::replace, zero);
    fine.sync();
    const auto expected = prolonged(grids, coarse_model, prolongation);
    expect_equal(fine, expected);
    coarse_halo.update();
    transfer.prolong(coarse, fine, Update::sum, zero);
    fine.sync();
    LocalArray<double, N> twice = expected;
    for (double& value : twice) value *= 2;
    expect_equal(fine, twice);
  }
}

TEST(GridTransfer, follows_its_definition_in_1d) { check_transfers<1>(25); }
TEST(GridTransfer, follows_its_definition_in_2d) { check_transfers<2>(15); }
TEST(GridTransfer, follows_its_definition_in_3d) { check_transfers<3>(8); }

TEST(GridTransfer, wrong_uses_are_told) {
  const index_t size = 4 * world().size();
  const auto fine_layout = Layout<1>::blocked({size}, world().size());
  const auto coarse_layout = fine_layout.coarsened(2);
  const auto mean = LevelStencil::cell_mean(), linear = LevelStencil::cell_linear();
  EXPECT_THROW((GridTransfer<double, 1>(world(), fine_layout, fine_layout, mean, linear)), UsageError);
  EXPECT_THROW((GridTransfer<double, 1>(world(), Layout<1>::block_cyclic({size}, {1}, {{world().size()}}),
                                        coarse_layout, mean, linear)),
               UsageError);
  const auto thin = Layout<1>::irregular({8}, {{{0, 1, 2}}}, std::max(3, world().size()));
  EXPECT_THROW((GridTransfer<double, 1>(world(), thin, thin.coarsened(2), mean, linear)), UsageError);
  GridTransfer<double, 1> transfer(world(), fine_layout, coarse_layout, mean, linear);
  Array<double, 1> fine(world(), fine_layout, {.name = "fine"}),
      coarse(world(), coarse_layout, {.name = "coarse"});
  Array<double, 1> other(world(), Layout<1>::irregular({size}, {{{0}}}, world().size()), {.name = "other"});
  EXPECT_THROW(transfer.prolong(coarse, fine), UsageError) << "no ghost cells";
  if (world().size() > 1) {
    EXPECT_THROW(transfer.restrict_to(other, coarse), UsageError);
  }
  EXPECT_THROW(transfer.prolong(coarse, fine, Update::max), UsageError);
  // Coarse values travel to blocks of one element, where a mirror needs two. All ranks are told, not the last
  // alone.
  std::vector<index_t> starts;
  for (index_t rank = 0; rank < world().size(); ++rank) starts.push_back(4 * rank);
  const index_t uneven = 4 * (world().size() - 1) + 2;
  const auto ending_thin = Layout<1>::irregular({uneven}, {starts}, world().size());
  GridTransfer<double, 1> travelling(world(), ending_thin,
                                     Layout<1>::irregular({uneven / 2}, {{{0}}}, world().size()), mean, linear);
  Array<double, 1> fine_thin(world(), ending_thin, {.name = "fine"}),
      coarse_whole(world(), Layout<1>::irregular({uneven / 2}, {{{0}}}, world().size()), {.name = "coarse"});
  Boundaries<double, 1> mirrors;
  mirrors.set(Boundary<double, 1>::even(Mirror::at_element));
  if (world().size() > 1) {
    EXPECT_THROW(travelling.prolong(coarse_whole, fine_thin, Update::replace, mirrors), UsageError);
  }
  fine.sync();
}

}  // namespace
