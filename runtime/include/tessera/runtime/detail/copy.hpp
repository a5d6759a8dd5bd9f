// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/strided.hpp>

namespace tessera::detail {

/// Which side of a Strided the data goes to. What goes to the remote side is for others to read; what comes
/// from there, for the caller, soon.
enum class Direction { local_to_remote, remote_to_local };

/// Copies between two places in this process's address space. `shape` need not be merged. Only contiguous
/// shapes may overlap. What is large bypasses the caches; it is visible to others in order with later stores
/// all the same. @local
void copy_strided(std::byte* to, const std::byte* from, const Strided& shape, Direction direction);

}  // namespace tessera::detail
