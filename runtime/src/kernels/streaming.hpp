// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

#include "kernels/kernels.hpp"

namespace tessera::detail {

/// Copies with stores that bypass the caches: the target is not read first, and the caches keep data that fits
/// them. On a processor without such stores it is a memcpy. Memory must not overlap; end_stream() follows the
/// last call.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
/// Orders streamed stores before later stores.
void end_stream() noexcept;
/// The size in bytes from which a copy is streamed (docs/performance.md): the caches would not keep it until it
/// is read. The limit is lower for data that others read than for data that the caller reads.
index_t streamed_from(Direction direction) noexcept;

}  // namespace tessera::detail
