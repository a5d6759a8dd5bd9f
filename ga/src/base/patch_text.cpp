// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/patch_text.hpp"

#include <tessera/layout.hpp>

#include "format.hpp"

namespace tessera::detail {

std::string patch_text(const Box& patch, int rank) {
  std::string text = "[";
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    text += formatted("{}{}:{}", d == 0 ? "" : ", ", patch.lo[d], patch.hi[d]);
  }
  return text + ")";
}

std::string extents_text(const index_t* extents, int rank) {
  std::string text;
  for (int d = 0; d < rank; ++d) text += formatted("{}{}", d == 0 ? "" : " x ", extents[d]);
  return text;
}

void throw_bad_patch(const index_t* dims, int rank, const Box& patch, std::string_view owner) {
  const std::string what = formatted("patch {}", patch_text(patch, rank));
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    if (patch.lo[d] > patch.hi[d]) {
      throw UsageError(formatted("{} of {} is inverted: dimension {} begins at {} and ends before it, at {}",
                                 what, owner, d, patch.lo[d], patch.hi[d]));
    }
    const auto extents = extents_text(dims, rank);
    if (patch.lo[d] < 0) {
      throw UsageError(formatted("{} exceeds {} of extents {} (dimension {} begins at {})", what, owner,
                                 extents, d, patch.lo[d]));
    }
    if (patch.hi[d] > dims[d]) {
      throw UsageError(
          formatted("{} exceeds {} of extents {} (dimension {} ends at {}); did you pass inclusive bounds? "
                    "use Patch::inclusive",
                    what, owner, extents, d, patch.hi[d]));
    }
  }
  throw LogicError(formatted("{} of {} was refused without a reason", what, owner));
}

void throw_bad_patch(const LayoutCore& layout, const Box& patch, std::string_view array) {
  throw_bad_patch(layout.dims().data(), layout.rank(), patch,
                  array.empty() ? "a layout" : formatted("array \"{}\"", array));
}

void require_inside(const LayoutCore& layout, const Box& patch, std::string_view array) {
  if (!is_inside(layout, patch)) throw_bad_patch(layout, patch, array);
}

}  // namespace tessera::detail
