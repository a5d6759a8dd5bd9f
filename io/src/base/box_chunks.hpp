// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/core/layout_core.hpp>

namespace tessera::io::detail {

/// A box in row-major order cut into boxes of at most so many bytes (or one element), each contiguous in
/// memory: whole trailing dimensions, a range of the one before them, single indices of the rest. @local
class BoxChunks {
 public:
  BoxChunks(const tessera::detail::Box& box, int rank, index_t element_bytes, index_t most_bytes);
  index_t count() const noexcept { return count_; }
  /// Piece number `which`; an empty box from count() on.
  tessera::detail::Box piece(index_t which) const noexcept;
  /// The number of elements of a box of this rank.
  index_t size(const tessera::detail::Box& box) const noexcept;

 private:
  tessera::detail::Box box_;
  std::size_t rank_;
  std::size_t cut_ = 0;  // the dimension that is cut into ranges
  index_t width_ = 1;    // of a range
  index_t ranges_ = 1;   // along that dimension
  index_t count_ = 0;
};

}  // namespace tessera::io::detail
