// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/array_core.hpp>
#include <tessera/detail/ghost_sides.hpp>

// The exchange of the ghost cells of an array.
namespace tessera::detail {

/// @collective @throws UsageError for an array without ghost cells, or while another update is under way
void update_ghosts(ArrayCore& array, const GhostSides& what, GhostMethod method);
/// The same in two steps. @collective
void begin_update_ghosts(ArrayCore& array, const GhostSides& what);
void end_update_ghosts(ArrayCore& array);
/// Makes progress with the update, and returns whether it is done. @onesided
bool test_update_ghosts(ArrayCore& array);

}  // namespace tessera::detail
