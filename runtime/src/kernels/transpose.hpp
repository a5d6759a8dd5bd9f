// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// A matrix of elements of `size` bytes, with rows at equal distances, and the place of its transpose. Element
/// (i, j) goes from `from + i * from_stride + j * size` to `to + j * to_stride + i * size`.
struct Transposition {
  index_t rows, columns, size;
  index_t from_stride, to_stride;  // in bytes
};

/// Whether there is a kernel for such elements. @local
constexpr bool can_transpose(index_t size) noexcept { return size == 4 || size == 8 || size == 16; }
/// Transposes. If `streamed`, the stores bypass the caches, and end_stream() has to follow. Memory must not
/// overlap.
void transpose(std::byte* to, const std::byte* from, const Transposition& shape, bool streamed) noexcept;

}  // namespace tessera::detail
