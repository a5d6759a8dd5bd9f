// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>

#include <tessera/core/operations.hpp>
#include <tessera/layout.hpp>

namespace tessera::io::detail {

/// Divides a box along its first dimensions, so that each rank's part is contiguous in a file as far as
/// possible.
tessera::detail::LayoutCore file_layout(int rank, const tessera::detail::Coordinates& extents, int ranks);

/// A slice in file order: each rank has one dense row-major box. It is the array itself in one case: the slice
/// is all of a blocked, row-major array, and no rank has very many small pieces of the file. Otherwise it is a
/// copy. The caller fills the copy before a write, or copies it back after a read.
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
