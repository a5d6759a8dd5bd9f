// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>

// Transfers inside an epoch of their mode. If the node has a cache of other nodes' elements, they go through
// it.
namespace tessera::detail {

/// As get, accumulate and put of patches, and scatter_accumulate outside epochs. @onesided
void get_cached(const ArrayCore& array, const Lattice& patch, const Buffer<void*>& into);
void accumulate_cached(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from,
                       const void* alpha);
void scatter_accumulate_cached(ArrayCore& array, const index_t* at, const void* from, const void* alpha,
                               index_t count);
void put_disjoint(ArrayCore& array, const Lattice& patch, const Buffer<const void*>& from);

}  // namespace tessera::detail
