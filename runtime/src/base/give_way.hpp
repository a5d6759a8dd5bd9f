// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::detail {

/// Lets another thread have this core between two looks of a wait. While yields come back late, it sleeps
/// instead: a thread that computes keeps the core for its whole time slice, but one that wakes up may take it.
/// @local
void give_way() noexcept;
/// Whether it would sleep now. @local
bool do_yields_come_late() noexcept;

}  // namespace tessera::detail
