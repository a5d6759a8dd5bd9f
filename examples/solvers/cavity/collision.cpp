// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "collision.hpp"

#include <algorithm>
#include <type_traits>

// The widest vectors that the processor has, chosen when the program is loaded.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CAVITY_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CAVITY_VECTORISED
#endif

namespace cavity {
namespace {

// Rows of all populations; T is double or const double.
template <class T, class Lattice>
using Rows = std::array<T*, Lattice::populations>;

// The rows of the cells that begin at (0, ..., 0, x) of `cells`. Those to read from begin one velocity before.
template <class Lattice, class T>
Rows<T, Lattice> rows_at(const Cells<T, Lattice>& cells, const tessera::Index<Lattice::dimensions>& at) {
  Rows<T, Lattice> rows;
  for (std::size_t q = 0; q < rows.size(); ++q) {
    tessera::Index<Lattice::dimensions + 1> place;
    place[0] = static_cast<index_t>(q);
    for (std::size_t d = 0; d < Lattice::dimensions; ++d)
      place[d + 1] = at[d] - (std::is_const_v<T> ? velocity<Lattice>(q)[d] : 0);
    rows[q] = &cells[place];
  }
  return rows;
}

template <class Lattice>
[[gnu::always_inline]] inline void collide(const Rows<const double, Lattice>& from,
                                           const Rows<double, Lattice>& to, index_t begin, index_t end,
                                           const Relaxation relaxation) {
  constexpr std::size_t pairs = Lattice::pairs.size(), dimensions = Lattice::dimensions;
#pragma GCC ivdep
  for (index_t i = begin; i < end; ++i) {
    std::array<double, pairs> a, b;
    std::array<double, dimensions> u{};
    const double rest = from[0][i];
    double density = rest;
    for_each_constant<pairs>([&](auto p) {
      a[p] = from[2 * p + 1][i];
      b[p] = from[2 * p + 2][i];
      density += a[p] + b[p];
      for_each_constant<dimensions>([&](auto d) {
        if constexpr (Lattice::pairs[p][d] == 1) u[d] += a[p] - b[p];
        if constexpr (Lattice::pairs[p][d] == -1) u[d] -= a[p] - b[p];
      });
    });
    double squared = 0;
    for_each_constant<dimensions>([&](auto d) { squared += u[d] * u[d]; });
    const double common = density - 1.5 * squared;
    to[0][i] = rest - relaxation.even * (rest - Lattice::rest * common);
    for_each_constant<pairs>([&](auto p) {
      constexpr double w = weight<Lattice>(2 * p + 1);
      double along = 0;
      for_each_constant<dimensions>([&](auto d) {
        if constexpr (Lattice::pairs[p][d] == 1) along += u[d];
        if constexpr (Lattice::pairs[p][d] == -1) along -= u[d];
      });
      const double sum = relaxation.even * (0.5 * (a[p] + b[p]) - w * (common + 4.5 * along * along));
      const double difference = relaxation.odd * (0.5 * (a[p] - b[p]) - 3 * w * along);
      to[2 * p + 1][i] = a[p] - (sum + difference);
      to[2 * p + 2][i] = b[p] - (sum - difference);
    });
  }
}

// A processor by itself fetches ahead for fewer rows than D3Q19 has. So memory is asked for that comes later,
// which makes it a quarter faster where the populations are not in caches, and slower where they are.
template <class Lattice>
[[gnu::always_inline]] inline void collide_row(const Rows<const double, Lattice>& from,
                                               const Rows<double, Lattice>& to, index_t count,
                                               const Relaxation relaxation, bool asks_ahead) {
  constexpr index_t line = 8, ahead = 4 * line;  // numbers
  const index_t together = asks_ahead ? line : std::max<index_t>(count, 1);
  for (index_t begin = 0; begin < count; begin += together) {
    for (std::size_t q = 0; q < Lattice::populations && asks_ahead; ++q) {
      __builtin_prefetch(from[q] + begin + ahead);
      __builtin_prefetch(to[q] + begin + ahead, 1);
    }
    collide<Lattice>(from, to, begin, std::min(count, begin + together), relaxation);
  }
}

CAVITY_VECTORISED void advance_row(Rows<const double, D2Q9> from, Rows<double, D2Q9> to, index_t count,
                                   Relaxation relaxation, bool) {
  collide_row<D2Q9>(from, to, count, relaxation, false);
}
CAVITY_VECTORISED void advance_row(Rows<const double, D3Q19> from, Rows<double, D3Q19> to, index_t count,
                                   Relaxation relaxation, bool asks_ahead) {
  collide_row<D3Q19>(from, to, count, relaxation, asks_ahead);
}

}  // namespace

template <class Lattice>
void advance(const Cells<const double, Lattice>& from, const Cells<double, Lattice>& to,
             const Region<Lattice>& cells, const Relaxation& relaxation) {
  constexpr std::size_t x = Lattice::dimensions - 1;
  if (cells.empty()) return;
  constexpr index_t cached = index_t{16} << 20;
  const bool asks_ahead = 2 * from.view().size() * static_cast<index_t>(sizeof(double)) > cached;
  Region<Lattice> firsts = cells;
  firsts.hi[x] = firsts.lo[x] + 1;
  tessera::for_each_point(firsts, [&](auto... at) {
    const tessera::Index<Lattice::dimensions> first(at...);
    advance_row(rows_at<Lattice>(from, first), rows_at<Lattice>(to, first), cells.hi[x] - cells.lo[x],
                relaxation, asks_ahead);
  });
}

template <class Lattice>
void reflect(const Cells<double, Lattice>& populations, const Region<Lattice>& block,
             const Sizes<Lattice>& grid, const Walls& walls) {
  constexpr std::size_t dimensions = Lattice::dimensions, x = dimensions - 1, y = dimensions - 2;
  // y comes first: a corner of the lid and a side belongs to the side, which is at rest.
  constexpr std::array<std::size_t, 3> order{y, x, 0};
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::size_t d = order[k];
    if (dimensions == 3 && d == 0 && walls.is_span_periodic) continue;
    for (std::size_t q = 1; q < Lattice::populations; ++q) {
      const auto e = velocity<Lattice>(q);
      // Population q enters these cells from beyond the wall.
      Region<Lattice> beside = block;
      if (e[d] == 1) beside.hi[d] = block.lo[d] == 0 ? 1 : block.lo[d];
      if (e[d] == -1) beside.lo[d] = block.hi[d] == grid[d] ? grid[d] - 1 : block.hi[d];
      if (e[d] == 0 || beside.empty()) continue;
      const bool is_lid = d == y && e[d] == -1;
      const double push = is_lid ? 6 * weight<Lattice>(q) * e[x] * walls.lid : 0;
      const auto back = static_cast<index_t>(opposite(q)), entering = static_cast<index_t>(q);
      tessera::for_each_point(beside, [&](auto... at) {
        tessera::Index<dimensions + 1> ghost(entering, at...);
        for (std::size_t c = 0; c < dimensions; ++c) ghost[c + 1] -= e[c];
        populations[ghost] = populations(back, at...) + push;
      });
    }
  }
}

template void advance<D2Q9>(const Cells<const double, D2Q9>&, const Cells<double, D2Q9>&, const Region<D2Q9>&,
                            const Relaxation&);
template void advance<D3Q19>(const Cells<const double, D3Q19>&, const Cells<double, D3Q19>&,
                             const Region<D3Q19>&, const Relaxation&);
template void reflect<D2Q9>(const Cells<double, D2Q9>&, const Region<D2Q9>&, const Sizes<D2Q9>&, const Walls&);
template void reflect<D3Q19>(const Cells<double, D3Q19>&, const Region<D3Q19>&, const Sizes<D3Q19>&,
                             const Walls&);

}  // namespace cavity
