// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "segment_shapes.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::stress {

namespace {

// The strides of one side: its loops nest in a random order of its own, some of them backwards.
struct Side {
  std::vector<index_t> strides;  // in words
  index_t first = 0, size = 0;
};
Side random_side(Draws& draws, index_t run, const std::vector<index_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(draws.below(static_cast<index_t>(k)))]);
  Side side{std::vector<index_t>(counts.size()), 0, run};
  for (const std::size_t level : order) {
    const index_t stride = side.size + draws.below(3), rest = stride * (counts[level] - 1);
    const bool is_backward = draws.one_in(4);
    side.strides[level] = is_backward ? -stride : stride;
    if (is_backward) side.first += rest;
    side.size += rest;
  }
  return side;
}

}  // namespace

WordShape random_shape(Draws& draws, index_t most) {
  for (index_t levels = draws.below(4);; levels = std::max<index_t>(levels - 1, 0)) {
    const index_t run = 1 + draws.below(levels == 0 ? std::min<index_t>(most, 40) : 4);
    std::vector<index_t> counts;
    for (index_t level = 0; level < levels; ++level)
      counts.push_back(draws.one_in(12) ? 0 : 1 + draws.below(4));
    const bool is_empty = std::count(counts.begin(), counts.end(), 0) > 0;
    std::vector<index_t> at_least_one = counts;
    for (index_t& count : at_least_one) count = std::max<index_t>(count, 1);
    const Side remote = random_side(draws, run, at_least_one), local = random_side(draws, run, at_least_one);
    if (remote.size > most) continue;
    WordShape shape;
    shape.strided = Strided::contiguous(run * word);
    shape.strided.levels = static_cast<int>(levels);
    for (std::size_t level = 0; level < counts.size(); ++level) {
      shape.strided.count[level] = counts[level];
      shape.strided.remote_stride[level] = remote.strides[level] * word;
      shape.strided.local_stride[level] = local.strides[level] * word;
    }
    shape.remote_size = remote.size;
    shape.local_size = local.size;
    shape.remote_first = remote.first;
    shape.local_first = local.first;
    if (is_empty) return shape;
    Numbers extents(counts.rbegin(), counts.rend());  // the last dimension turns fastest
    for (const Numbers& at : positions(extents)) {
      index_t there = remote.first, here = local.first;
      for (std::size_t level = 0; level < counts.size(); ++level) {
        const index_t turn = at[counts.size() - 1 - level];
        there += turn * remote.strides[level];
        here += turn * local.strides[level];
      }
      for (index_t k = 0; k < run; ++k) {
        shape.remote.push_back(there + k);
        shape.local.push_back(here + k);
      }
    }
    return shape;
  }
}

}  // namespace tessera::stress
