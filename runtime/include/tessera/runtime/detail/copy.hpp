// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/strided.hpp>

namespace tessera::detail {

/// Which side of a Strided receives the data. Other processes read data on the remote side; the caller soon
/// reads data on the local side.
enum class Direction { local_to_remote, remote_to_local };

/// Copies between two places in this process's address space. `shape` need not be merged. Only contiguous
/// shapes may overlap. A large copy bypasses the caches; other processes still see it in order with later
/// stores. @local
void copy_strided(std::byte* to, const std::byte* from, const Strided& shape, Direction direction);

}  // namespace tessera::detail
