// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/layout.hpp>

// The grids of a multigrid.
namespace solvers {

/// Whether there is a coarser grid: all extents are even. @local
template <std::size_t N>
bool can_be_halved(const tessera::Extents<N>& dims);
/// Whether all blocks begin at even positions, and so have both fine cells of each coarse one. @local
template <std::size_t N>
bool blocks_are_even(const tessera::Layout<N>& layout);
/// The layout of the next level: at the same ranks, or at fewer ones where blocks would have less than
/// `least_block` cells along a dimension. @local
template <std::size_t N>
tessera::Layout<N> coarser(const tessera::Layout<N>& fine, tessera::index_t least_block);
/// @local @throws UsageError if a grid is too large for the direct solver
template <std::size_t N>
void require_small(const tessera::Extents<N>& dims);

}  // namespace solvers
