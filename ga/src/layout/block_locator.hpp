// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <tessera/core/layout_core.hpp>

namespace tessera::detail {

/// Finds the places of many elements of one array of N dimensions, like LayoutCore::locate. It uses tables, and
/// no branch depends on the element, so that the processor finds several at a time. @local
template <std::size_t N>
class BlockLocator {
 public:
  /// Nothing if it does not support the layout, or if its tables would cost more than they save for so many
  /// elements.
  static std::optional<BlockLocator> make(const LayoutCore& layout, index_t elements) {
    const GridLayout* const grid = layout.grid();
    if (layout.rank() != static_cast<int>(N) || grid == nullptr || grid->is_tiled() || grid->is_restricted())
      return {};
    const index_t most = std::min<index_t>(elements / 16, std::numeric_limits<std::int32_t>::max());
    index_t step = 1;
    const bool rows = grid->grid_order() == GridOrder::row_major;
    std::array<index_t, N> steps{};
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t d = rows ? N - 1 - i : i;
      steps[d] = step;
      step *= grid->axis(static_cast<int>(d)).parts();
    }
    std::optional<BlockLocator> locator(std::in_place);
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t d = layout.storage() == StorageOrder::row_major ? N - 1 - i : i;
      if (!locator->dimensions_[i].set(d, grid->axis(static_cast<int>(d)), grid->ghosts()[d], steps[d], most))
        return {};
    }
    return locator;
  }

  /// The owner of an element, and its offset there.
  [[gnu::always_inline]] int operator()(const index_t* at, index_t& offset) const noexcept {
    index_t stride = 1, number = 0;
    offset = 0;
    for (const Dimension& d : dimensions_) {
      const index_t i = at[d.axis];
      const LocatedBlock* block = d.blocks.data() + d.cells[static_cast<std::size_t>(i >> d.shift)];
      block += static_cast<index_t>(i >= block->end);
      offset += (i - block->origin) * stride;
      stride *= block->stored;
      number += block->number;
    }
    return static_cast<int>(number);
  }

 private:
  struct LocatedBlock {
    index_t end;
    index_t origin;  // the position that would be the first of what its part stores
    index_t stored;  // how many elements its part stores, ghost cells included
    index_t number;
  };

  // From the fastest in storage to the slowest.
  struct Dimension {
    std::size_t axis = 0;
    int shift = 0;
    std::vector<LocatedBlock> blocks;
    // For each 2^shift elements, the block in which they begin. Only the last block may be shorter, so all of
    // these elements are in that block or the next.
    std::vector<std::int32_t> cells;

    bool set(std::size_t number, const Axis& along, index_t ghosts, index_t step, index_t most) {
      axis = number;
      if (along.extent() == 0 || along.blocks() > most) return false;
      index_t shortest = along.extent();
      Interval found;
      for (index_t i = 0; i < along.extent(); i = found.end) {
        along.find(i, found);
        blocks.push_back({found.end, found.begin - found.local_begin - ghosts,
                          along.count(found.part) + 2 * ghosts, found.part * step});
        if (found.end < along.extent()) shortest = std::min(shortest, found.end - found.begin);
      }
      shift = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(shortest))) - 1;
      if ((along.extent() - 1) >> shift >= most) return false;
      for (std::size_t b = 0; b < blocks.size(); ++b)
        cells.resize(static_cast<std::size_t>(((blocks[b].end - 1) >> shift) + 1),
                     static_cast<std::int32_t>(b));
      return true;
    }
  };
  std::array<Dimension, N> dimensions_;
};

/// Calls f(locate) with the fastest way to locate so many elements of a layout. locate(at, offset) returns the
/// rank. @local
template <class F>
void with_locator(const LayoutCore& layout, index_t elements, F&& f) {
  if (const auto locate = BlockLocator<1>::make(layout, elements)) return f(*locate);
  if (const auto locate = BlockLocator<2>::make(layout, elements)) return f(*locate);
  if (const auto locate = BlockLocator<3>::make(layout, elements)) return f(*locate);
  if (const auto locate = BlockLocator<4>::make(layout, elements)) return f(*locate);
  f([&layout](const index_t* at, index_t& offset) { return layout.locate(at, offset); });
}

}  // namespace tessera::detail
