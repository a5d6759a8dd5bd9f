// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas/rank_update.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tessera::linalg::blas {

#if defined(__x86_64__)
namespace {

// What happens to the old c: it is overwritten (past the caches or not), added to, or scaled and added to.
enum class Old { streamed_over, written_over, kept, scaled };

// Computes a tile of c from packed panels of a (k times `rows` elements) and b (k times `columns`). The sums
// stay in registers until they are complete. Only they are multiplied by alpha, as a factor times alpha may be
// out of range.
template <class T>
struct Tile {
  using Compute = void (*)(const T* a, const T* b, index_t k, T alpha, Old old, T beta, T* c, index_t stride);
  Compute compute;
  index_t rows, columns;
};

constexpr index_t line = 64, vectors = 3, max_rows = vectors * line / 4, max_columns = 8;

// Does `what` for each vector of sums. The loops are unrolled so that the sums stay in registers.
#define TESSERA_EACH(what)                                          \
  _Pragma("GCC unroll 8") for (index_t j = 0; j < columns; ++j) {   \
    _Pragma("GCC unroll 3") for (index_t i = 0; i < vectors; ++i) { \
      [[maybe_unused]] T* const to = c + j * stride + i * lanes;    \
      what;                                                         \
    }                                                               \
  }
#define TESSERA_TILE(name, isa, bytes, width, stream)                                                        \
  template <class T>                                                                                         \
  __attribute__((target(isa))) void name(const T* a, const T* b, index_t k, T alpha, Old old, T beta, T* c,  \
                                         index_t stride) {                                                   \
    typedef T Vector __attribute__((vector_size(bytes)));                                                    \
    typedef T Unaligned __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));                 \
    constexpr index_t lanes = (bytes) / static_cast<index_t>(sizeof(T)), columns = width;                    \
    Vector sum[columns][vectors] = {};                                                                       \
    if (old >= Old::kept) TESSERA_EACH(__builtin_prefetch(to, 1))                                            \
    for (; k > 0; --k, a += vectors * lanes, b += columns) {                                                 \
      Vector left[vectors];                                                                                  \
      for (index_t i = 0; i < vectors; ++i) left[i] = *reinterpret_cast<const Unaligned*>(a + i * lanes);    \
      for (index_t j = 0; j < columns; ++j) {                                                                \
        for (index_t i = 0; i < vectors; ++i) sum[j][i] += left[i] * b[j];                                   \
      }                                                                                                      \
    }                                                                                                        \
    TESSERA_EACH(sum[j][i] *= alpha)                                                                         \
    if (old == Old::streamed_over) TESSERA_EACH(stream)                                                      \
    if (old == Old::written_over) TESSERA_EACH(*reinterpret_cast<Unaligned*>(to) = sum[j][i])                \
    if (old == Old::kept) TESSERA_EACH(*reinterpret_cast<Unaligned*>(to) += sum[j][i])                       \
    if (old == Old::scaled)                                                                                  \
      TESSERA_EACH(*reinterpret_cast<Unaligned*>(to) = *reinterpret_cast<Unaligned*>(to) * beta + sum[j][i]) \
  }
TESSERA_TILE(tile_avx512, "avx512f", 64, 8,
             _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(sum[j][i])))
TESSERA_TILE(tile_avx2, "avx2,fma", 32, 4,
             _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(sum[j][i])))
#undef TESSERA_TILE
#undef TESSERA_EACH

template <class T>
Tile<T> best_tile(index_t widest) {
  constexpr index_t size = sizeof(T);
  if (widest >= 64 && __builtin_cpu_supports("avx512f")) return {tile_avx512<T>, vectors * 64 / size, 8};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {tile_avx2<T>, vectors * 32 / size, 4};
  return {};
}

// Packs panels of `height` rows: for each inner index, `height` consecutive elements. The last panel is filled
// up with zeros.
template <class T>
void pack(const Panel<const T>& from, index_t outer, index_t k, index_t height, T* to) {
  for (index_t begin = 0; begin < outer; begin += height, to += height * k) {
    const index_t count = std::min(height, outer - begin);
    const Panel<const T> part = from.from(begin, 0);
    if (count < height) std::fill(to, to + height * k, T{});
    // The inner loop runs along contiguous elements.
    if (from.row_stride == 1) {
      for (index_t l = 0; l < k; ++l) {
        for (index_t i = 0; i < count; ++i) to[l * height + i] = part.data[i + l * part.column_stride];
      }
    } else {
      for (index_t i = 0; i < count; ++i) {
        for (index_t l = 0; l < k; ++l) to[l * height + i] = part.at(i, l);
      }
    }
  }
}

constexpr index_t round_up(index_t count, index_t to) { return (count + to - 1) / to * to; }

// So many bytes of a stay in the second-level cache; so many of b are read with each block of a.
constexpr index_t left_bytes = index_t{128} << 10, right_bytes = index_t{512} << 10;
// If c has so many bytes, its cache lines are written past the caches.
constexpr index_t streamed_from = index_t{8} << 20;

template <class T>
class Update {
 public:
  Update(const Tile<T>& tile, index_t k, T alpha, Old old, T beta, const Panel<T>& c)
      : tile_(tile), k_(k), alpha_(alpha), old_(old), beta_(beta), c_(c) {}

  void block(const T* a, index_t row, index_t rows, const T* b, index_t column, index_t columns) const {
    for (index_t j = 0; j < columns; j += tile_.columns) {
      for (index_t i = 0; i < rows; i += tile_.rows) {
        T* to = c_.data + row + i + (column + j) * c_.column_stride;
        const index_t height = std::min(tile_.rows, rows - i), width = std::min(tile_.columns, columns - j);
        if (height == tile_.rows && width == tile_.columns)
          tile_.compute(a + i * k_, b + j * k_, k_, alpha_, old_, beta_, to, c_.column_stride);
        else
          border(a + i * k_, b + j * k_, to, height, width);
      }
    }
  }

 private:
  // A tile that is partly outside c.
  void border(const T* a, const T* b, T* c, index_t height, index_t width) const {
    alignas(line) std::array<T, max_rows * max_columns> whole;
    tile_.compute(a, b, k_, alpha_, Old::written_over, T{}, whole.data(), tile_.rows);
    const T old = old_ == Old::kept ? T{1} : beta_;
    for (index_t j = 0; j < width; ++j) {
      const T* const sums = whole.data() + j * tile_.rows;
      T* const to = c + j * c_.column_stride;
      for (index_t i = 0; i < height; ++i) to[i] = old_ < Old::kept ? sums[i] : sums[i] + old * to[i];
    }
  }

  const Tile<T>& tile_;
  index_t k_;
  T alpha_;
  Old old_;
  T beta_;
  Panel<T> c_;
};

}  // namespace

template <class T>
bool rank_update(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, const Panel<const T>& b,
                 T beta, const Panel<T>& c, index_t widest) {
  const Tile<T> tile = best_tile<T>(widest);
  constexpr index_t size = sizeof(T);
  if (tile.compute == nullptr) return false;
  if (c.row_stride != 1) {
    if (c.column_stride != 1) return false;
    return rank_update(n, m, k, alpha, b.transposed(), a.transposed(), beta, c.transposed(), widest);
  }
  if (k == 0 || alpha == T{0}) k = 0, alpha = T{0};  // as in BLAS, a and b are not read then
  const index_t row_bytes = std::max<index_t>(k, 1) * size;
  const bool in_lines =
      reinterpret_cast<std::uintptr_t>(c.data) % line == 0 && c.column_stride * size % line == 0;
  const Old old = beta == T{1}                                ? Old::kept
                  : beta != T{0}                              ? Old::scaled
                  : in_lines && m * n * size >= streamed_from ? Old::streamed_over
                                                              : Old::written_over;
  const index_t rows = std::max(tile.rows, left_bytes / row_bytes / tile.rows * tile.rows);
  const index_t columns = std::max(tile.columns, right_bytes / row_bytes / tile.columns * tile.columns);
  const index_t left_size = round_up(std::min(m, rows), tile.rows) * k;
  const auto elements = static_cast<std::size_t>(left_size + round_up(std::min(n, columns), tile.columns) * k);
  // Kept between calls: at most the size of both blocks.
  thread_local std::vector<T> memory;
  if (memory.size() < elements) memory.resize(elements);
  T *const left = memory.data(), *const right = left + left_size;
  const Update<T> update(tile, k, alpha, old, beta, c);
  for (index_t column = 0; column < n; column += columns) {
    const index_t some_columns = std::min(columns, n - column);
    pack<T>(b.from(0, column).transposed(), some_columns, k, tile.columns, right);
    for (index_t row = 0; row < m; row += rows) {
      const index_t some_rows = std::min(rows, m - row);
      pack<T>(a.from(row, 0), some_rows, k, tile.rows, left);
      update.block(left, row, some_rows, right, column, some_columns);
    }
  }
  if (old == Old::streamed_over) _mm_sfence();
  return true;
}

#else
template <class T>
bool rank_update(index_t, index_t, index_t, T, const Panel<const T>&, const Panel<const T>&, T, const Panel<T>&,
                 index_t) {
  return false;
}
#endif

#define TESSERA_DEFINE(T)                                                                                     \
  template bool rank_update<T>(index_t, index_t, index_t, T, const Panel<const T>&, const Panel<const T>&, T, \
                               const Panel<T>&, index_t);
TESSERA_DEFINE(float)
TESSERA_DEFINE(double)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::blas
