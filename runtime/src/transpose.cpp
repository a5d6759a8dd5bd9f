// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transpose.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "streaming.hpp"

namespace tessera::detail {
namespace {

// Squares of `side` elements, from rows to columns.
template <index_t bytes>
struct Elements {
  static constexpr index_t size = bytes, side = 4;
  static void square(std::byte* to, index_t to_stride, const std::byte* from, index_t from_stride) noexcept {
    for (index_t i = 0; i < side; ++i) {
      for (index_t j = 0; j < side; ++j)
        std::memcpy(to + j * to_stride + i * size, from + i * from_stride + j * size, size);
    }
  }
};

#if defined(__x86_64__)
#define TESSERA_AVX2 __attribute__((target("avx2")))

struct Avx2Doubles {
  static constexpr index_t size = 8, side = 4;
  TESSERA_AVX2 static void square(std::byte* to, index_t to_stride, const std::byte* from,
                                  index_t from_stride) noexcept {
    __m256d row[4], pair[4];
    for (index_t i = 0; i < 4; ++i)
      row[i] = _mm256_loadu_pd(reinterpret_cast<const double*>(from + i * from_stride));
    for (index_t i = 0; i < 4; i += 2) {
      pair[i] = _mm256_unpacklo_pd(row[i], row[i + 1]);
      pair[i + 1] = _mm256_unpackhi_pd(row[i], row[i + 1]);
    }
    for (index_t j = 0; j < 2; ++j) {
      _mm256_storeu_pd(reinterpret_cast<double*>(to + j * to_stride),
                       _mm256_permute2f128_pd(pair[j], pair[j + 2], 0x20));
      _mm256_storeu_pd(reinterpret_cast<double*>(to + (j + 2) * to_stride),
                       _mm256_permute2f128_pd(pair[j], pair[j + 2], 0x31));
    }
  }
};

struct Avx2Floats {
  static constexpr index_t size = 4, side = 8;
  TESSERA_AVX2 static void square(std::byte* to, index_t to_stride, const std::byte* from,
                                  index_t from_stride) noexcept {
    __m256 row[8], pair[8], four[8];
    for (index_t i = 0; i < 8; ++i)
      row[i] = _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * from_stride));
    for (index_t i = 0; i < 8; i += 2) {
      pair[i] = _mm256_unpacklo_ps(row[i], row[i + 1]);
      pair[i + 1] = _mm256_unpackhi_ps(row[i], row[i + 1]);
    }
    for (index_t i = 0; i < 8; i += 4) {
      for (index_t k = 0; k < 2; ++k) {
        four[i + 2 * k] = _mm256_shuffle_ps(pair[i + k], pair[i + 2 + k], 0x44);
        four[i + 2 * k + 1] = _mm256_shuffle_ps(pair[i + k], pair[i + 2 + k], 0xee);
      }
    }
    for (index_t j = 0; j < 4; ++j) {
      _mm256_storeu_ps(reinterpret_cast<float*>(to + j * to_stride),
                       _mm256_permute2f128_ps(four[j], four[j + 4], 0x20));
      _mm256_storeu_ps(reinterpret_cast<float*>(to + (j + 4) * to_stride),
                       _mm256_permute2f128_ps(four[j], four[j + 4], 0x31));
    }
  }
};
#endif

// What fits the caches: straight to its place, a block that both sides keep at a time.
template <class Kernel>
[[gnu::always_inline]] inline void transpose_block(std::byte* to, index_t to_stride, const std::byte* from,
                                                   index_t from_stride, index_t rows,
                                                   index_t columns) noexcept {
  constexpr index_t size = Kernel::size, side = Kernel::side;
  auto single = [&](index_t i, index_t j) {
    std::memcpy(to + j * to_stride + i * size, from + i * from_stride + j * size, size);
  };
  // As many rows at a time as make a line of the target: rows at distances that are powers of two fall on one
  // place of the cache, which does not keep a line until its other half comes.
  constexpr index_t together = 64 / size;
  static_assert(together % side == 0);
  index_t i = 0;
  for (index_t end = 0; i + side <= rows; i = end) {
    end = i + std::min(together, (rows - i) / side * side);
    index_t j = 0;
    for (; j + side <= columns; j += side) {
      for (index_t k = i; k < end; k += side)
        Kernel::square(to + j * to_stride + k * size, to_stride, from + k * from_stride + j * size,
                       from_stride);
    }
    for (; j < columns; ++j) {
      for (index_t k = i; k < end; ++k) single(k, j);
    }
  }
  for (; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) single(i, j);
  }
}

// What does not is put together first in blocks whose rows are long enough to be streamed. Distances between
// rows are often powers of two, so that they fall on the same places of a cache, which hence could not keep
// them until the next block needs the rest of their lines.
template <class Kernel>
[[gnu::always_inline]] inline void transpose_all(std::byte* to, const std::byte* from,
                                                 const Transposition& shape, bool streamed) noexcept {
  constexpr index_t size = Kernel::size, rows = 512 / size, columns = 256 / size, line = 64;
  constexpr index_t distance = rows * size + line;  // not a power of two
  alignas(line) std::byte block[static_cast<std::size_t>(columns * distance)];
  for (index_t i = 0; i < shape.rows; i += rows) {
    const index_t height = std::min(rows, shape.rows - i);
    for (index_t j = 0; j < shape.columns; j += columns) {
      const index_t width = std::min(columns, shape.columns - j);
      const std::byte* source = from + i * shape.from_stride + j * size;
      std::byte* target = to + j * shape.to_stride + i * size;
      if (!streamed) {
        transpose_block<Kernel>(target, shape.to_stride, source, shape.from_stride, height, width);
        continue;
      }
      // The processor does not foresee that many rows; the next block's are asked for now.
      for (index_t k = 0; j + columns < shape.columns && k < height; ++k) {
        for (index_t l = 0; l < columns * size; l += line)
          __builtin_prefetch(source + k * shape.from_stride + columns * size + l);
      }
      transpose_block<Kernel>(block, distance, source, shape.from_stride, height, width);
      for (index_t k = 0; k < width; ++k)
        stream(target + k * shape.to_stride, block + k * distance, static_cast<std::size_t>(height * size));
    }
  }
}

#if defined(__x86_64__)
template <class Kernel>
TESSERA_AVX2 void transpose_avx2(std::byte* to, const std::byte* from, const Transposition& shape,
                                 bool streamed) noexcept {
  transpose_all<Kernel>(to, from, shape, streamed);
}
#endif

}  // namespace

void transpose(std::byte* to, const std::byte* from, const Transposition& shape, bool streamed) noexcept {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2 && shape.size == 4) return transpose_avx2<Avx2Floats>(to, from, shape, streamed);
  if (avx2 && shape.size == 8) return transpose_avx2<Avx2Doubles>(to, from, shape, streamed);
#endif
  if (shape.size == 4) return transpose_all<Elements<4>>(to, from, shape, streamed);
  if (shape.size == 8) return transpose_all<Elements<8>>(to, from, shape, streamed);
  transpose_all<Elements<16>>(to, from, shape, streamed);
}

}  // namespace tessera::detail
