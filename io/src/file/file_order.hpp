// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

namespace tessera::io::detail {

/// Divides a box along its first dimensions, so that what each rank has is contiguous in a file as far as
/// possible.
tessera::detail::LayoutCore file_layout(int rank, const tessera::detail::Coordinates& extents, int ranks);

/// A slice as files hold it: each rank one dense row-major box in the order of its indices. The array itself
/// where the slice is all of one that is blocked and row-major, and no rank has very many small pieces of the
/// file, else a copy to be filled from it (to write) or copied back (to read).
class FileOrder {
 public:
  /// @collective
  explicit FileOrder(const tessera::detail::SliceCore& slice);
  tessera::detail::ArrayCore& array() noexcept { return copy_ ? *copy_ : slice_.array(); }
  bool is_copy() const noexcept { return copy_.has_value(); }
  /// This rank's part. @local
  tessera::detail::Box box() const { return box_of(slice_); }
  static tessera::detail::Box box_of(const tessera::detail::SliceCore& slice);

 private:
  tessera::detail::SliceCore slice_;
  std::optional<tessera::detail::ArrayCore> copy_;
};

}  // namespace tessera::io::detail
