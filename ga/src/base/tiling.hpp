// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>

#include "base/box_chunks.hpp"

namespace tessera::detail {

/// The dimensions of a box that have more than one element, in the order of increasing strides. @local
class ByStride {
 public:
  ByStride() = default;
  ByStride(const Box& box, const Coordinates& strides, int rank) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
      if (box.hi[d] - box.lo[d] <= 1) continue;
      std::size_t place = count_++;
      for (; place > 0 && strides[list_[place - 1]] > strides[d]; --place) list_[place] = list_[place - 1];
      list_[place] = d;
    }
  }
  const std::size_t* begin() const noexcept { return list_.data(); }
  const std::size_t* end() const noexcept { return list_.data() + count_; }
  std::size_t size() const noexcept { return count_; }
  std::size_t operator[](std::size_t i) const noexcept { return list_[i]; }

 private:
  std::array<std::size_t, static_cast<std::size_t>(max_rank)> list_{};
  std::size_t count_ = 0;
};

/// A box, which is not empty, cut into tiles of at most `most` elements. In a tile, the contiguous runs in each
/// of several orders are about equally long, and as long as possible. @local
class Tiling {
 public:
  Tiling(const Box& box, int rank, std::span<const ByStride> orders, index_t most)
      : box_(box), rank_(static_cast<std::size_t>(rank)), order_(orders.front()) {
    size_.fill(1);
    while (grow(orders, most)) {
    }
    // Make all tiles about the same size.
    for (const std::size_t d : order_) {
      const index_t parts = (extent(d) + size_[d] - 1) / size_[d];
      size_[d] = (extent(d) + parts - 1) / parts;
    }
  }

  /// Calls f(Box) for each tile, in the first of the orders. @local
  template <class F>
  void for_each(F&& f) const {
    Box tile = box_;
    each(order_.size(), tile, f);
  }

 private:
  index_t extent(std::size_t d) const noexcept { return box_.hi[d] - box_.lo[d]; }

  // Doubles the shortest of the runs, along the first dimension of its order that the tile does not cover.
  // Returns false if none can grow.
  bool grow(std::span<const ByStride> orders, index_t most) {
    index_t volume = 1, shortest = 0;
    for (std::size_t d = 0; d < rank_; ++d) volume *= size_[d];
    std::size_t along = rank_;
    for (const ByStride& order : orders) {
      index_t run = 1;
      for (const std::size_t d : order) {
        run *= size_[d];
        if (size_[d] == extent(d)) continue;
        const bool fits = volume / size_[d] * (size_[d] + 1) <= most;
        if (fits && (along == rank_ || run < shortest)) along = d, shortest = run;
        break;
      }
    }
    if (along == rank_) return false;
    size_[along] = std::min({2 * size_[along], extent(along), most / (volume / size_[along])});
    return true;
  }

  template <class F>
  void each(std::size_t levels, Box& tile, F& f) const {
    if (levels == 0) return f(static_cast<const Box&>(tile));
    const std::size_t d = order_[levels - 1];
    for (index_t i = box_.lo[d]; i < box_.hi[d]; i += size_[d]) {
      tile.lo[d] = i;
      tile.hi[d] = std::min(i + size_[d], box_.hi[d]);
      each(levels - 1, tile, f);
    }
  }

  Box box_;
  std::size_t rank_;
  ByStride order_;
  Coordinates size_{};
};

}  // namespace tessera::detail
