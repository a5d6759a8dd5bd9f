// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cerrno>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// Reserves pages or blocks by calls of reserve(offset, bytes), which returns an errno value. A call that a
/// signal interrupts is repeated in smaller pieces. On tmpfs, many kernels undo the work of an interrupted
/// call, so under a profiler's timer one large call never completes. Returns the first other error, or 0.
/// @local
template <class Reserve>
int reserve_in_pieces(index_t offset, index_t bytes, Reserve&& reserve) {
  constexpr index_t least = index_t{1} << 20;
  const index_t end = offset + bytes;
  for (index_t piece = bytes; offset < end;) {
    const index_t now = std::min(piece, end - offset);
    const int error = reserve(offset, now);
    if (error == 0)
      offset += now;
    else if (error == EINTR)
      piece = std::max(now / 2, std::min(now, least));
    else
      return error;
  }
  return 0;
}

}  // namespace tessera::detail
