// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/types.hpp>

namespace tessera::benchmark {

/// Rows of bytes at distances from one another; a contiguous block is a single row. @local
struct Rows {
  index_t count, bytes, to_stride, from_stride;

  static constexpr Rows contiguous(index_t bytes) noexcept { return {1, bytes, bytes, bytes}; }
  /// The same the other way.
  constexpr Rows reversed() const noexcept { return {count, bytes, from_stride, to_stride}; }
};

}  // namespace tessera::benchmark
