// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>

#include <tessera/detail/array_core.hpp>

namespace tessera::detail {

/// What a piece of a patch is moved by: its rank, where it begins there in bytes, its shape, and where it
/// begins in the buffer, in fields.
using Transfer = std::function<void(int rank, index_t offset, const Strided& shape, index_t before)>;

/// Calls f for the pieces of a patch, in the order of increasing indices: of each element one field. The
/// strides of the buffer are in fields. @local
/// @throws UsageError if the patch is not inside the array, or the buffer has other extents
void for_each_transfer(const ArrayCore& array, const Lattice& patch, const Field& field, const index_t* extents,
                       const index_t* strides, const Transfer& f);

}  // namespace tessera::detail
