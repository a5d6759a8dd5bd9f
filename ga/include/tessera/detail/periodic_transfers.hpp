// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>

// Transfers between local memory and a patch of an array that is repeated without end in all directions. The
// patch may have any place and size.
namespace tessera::detail {

/// As put, get and accumulate of patches. @onesided
/// @throws UsageError if the buffer has other extents, or for a patch of an array without elements
void put_periodic(ArrayCore& array, const Box& patch, const Buffer<const void*>& from);
void get_periodic(const ArrayCore& array, const Box& patch, const Buffer<void*>& into);
void accumulate_periodic(ArrayCore& array, const Box& patch, const Buffer<const void*>& from,
                         const void* alpha);

}  // namespace tessera::detail
