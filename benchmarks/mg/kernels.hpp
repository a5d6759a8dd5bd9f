// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>

#include <tessera/view.hpp>

namespace tessera::benchmark::mg {

/// A block of points with one layer of ghost cells around it: element (i + 1, j + 1, k + 1) is point (i, j, k)
/// of the block. The last dimension is contiguous, and has at most 256 points.
using Grid = View<double, 3>;
using ConstGrid = View<const double, 3>;

/// r = v - A u, where A is the Laplacian on 27 points. v and r may be the same. @local
void residual(const ConstGrid& u, const ConstGrid& v, const Grid& r);
/// u += S r. The values of S are those at the centre, and at points that differ in one and in two coordinates.
/// @local
void smooth(const ConstGrid& r, const Grid& u, const std::array<double, 3>& values);
/// coarse = P fine: weighted means of 27 points. `coarse` has no ghost cells. Its point i lies on point 2 i + 1
/// of `fine`. @local
void restrict(const ConstGrid& fine, const Grid& coarse);
/// fine += Q coarse, by trilinear interpolation, ghost cells included. @local
void interpolate(const ConstGrid& coarse, const Grid& fine);
/// The sum of the squares of all points. @local
double squares(const ConstGrid& grid);
/// All points and ghost cells become 0. @local
void clear(const Grid& grid);

/// The extents of a block with its ghost cells. @local
inline Extents<3> with_ghosts(const Extents<3>& block) { return {block[0] + 2, block[1] + 2, block[2] + 2}; }
/// The points of a grid without its ghost cells. @local
Grid inside(const Grid& grid);
/// A layer of a grid across dimension d. Ghost cells of later dimensions belong to it, those of earlier ones do
/// not: so ghost cells are exchanged along the last dimension first. @local
Grid layer(const Grid& grid, std::size_t d, index_t at);
/// Copies between views of equal extents. @local
void copy(const ConstGrid& from, const Grid& to);
/// Fills the ghost cells along dimension d with the points at the other end of the grid. @local
void wrap(const Grid& grid, std::size_t d);

}  // namespace tessera::benchmark::mg
