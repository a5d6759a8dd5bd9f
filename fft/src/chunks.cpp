// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "chunks.hpp"

#include <numeric>

namespace tessera::fft {
namespace {

constexpr index_t cache_line = 64, shortest_run = 2 * cache_line;
// Lines whose distance is a multiple of this meet in few sets of the caches.
constexpr index_t bad_distance = 256;

}  // namespace

std::vector<int> by_stride(const Coordinates& strides, int rank) {
  std::vector<int> order(static_cast<std::size_t>(rank));
  std::iota(order.rbegin(), order.rend(), 0);  // of equal strides, the last dimension comes first
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return strides[static_cast<std::size_t>(a)] < strides[static_cast<std::size_t>(b)];
  });
  return order;
}

Chunking::Chunking(const Box& box, DimensionSet stage, std::span<const int> closest_first, index_t element_size,
                   index_t bytes)
    : box_(box), steps_(closest_first.size(), 1) {
  index_t line = element_size;
  for (const int d : closest_first) {
    if (!contains(stage, only(d))) continue;
    steps_[static_cast<std::size_t>(d)] = std::max<index_t>(1, extent(box, d));
    line *= std::max<index_t>(1, extent(box, d));
  }
  index_t room = std::max<index_t>(1, bytes / line);
  bool closest = true;
  for (const int d : closest_first) {
    if (extent(box, d) <= 1) continue;
    if (!contains(stage, only(d))) {
      if (closest) room = std::max(room, shortest_run / element_size);
      const index_t most = std::min(room, extent(box, d));
      const index_t parts = (extent(box, d) + most - 1) / most;
      const index_t step = (extent(box, d) + parts - 1) / parts;
      steps_[static_cast<std::size_t>(d)] = step;
      room = std::max<index_t>(1, room / step);
    }
    closest = false;
  }
}

DenseChunk::DenseChunk(const Box& box, DimensionSet stage, std::span<const int> closest_first,
                       index_t element_size) {
  for (const int d : closest_first) {
    if (contains(stage, only(d)) && size > 1 && extent(box, d) > 1 && size * element_size % bad_distance == 0)
      size += cache_line / element_size;
    strides[static_cast<std::size_t>(d)] = size;
    size *= std::max<index_t>(1, extent(box, d));
  }
}

}  // namespace tessera::fft
