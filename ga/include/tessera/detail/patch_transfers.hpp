// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/request.hpp>

// Transfers between patches of arrays and local memory. A buffer has an extent and a stride for every dimension
// of the array.
namespace tessera::detail {

/// As Segment::put, for the part of each owner. @onesided
/// @throws UsageError if the patch is not inside the array, or the buffer has other extents
void put(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from);
void get(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into);
void accumulate(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, const void* alpha);
void accumulate(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, Update update);

/// The same without waiting. @onesided
Request put_async(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from);
Request get_async(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into);
Request accumulate_async(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                         const void* alpha);

/// Puts, and notifies the flag when the patch is at its owners. @onesided
void put_notify(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from, const Flag& flag);

}  // namespace tessera::detail
