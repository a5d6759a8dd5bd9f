// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>

#include <tessera/runtime/detail/runs.hpp>
#include <tessera/runtime/strided.hpp>

#include "kernels/kernels.hpp"

namespace tessera::detail {

/// The bytes that one side of a shape touches, relative to its first element.
struct Range {
  index_t low = 0, high = 0;
};

/// Computes the range of a shape that is not empty. False if a length is negative or a number does not fit 64
/// bits: an overflow must not look like a place inside.
inline bool range_of(const Strided& shape, const std::array<index_t, max_rank>& strides, index_t first,
                     Range& range) noexcept {
  range.low = first;
  bool fits = !__builtin_add_overflow(first, shape.run, &range.high) && shape.run > 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    index_t reach = 0;
    fits &= shape.count[l] > 0;
    fits &= !__builtin_mul_overflow(shape.count[l] - 1, strides[l], &reach);
    index_t& end = reach < 0 ? range.low : range.high;
    fits &= !__builtin_add_overflow(end, reach, &end);
  }
  return fits;
}

/// Whether runs of both sides never meet although the ranges of the sides do, as at opposite faces of a block.
/// Any two places differ by `distance` and a multiple of the strides' greatest common divisor.
inline bool interleave(index_t distance, const Strided& shape) noexcept {
  index_t step = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l)
    step = std::gcd(step, std::gcd(shape.remote_stride[l], shape.local_stride[l]));
  if (step == 0) return false;
  const index_t after = (distance % step + step) % step;
  return after >= shape.run && step - after >= shape.run;
}

/// Whether the local side of a shape shares memory with the remote side, which begins at `there`. It may be
/// true for sides that only come close.
inline bool overlap(const std::byte* there, const std::byte* local, const Strided& shape) noexcept {
  Range remote, mine;
  range_of(shape, shape.remote_stride, 0, remote);
  range_of(shape, shape.local_stride, 0, mine);
  const auto far = reinterpret_cast<std::intptr_t>(there), near = reinterpret_cast<std::intptr_t>(local);
  return near + mine.low < far + remote.high && far + remote.low < near + mine.high &&
         !interleave(near - far, shape);
}

/// A dense copy of the local side of a shape.
class LocalCopy {
 public:
  explicit LocalCopy(const Strided& shape)
      : packing_(packing(shape)), data_(new std::byte[static_cast<std::size_t>(shape.bytes())]) {}
  std::byte* data() const noexcept { return data_.get(); }
  void read(const std::byte* local) { copy_strided(data(), local, packing_, Direction::local_to_remote); }
  void write(std::byte* local) const { copy_strided(local, data(), packing_, Direction::remote_to_local); }

 private:
  Strided packing_;
  std::unique_ptr<std::byte[]> data_;
};

}  // namespace tessera::detail
