// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/array_core.hpp>
#include <tessera/core/buffer.hpp>
#include <tessera/core/field.hpp>
#include <tessera/runtime/request.hpp>

// Transfers between one field of each element of a patch and local memory. Strides of buffers are in fields.
namespace tessera::detail {

/// As put, get and accumulate of patches. @onesided
void put_field(ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<const void*>& from);
void get_field(const ArrayCore& array, const Lattice& patch, const Field& field, const Buffer<void*>& into);
Request put_field_async(ArrayCore& array, const Lattice& patch, const Field& field,
                        const Buffer<const void*>& from);
Request get_field_async(const ArrayCore& array, const Lattice& patch, const Field& field,
                        const Buffer<void*>& into);
/// @throws UsageError if the field is not always aligned to its size (for complex fields, to the size of their
/// parts)
void accumulate_field(ArrayCore& array, const Lattice& patch, const Field& field, ElementKind kind,
                      const Buffer<const void*>& from, const void* alpha);

}  // namespace tessera::detail
