// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>

#include <tessera/detail/layout_core.hpp>

namespace tessera::detail {

/// Finds the places of many elements of one array of N dimensions in even blocks: what LayoutCore::locate does,
/// with no branch that depends on the element, so that the processor finds several at a time. @local
template <std::size_t N>
class BlockLocator {
 public:
  /// Whether it knows such a layout.
  static bool knows(const LayoutCore& layout) noexcept {
    if (layout.rank() != static_cast<int>(N) || !layout.is_product() || layout.is_tiled() ||
        layout.is_restricted())
      return false;
    bool blocked = true;
    for (int d = 0; d < layout.rank(); ++d) blocked &= layout.axis(d).kind() == Axis::Kind::blocked;
    return blocked;
  }

  explicit BlockLocator(const LayoutCore& layout) {
    index_t step = 1;
    const bool rows = layout.grid_order() == GridOrder::row_major;
    std::array<index_t, N> steps{};
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t d = rows ? N - 1 - i : i;
      steps[d] = step;
      step *= layout.axis(static_cast<int>(d)).parts();
    }
    for (std::size_t i = 0; i < N; ++i) {
      const std::size_t d = layout.storage() == StorageOrder::row_major ? N - 1 - i : i;
      const Axis& axis = layout.axis(static_cast<int>(d));
      const index_t block = axis.extent() / axis.parts(), larger = axis.extent() % axis.parts();
      dimensions_[i] = {.axis = d,
                        .by = {Divisor(block + 1), Divisor(std::max<index_t>(block, 1))},
                        .border = larger * (block + 1),
                        .block = block,
                        .larger = larger,
                        .ghosts = layout.ghosts()[d],
                        .step = steps[d]};
    }
  }

  /// The rank, and where the element is there.
  int operator()(const index_t* at, index_t& offset) const noexcept {
    index_t stride = 1, number = 0;
    offset = 0;
    for (const Dimension& d : dimensions_) {
      const index_t i = at[d.axis], beyond = static_cast<index_t>(i >= d.border);
      const index_t part =
          d.by[static_cast<std::size_t>(beyond)](i - (-beyond & d.border)) + (-beyond & d.larger);
      offset += (i - part * d.block - std::min(part, d.larger) + d.ghosts) * stride;
      stride *= d.block + static_cast<index_t>(part < d.larger) + 2 * d.ghosts;
      number += part * d.step;
    }
    return static_cast<int>(number);
  }

 private:
  // From the fastest in storage to the slowest.
  struct Dimension {
    std::size_t axis;
    std::array<Divisor, 2> by;  // of the larger blocks, and of the others
    index_t border;             // where the others begin
    index_t block, larger, ghosts, step;
  };
  std::array<Dimension, N> dimensions_;
};

/// Calls f(locate) with the fastest that there is for a layout: locate(at, offset) is the rank. @local
template <class F>
decltype(auto) with_locator(const LayoutCore& layout, F&& f) {
  if (BlockLocator<1>::knows(layout)) return f(BlockLocator<1>(layout));
  if (BlockLocator<2>::knows(layout)) return f(BlockLocator<2>(layout));
  if (BlockLocator<3>::knows(layout)) return f(BlockLocator<3>(layout));
  return f([&layout](const index_t* at, index_t& offset) { return layout.locate(at, offset); });
}

}  // namespace tessera::detail
