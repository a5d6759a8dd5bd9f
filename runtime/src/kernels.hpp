// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Which side of a Strided the data goes to.
enum class Direction { local_to_remote, remote_to_local };

/// Copies between two places in this process's address space. `shape` need not be merged.
void copy_strided(std::byte* to, const std::byte* from, const Strided& shape, Direction direction);

/// target[i] += alpha * source[i] for `count` contiguous elements.
void add_scaled(ElementKind kind, void* target, const void* source, index_t count, const void* alpha);

/// data[i] *= alpha for `count` contiguous elements.
void scale(ElementKind kind, void* data, index_t count, const void* alpha);

/// target += value, returning in `result` what was there.
void fetch_add(ElementKind kind, void* target, const void* value, void* result);

/// Whether alpha is one.
bool is_one(ElementKind kind, const void* alpha);

}  // namespace tessera::detail
