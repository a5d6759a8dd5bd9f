// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>

#include <tessera/runtime/types.hpp>

#include "kernels/kernels.hpp"

namespace tessera::detail {

/// Copies past the caches: the target is not read first, and the caches are left to what fits them. Where the
/// processor has no such stores, as memcpy. Memory must not overlap; end_stream() follows the last.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
/// Orders what was streamed before later stores.
void end_stream() noexcept;
/// From how many bytes on a copy is streamed (docs/performance.md): where the caches would not keep it until
/// somebody reads it, which is sooner for what goes to others than for what the caller will read.
index_t streamed_from(Direction direction) noexcept;

}  // namespace tessera::detail
