// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

#include <tessera/core/layout_core.hpp>

// The text of patches, positions and extents in messages.
namespace tessera::detail {

/// "[0:10, 5:25)". @local
std::string patch_text(const Box& patch, int rank);
/// "10 x 20". @local
std::string extents_text(const index_t* extents, int rank);
/// Whether a patch is inside the extents of the layout. @local
inline bool is_inside(const LayoutCore& layout, const Box& patch) noexcept {
  bool inside = true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(layout.rank()); ++d)
    inside &= patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] && patch.hi[d] <= layout.dims()[d];
  return inside;
}
/// Throws the UsageError for a bad patch of `owner`, which has these extents. @local
[[noreturn]] void throw_bad_patch(const index_t* dims, int rank, const Box& patch, std::string_view owner);
/// The same for an array, or for a layout if `array` is empty. @local
[[noreturn]] void throw_bad_patch(const LayoutCore& layout, const Box& patch, std::string_view array);

}  // namespace tessera::detail
