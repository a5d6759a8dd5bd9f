// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/layout_core.hpp>

namespace tessera::io::detail {

/// Cuts a box in row-major order into pieces that are each contiguous in memory. A piece has at most
/// `max_bytes` bytes, or one element. It has whole trailing dimensions, a range of the dimension before them,
/// and single indices of the rest. @local
class BoxChunks {
 public:
  BoxChunks(const tessera::detail::Box& box, int rank, index_t element_bytes, index_t max_bytes);
  index_t count() const noexcept { return count_; }
  /// Piece number `which`; an empty box if `which` >= count().
  tessera::detail::Box piece(index_t which) const noexcept;
  /// The number of elements of a box of this rank.
  index_t size(const tessera::detail::Box& box) const noexcept;

 private:
  tessera::detail::Box box_;
  std::size_t rank_;
  std::size_t cut_ = 0;  // the dimension that is cut into ranges
  index_t width_ = 1;    // indices in a range
  index_t ranges_ = 1;   // ranges along that dimension
  index_t count_ = 0;
};

}  // namespace tessera::io::detail
