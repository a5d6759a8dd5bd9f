// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <tessera/runtime/strided.hpp>

namespace tessera::test {

using Random = std::mt19937_64;

/// A whole number in [low, high]. The same generator gives the same number on every machine. @local
inline index_t pick(Random& random, index_t low, index_t high) {
  return low + static_cast<index_t>(random() % static_cast<std::uint64_t>(high - low + 1));
}

/// A random transfer. The remote side is a patch of a contiguous array that fits `slice` bytes. The local side
/// has its dimensions in any order, padded, forwards and backwards.
struct RandomTransfer {
  Strided shape;
  index_t offset = 0;       // in the slice
  index_t local_bytes = 0;  // of the local buffer
  index_t local_begin = 0;  // where in the buffer the first element is

  RandomTransfer(Random& random, index_t slice, index_t element) {
    element = std::min(element, slice);
    const index_t room = slice / element;
    shape.levels = static_cast<int>(pick(random, 0, 5));
    const auto levels = static_cast<std::size_t>(shape.levels);
    std::vector<index_t> dims(levels, 1);
    index_t size = 1;
    const bool contiguous_run = pick(random, 0, 2) > 0;
    index_t run = contiguous_run ? pick(random, 1, std::min<index_t>(room, 9)) : 1;
    size = run;
    for (index_t& dim : dims) {
      dim = pick(random, 1, std::max<index_t>(1, std::min<index_t>(room / size, 9)));
      size *= dim;
    }
    const index_t spare = room - size;
    offset = pick(random, 0, spare) * element;
    shape.run = run * element;
    index_t stride = run * element;
    for (std::size_t l = 0; l < levels; ++l) {
      const index_t lo = pick(random, 0, dims[l] - 1), hi = pick(random, lo + 1, dims[l]);
      shape.count[l] = hi - lo;
      shape.remote_stride[l] = stride;
      offset += lo * stride;
      stride *= dims[l];
    }
    std::vector<std::size_t> order(levels);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (pick(random, 0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
    index_t local = shape.run;
    for (std::size_t l : order) {
      if (pick(random, 0, 3) == 0) local += element * pick(random, 1, 5);
      shape.local_stride[l] = local;
      local *= shape.count[l];
      if (pick(random, 0, 4) == 0) {
        local_begin += (shape.count[l] - 1) * shape.local_stride[l];
        shape.local_stride[l] = -shape.local_stride[l];
      }
    }
    local_bytes = local;
    // Loops in any order, not only from the inside out.
    for (std::size_t l = 0; l + 1 < levels; ++l) {
      const auto other = static_cast<std::size_t>(pick(random, static_cast<index_t>(l), shape.levels - 1));
      std::swap(shape.count[l], shape.count[other]);
      std::swap(shape.remote_stride[l], shape.remote_stride[other]);
      std::swap(shape.local_stride[l], shape.local_stride[other]);
    }
  }
};

/// Calls f(remote, local) with the byte offsets of every run. @local
template <class F>
void for_each_run(const Strided& shape, F&& f) {
  std::vector<index_t> at(static_cast<std::size_t>(shape.levels), 0);
  for (index_t runs = shape.run == 0 ? 0 : shape.bytes() / shape.run; runs > 0; --runs) {
    index_t remote = 0, local = 0;
    for (std::size_t l = 0; l < at.size(); ++l) {
      remote += at[l] * shape.remote_stride[l];
      local += at[l] * shape.local_stride[l];
    }
    f(remote, local);
    for (std::size_t l = 0; l < at.size(); ++l) {
      if (++at[l] < shape.count[l]) break;
      at[l] = 0;
    }
  }
}

}  // namespace tessera::test
