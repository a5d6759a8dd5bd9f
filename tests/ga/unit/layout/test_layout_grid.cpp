// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include <tessera/layout.hpp>

#include "array_model.hpp"

// The process grid that blocked layouts choose, compared with every other grid.
namespace {

using namespace tessera;
using namespace tessera::test;

// All grids of `processes` processes. f is called for each.
template <std::size_t N>
void grids(std::size_t d, index_t processes, Extents<N>& grid, const std::function<void()>& f) {
  if (d + 1 == N) {
    grid[d] = processes;
    return f();
  }
  for (index_t parts = 1; parts <= processes; ++parts) {
    if (processes % parts != 0) continue;
    grid[d] = parts;
    grids(d + 1, processes / parts, grid, f);
  }
}

// The faces between neighbouring elements of two ranks, counted one by one.
template <std::size_t N>
index_t faces_cut(const Layout<N>& layout, const std::array<bool, N>& periodic) {
  index_t faces = 0;
  const Extents<N> dims = layout.dims();
  Index<N> at;
  for (index_t number = 0; number < dims.size(); ++number) {
    index_t rest = number;
    for (std::size_t d = N; d-- > 0; rest /= dims[d]) at[d] = rest % dims[d];
    for (std::size_t d = 0; d < N; ++d) {
      Index<N> next = at;
      if (++next[d] == dims[d]) {
        if (!periodic[d]) continue;
        next[d] = 0;
      }
      faces += static_cast<index_t>(layout.owner(at) != layout.owner(next));
    }
  }
  return faces;
}

template <std::size_t N>
void check_grids(index_t widest, int max_ranks, bool round_ends) {
  Random random(7);
  for (int ranks = 1; ranks <= max_ranks; ++ranks) {
    for (int round = 0; round < 5; ++round) {
      Extents<N> dims, grid;
      std::array<bool, N> periodic{};
      for (std::size_t d = 0; d < N; ++d) {
        dims[d] = pick(random, 1, widest);
        periodic[d] = round_ends && pick(random, 0, 1) == 1;
      }
      index_t used = 0, least = 0;
      Extents<N> expected;
      for (index_t processes = ranks; used == 0; --processes) {
        grids<N>(0, processes, grid, [&] {
          for (std::size_t d = 0; d < N; ++d) {
            if (grid[d] > dims[d]) return;
          }
          const index_t faces = faces_cut(Layout<N>::blocked(dims, ranks, {.grid = grid}), periodic);
          // Of equally good grids the last one, which cuts the first dimensions most.
          if (used == 0 || faces <= least) least = faces, expected = grid;
          used = processes;
        });
      }
      const Layout<N> layout = Layout<N>::blocked(dims, ranks, {.periodic = periodic});
      EXPECT_EQ(layout.grid(), expected) << layout.description() << ", " << least << " faces";
      for (int rank = 0; rank < used; ++rank) EXPECT_GT(layout.local_size(rank), 0);
    }
  }
}

TEST(Layout, automatic_grid_cuts_the_fewest_faces) {
  check_grids<1>(30, 24, false);
  check_grids<2>(20, 24, false);
  check_grids<3>(7, 24, false);
  check_grids<4>(4, 16, false);
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 4).grid(), (Extents<2>{2, 2}));
  EXPECT_EQ(Layout<3>::blocked({128, 128, 128}, 8).grid(), (Extents<3>{2, 2, 2}));
  EXPECT_EQ(Layout<2>::blocked({90, 90}, 9).grid(), (Extents<2>{3, 3}));
  EXPECT_EQ(Layout<2>::blocked({1000, 10}, 4).grid(), (Extents<2>{4, 1}));
  EXPECT_EQ(Layout<2>::blocked({10, 1000}, 4).grid(), (Extents<2>{1, 4}));
  EXPECT_EQ(Layout<3>::blocked({63, 63, 63}, 27).grid(), (Extents<3>{3, 3, 3}));
  EXPECT_EQ(Layout<2>::blocked({2, 3}, 7).grid().size(), 6);  // 7 does not fit
  // Of equally good grids, the one that cuts the first dimension most.
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 6).grid(), (Extents<2>{3, 2}));
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 2).grid(), (Extents<2>{2, 1}));
  EXPECT_EQ(Layout<2>::blocked({0, 0}, 4).grid(), (Extents<2>{1, 1}));
}

TEST(Layout, automatic_grid_counts_the_faces_of_periodic_ends) {
  check_grids<1>(30, 12, true);
  check_grids<2>(20, 24, true);
  check_grids<3>(7, 24, true);
  // 4 x 1 and 2 x 2 both cut 4000 faces.
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 4, {.periodic = true}).grid(), (Extents<2>{4, 1}));
  EXPECT_EQ(Layout<2>::blocked({1000, 1000}, 16, {.periodic = true}).grid(), (Extents<2>{4, 4}));
  // Two parts of a periodic dimension meet at two faces, two parts of another dimension at one.
  EXPECT_EQ(Layout<2>::blocked({1000, 600}, 2, {.periodic = {true, false}}).grid(), (Extents<2>{1, 2}));
  EXPECT_EQ(Layout<2>::blocked({1000, 600}, 2).grid(), (Extents<2>{2, 1}));
}

}  // namespace
