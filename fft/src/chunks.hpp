// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <tessera/core/box.hpp>

#include "stages.hpp"

// The parts in which a rank works through its share of a stage.
namespace tessera::fft {

using tessera::detail::Box;
using tessera::detail::Coordinates;

constexpr std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }
constexpr index_t extent(const Box& box, int d) noexcept { return box.hi[at(d)] - box.lo[at(d)]; }

/// The dimensions of a slice by the strides of its elements in memory, the least first. @local
std::vector<int> by_stride(const Coordinates& strides, int rank);

/// Cuts a box into chunks of about `bytes`. Each has the dimensions of the stage from end to end, and runs of
/// some cache lines along the closest dimension. @local
class Chunking {
 public:
  Chunking(const Box& box, DimensionSet stage, std::span<const int> closest_first, index_t element_size,
           index_t bytes);
  /// Calls f(Box) for each chunk. @local
  template <class F>
  void for_each(F&& f) const {
    Box chunk{};
    each(0, chunk, f);
  }

 private:
  template <class F>
  void each(std::size_t d, Box& chunk, F& f) const {
    if (d == steps_.size()) return f(static_cast<const Box&>(chunk));
    for (index_t i = box_.lo[d]; i < box_.hi[d]; i += steps_[d]) {
      chunk.lo[d] = i;
      chunk.hi[d] = std::min(i + steps_[d], box_.hi[d]);
      each(d + 1, chunk, f);
    }
  }

  Box box_;
  std::vector<index_t> steps_;
};

/// Dense local memory for a box: the strides in elements, and the number of elements.
struct DenseChunk {
  Coordinates strides{};
  index_t size = 1;

  /// The closest dimension first. Elements along the stage's dimensions are moved apart where all would be in
  /// the same sets of the caches.
  DenseChunk(const Box& box, DimensionSet stage, std::span<const int> closest_first, index_t element_size);
};

}  // namespace tessera::fft
