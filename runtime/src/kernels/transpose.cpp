// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/transpose.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cache_line.hpp"
#include "kernels/streaming.hpp"

namespace tessera::detail {
namespace {

// Transposes a square of `side` by `side` elements.
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

// Transposes straight into the target.
template <class Kernel>
[[gnu::always_inline]] inline void transpose_block(std::byte* to, index_t to_stride, const std::byte* from,
                                                   index_t from_stride, index_t rows,
                                                   index_t columns) noexcept {
  constexpr index_t size = Kernel::size, side = Kernel::side;
  auto single = [&](index_t i, index_t j) {
    std::memcpy(to + j * to_stride + i * size, from + i * from_stride + j * size, size);
  };
  // Takes as many rows at a time as fill a cache line of the target. Target rows at power-of-two distances
  // share a set of the cache, which would evict a line before its other half is written.
  constexpr index_t together = cache_line / size;
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

// The same for rows of the target that share few sets of the caches, because they lie at power-of-two
// distances. Lines that are written one to each row are then evicted at once, and nothing prefetches them. So
// it takes as many columns at a time as fill a cache line of the source, and goes down along them: it reads
// whole lines, and writes the rows of the target from end to end. 1024 x 1024 doubles take a sixth of the
// time so; at other distances it is up to a fifth slower.
template <class Kernel>
[[gnu::always_inline]] inline void transpose_down(std::byte* to, const std::byte* from,
                                                  const Transposition& shape) noexcept {
  constexpr index_t size = Kernel::size, side = Kernel::side, together = cache_line / size;
  // So many rows at a time; more have more pages than the processor's table.
  constexpr index_t tall = 4096 / size;
  static_assert(together % side == 0 && tall % together == 0);
  const auto patch = [&](index_t i, index_t j, index_t height, index_t width) {
    for (index_t k = i; k < i + height; k += side) {
      index_t l = j;
      for (; l + side <= j + width && k + side <= i + height; l += side) {
        Kernel::square(to + l * shape.to_stride + k * size, shape.to_stride,
                       from + k * shape.from_stride + l * size, shape.from_stride);
      }
      for (; l < j + width; ++l) {
        for (index_t m = k; m < std::min(k + side, i + height); ++m)
          std::memcpy(to + l * shape.to_stride + m * size, from + m * shape.from_stride + l * size, size);
      }
    }
  };
  for (index_t top = 0; top < shape.rows; top += tall) {
    const index_t bottom = std::min(top + tall, shape.rows);
    for (index_t j = 0; j < shape.columns; j += together) {
      const index_t width = std::min(together, shape.columns - j);
      index_t i = top;
      if (width == together)
        for (; i + together <= bottom; i += together) patch(i, j, together, together);
      for (; i < bottom; i += together) patch(i, j, std::min(together, bottom - i), width);
    }
  }
}

#if defined(__x86_64__)
[[gnu::always_inline]] inline void stream_line(std::byte* to, const std::byte* from) noexcept {
  for (index_t i = 0; i < cache_line; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
}

// For a matrix larger than the caches, if all target rows begin at a cache line. It takes as many rows at a
// time as a line has elements, and goes far along each, which the hardware prefetcher recognises.
template <class Kernel>
[[gnu::always_inline]] inline void stream_lines(std::byte* to, const std::byte* from,
                                                const Transposition& shape) noexcept {
  constexpr index_t size = Kernel::size, side = Kernel::side, rows = cache_line / size;
  alignas(cache_line) std::byte lines[static_cast<std::size_t>(side * cache_line)];
  index_t i = 0;
  for (; i + rows <= shape.rows; i += rows) {
    const std::byte* source = from + i * shape.from_stride;
    std::byte* target = to + i * size;
    index_t j = 0;
    for (; j + side <= shape.columns; j += side, source += side * size, target += side * shape.to_stride) {
      for (index_t k = 0; k < rows; k += side)
        Kernel::square(lines + k * size, cache_line, source + k * shape.from_stride, shape.from_stride);
      for (index_t k = 0; k < side; ++k) stream_line(target + k * shape.to_stride, lines + k * cache_line);
    }
    transpose_block<Kernel>(target, shape.to_stride, source, shape.from_stride, rows, shape.columns - j);
  }
  transpose_block<Kernel>(to + i * size, shape.to_stride, from + i * shape.from_stride, shape.from_stride,
                          shape.rows - i, shape.columns);
}

// The same for rows of the target that share few sets of the caches. It goes down in stripes of some lines of
// the source, so that the lines of each target row follow each other soon.
template <class Kernel>
[[gnu::always_inline]] inline void stream_stripes(std::byte* to, const std::byte* from,
                                                  const Transposition& shape) noexcept {
  constexpr index_t width = 512 / Kernel::size;
  for (index_t j = 0; j < shape.columns; j += width) {
    Transposition stripe = shape;
    stripe.columns = std::min(width, shape.columns - j);
    stream_lines<Kernel>(to + j * shape.to_stride, from + j * Kernel::size, stripe);
  }
}
#endif

// The same for target rows that begin anywhere. It first transposes into panels, whose rows are long enough to
// be streamed.
template <class Kernel>
[[gnu::always_inline]] inline void stream_panels(std::byte* to, const std::byte* from,
                                                 const Transposition& shape) noexcept {
  constexpr index_t size = Kernel::size, rows = 512 / size, columns = 256;
  constexpr index_t distance = rows * size + cache_line;  // not a power of two
  alignas(cache_line) std::byte panel[static_cast<std::size_t>(columns * distance)];
  for (index_t i = 0; i < shape.rows; i += rows) {
    const index_t height = std::min(rows, shape.rows - i);
    for (index_t j = 0; j < shape.columns; j += columns) {
      const index_t width = std::min(columns, shape.columns - j);
      transpose_block<Kernel>(panel, distance, from + i * shape.from_stride + j * size, shape.from_stride,
                              height, width);
      std::byte* target = to + j * shape.to_stride + i * size;
      const auto row = static_cast<std::size_t>(height * size);
      for (index_t k = 0; k < width; ++k, target += shape.to_stride) stream(target, panel + k * distance, row);
    }
  }
}

template <class Kernel>
[[gnu::always_inline]] inline void transpose_all(std::byte* to, const std::byte* from,
                                                 const Transposition& shape, bool streamed) noexcept {
  // Of 64 sets of lines, rows at this distance share two or one.
  const bool shares_sets = shape.to_stride % 2048 == 0;
  if (!streamed && shares_sets) return transpose_down<Kernel>(to, from, shape);
  if (!streamed)
    return transpose_block<Kernel>(to, shape.to_stride, from, shape.from_stride, shape.rows, shape.columns);
#if defined(__x86_64__)
  if (reinterpret_cast<std::uintptr_t>(to) % cache_line == 0 && shape.to_stride % cache_line == 0)
    return shares_sets ? stream_stripes<Kernel>(to, from, shape) : stream_lines<Kernel>(to, from, shape);
#endif
  stream_panels<Kernel>(to, from, shape);
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
