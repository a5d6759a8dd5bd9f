// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/detail/copy.hpp>
#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Equal runs of elements: how many, and the bytes from one to the next on either side.
struct Rows {
  index_t count = 1, to = 0, from = 0;
};

/// A kernel that accumulates rows of `n` contiguous elements. `alpha` is never null: one() where there is no
/// factor.
using RowKernel = void (*)(void* to, const void* from, index_t n, const Rows& rows, const void* alpha);
/// The kernel of an update: of a sum with this alpha, or of min or max. It is chosen once for many rows. @local
RowKernel row_kernel(ElementKind kind, Update update, const void* alpha) noexcept;

/// data[i] *= alpha for `count` contiguous elements.
void scale(ElementKind kind, void* data, index_t count, const void* alpha);

/// Updates one element and returns the old value in `result`.
void fetch_update(ElementKind kind, Update update, void* target, const void* value, void* result);

/// The number one of an arithmetic kind.
const void* one(ElementKind kind) noexcept;

/// Whether alpha is one.
bool is_one(ElementKind kind, const void* alpha);

}  // namespace tessera::detail
