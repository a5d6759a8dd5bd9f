// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The stencils, line by line. Lines at the same distance from the centre are added once, and used three times.
#include "kernels.hpp"

#include <algorithm>
#include <numeric>

// The loader picks the widest vectors that the processor has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TESSERA_MG_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESSERA_MG_VECTORISED
#endif

namespace tessera::benchmark::mg {
namespace {

// A line of points and its two ghost cells.
using Line = std::array<double, 256 + 2>;

// Point 0 of line (i, j) of a grid, and of a line.
template <class T>
T* first(const View<T, 3>& grid, index_t i, index_t j) {
  return grid.data_handle() + (i + 1) * grid.stride(0) + (j + 1) * grid.stride(1) + 1;
}
double* first(Line& line) { return line.data() + 1; }

index_t points(const ConstGrid& grid, std::size_t d) { return grid.extent(d) - 2; }

// The sums of the four lines beside a line, and of the four that are beside it in both dimensions.
TESSERA_MG_VECTORISED void add_lines(const double* __restrict u, index_t plane, index_t row,
                                     double* __restrict sides, double* __restrict edges, index_t n) {
  for (index_t k = -1; k <= n; ++k) {
    sides[k] = u[k - plane] + u[k + plane] + u[k - row] + u[k + row];
    edges[k] = u[k - plane - row] + u[k - plane + row] + u[k + plane - row] + u[k + plane + row];
  }
}

// Not all pointers are restrict: v and r may be the same line.
TESSERA_MG_VECTORISED void residual_line(const double* __restrict u, const double* v, double* r,
                                         const double* __restrict sides, const double* __restrict edges,
                                         index_t n) {
#pragma GCC ivdep
  for (index_t k = 0; k < n; ++k)
    r[k] = v[k] + 8.0 / 3 * u[k] - 1.0 / 6 * (edges[k] + sides[k - 1] + sides[k + 1]) -
           1.0 / 12 * (edges[k - 1] + edges[k + 1]);
}

TESSERA_MG_VECTORISED void smooth_line(const double* __restrict r, double* __restrict u,
                                       const double* __restrict sides, const double* __restrict edges,
                                       double centre, double side, double edge, index_t n) {
  for (index_t k = 0; k < n; ++k)
    u[k] += centre * r[k] + side * (r[k - 1] + r[k + 1] + sides[k]) +
            edge * (edges[k] + sides[k - 1] + sides[k + 1]);
}

TESSERA_MG_VECTORISED void restrict_line(const double* __restrict fine, const double* __restrict sides,
                                         const double* __restrict edges, double* __restrict coarse, index_t n) {
  for (index_t k = 0; k < n; ++k) {
    const index_t f = 2 * k + 1;
    coarse[k] = 1.0 / 2 * fine[f] + 1.0 / 4 * (fine[f - 1] + fine[f + 1] + sides[f]) +
                1.0 / 8 * (sides[f - 1] + sides[f + 1] + edges[f]) + 1.0 / 16 * (edges[f - 1] + edges[f + 1]);
  }
}

TESSERA_MG_VECTORISED void add_line(const double* __restrict a, const double* __restrict b,
                                    double* __restrict sum, index_t n) {
  for (index_t k = -1; k <= n; ++k) sum[k] = a[k] + b[k];
}

TESSERA_MG_VECTORISED void interpolate_line(const double* __restrict coarse, double* __restrict fine,
                                            double factor, index_t n) {
  for (index_t k = -1; k < n; ++k) {
    fine[2 * k + 1] += factor * coarse[k];
    fine[2 * k + 2] += factor / 2 * (coarse[k] + coarse[k + 1]);
  }
}

TESSERA_MG_VECTORISED void add_squares(const double* __restrict line, double* __restrict sums, index_t n) {
  for (index_t k = 0; k < n; ++k) sums[k] += line[k] * line[k];
}

}  // namespace

void residual(const ConstGrid& u, const ConstGrid& v, const Grid& r) {
  Line sides, edges;
  for (index_t i = 0; i < points(u, 0); ++i) {
    for (index_t j = 0; j < points(u, 1); ++j) {
      const index_t n = points(u, 2);
      add_lines(first(u, i, j), u.stride(0), u.stride(1), first(sides), first(edges), n);
      residual_line(first(u, i, j), first(v, i, j), first(r, i, j), first(sides), first(edges), n);
    }
  }
}

void smooth(const ConstGrid& r, const Grid& u, const std::array<double, 3>& values) {
  Line sides, edges;
  const auto [centre, side, edge] = values;
  for (index_t i = 0; i < points(u, 0); ++i) {
    for (index_t j = 0; j < points(u, 1); ++j) {
      const index_t n = points(u, 2);
      add_lines(first(r, i, j), r.stride(0), r.stride(1), first(sides), first(edges), n);
      smooth_line(first(r, i, j), first(u, i, j), first(sides), first(edges), centre, side, edge, n);
    }
  }
}

void restrict(const ConstGrid& fine, const Grid& coarse) {
  Line sides, edges;
  for (index_t i = 0; i < coarse.extent(0); ++i) {
    for (index_t j = 0; j < coarse.extent(1); ++j) {
      const double* centre = first(fine, 2 * i + 1, 2 * j + 1);
      add_lines(centre, fine.stride(0), fine.stride(1), first(sides), first(edges), points(fine, 2));
      restrict_line(centre, first(sides), first(edges), &coarse(i, j, 0), coarse.extent(2));
    }
  }
}

void interpolate(const ConstGrid& coarse, const Grid& fine) {
  Line two, three, four;
  const index_t n = points(coarse, 2);
  for (index_t i = -1; i < points(coarse, 0); ++i) {
    for (index_t j = -1; j < points(coarse, 1); ++j) {
      const double *here = first(coarse, i, j), *next = first(coarse, i + 1, j);
      add_line(here, here + coarse.stride(1), first(two), n);
      add_line(next, next + coarse.stride(1), first(three), n);
      add_line(first(two), first(three), first(four), n);
      add_line(here, next, first(three), n);
      double *low = first(fine, 2 * i + 1, 2 * j + 1), *high = low + fine.stride(0);
      interpolate_line(here, low, 1.0, n);
      interpolate_line(first(two), low + fine.stride(1), 1.0 / 2, n);
      interpolate_line(first(three), high, 1.0 / 2, n);
      interpolate_line(first(four), high + fine.stride(1), 1.0 / 4, n);
    }
  }
}

double squares(const ConstGrid& grid) {
  Line sums{};
  for (index_t i = 0; i < points(grid, 0); ++i) {
    for (index_t j = 0; j < points(grid, 1); ++j) add_squares(first(grid, i, j), first(sums), points(grid, 2));
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void clear(const Grid& grid) {
  for (index_t i = 0; i < grid.extent(0); ++i) {
    for (index_t j = 0; j < grid.extent(1); ++j) std::fill_n(&grid(i, j, 0), grid.extent(2), 0.0);
  }
}

Grid inside(const Grid& grid) {
  const auto [x, y, z] = grid.extents().values();
  return grid.subview({{1, 1, 1}, {x - 1, y - 1, z - 1}});
}

Grid layer(const Grid& grid, std::size_t d, index_t at) {
  Patch<3> cells = Patch<3>::whole(grid.extents());
  for (std::size_t e = 0; e < d; ++e) ++cells.lo[e], --cells.hi[e];
  cells.lo[d] = at, cells.hi[d] = at + 1;
  return grid.subview(cells);
}

void copy(const ConstGrid& from, const Grid& to) {
  for (index_t i = 0; i < to.extent(0); ++i) {
    for (index_t j = 0; j < to.extent(1); ++j) {
      const double* source = &from(i, j, 0);
      double* target = &to(i, j, 0);
      for (index_t k = 0; k < to.extent(2); ++k) target[k * to.stride(2)] = source[k * from.stride(2)];
    }
  }
}

void wrap(const Grid& grid, std::size_t d) {
  const index_t n = points(grid, d);
  copy(layer(grid, d, n), layer(grid, d, 0));
  copy(layer(grid, d, 1), layer(grid, d, n + 1));
}

}  // namespace tessera::benchmark::mg
