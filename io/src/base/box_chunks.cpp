// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/box_chunks.hpp"

#include <algorithm>

namespace tessera::io::detail {

using tessera::detail::Box;

BoxChunks::BoxChunks(const Box& box, int rank, index_t element_bytes, index_t max_bytes)
    : box_(box), rank_(static_cast<std::size_t>(rank)) {
  if (size(box) == 0) return;
  auto extent = [&](std::size_t d) { return box.hi[d] - box.lo[d]; };
  index_t row = element_bytes;  // bytes of one index of the dimension that is cut
  cut_ = rank_ - 1;
  while (cut_ > 0 && row <= max_bytes / extent(cut_)) row *= extent(cut_--);
  width_ = std::clamp<index_t>(max_bytes / row, 1, extent(cut_));
  ranges_ = (extent(cut_) + width_ - 1) / width_;
  count_ = ranges_;
  for (std::size_t d = 0; d < cut_; ++d) count_ *= extent(d);
}

Box BoxChunks::piece(index_t which) const noexcept {
  if (which >= count_) return {};
  Box piece = box_;
  piece.lo[cut_] = box_.lo[cut_] + which % ranges_ * width_;
  piece.hi[cut_] = std::min(box_.hi[cut_], piece.lo[cut_] + width_);
  index_t rest = which / ranges_;
  for (std::size_t d = cut_; d-- > 0;) {
    const index_t extent = box_.hi[d] - box_.lo[d];
    piece.lo[d] = box_.lo[d] + rest % extent;
    piece.hi[d] = piece.lo[d] + 1;
    rest /= extent;
  }
  return piece;
}

index_t BoxChunks::size(const Box& box) const noexcept {
  index_t product = 1;
  for (std::size_t d = 0; d < rank_; ++d) product *= std::max<index_t>(0, box.hi[d] - box.lo[d]);
  return product;
}

}  // namespace tessera::io::detail
