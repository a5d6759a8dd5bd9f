// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/streaming.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/cache_line.hpp"

namespace tessera::detail {

#if defined(__x86_64__)
namespace {

constexpr std::size_t line = cache_line;

// Copy whole cache lines to a target that begins at a line. Prefetching the source gained nothing: the hardware
// prefetcher sees the pattern.
__attribute__((target("avx512f"))) void stream_avx512(std::byte* to, const std::byte* from,
                                                      std::size_t lines) noexcept {
  for (; lines > 0; --lines, to += line, from += line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}
__attribute__((target("avx"))) void stream_avx(std::byte* to, const std::byte* from,
                                               std::size_t lines) noexcept {
  for (lines *= 2; lines > 0; --lines, to += 32, from += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
}
void stream_sse2(std::byte* to, const std::byte* from, std::size_t lines) noexcept {
  for (lines *= 4; lines > 0; --lines, to += 16, from += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

}  // namespace

void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  static const auto widest = __builtin_cpu_supports("avx512f") ? stream_avx512
                             : __builtin_cpu_supports("avx")   ? stream_avx
                                                               : stream_sse2;
  const std::size_t head = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(to) % line) % line);
  std::memcpy(to, from, head);
  const std::size_t lines = (bytes - head) / line, done = head + lines * line;
  widest(to + head, from + head, lines);
  std::memcpy(to + done, from + done, bytes - done);
}

void end_stream() noexcept { _mm_sfence(); }

index_t streamed_from(Direction direction) noexcept {
  static const index_t cache = std::max<index_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), index_t{1} << 20);
  return direction == Direction::local_to_remote ? 8 * cache : 16 * cache;
}
#else
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }
void end_stream() noexcept {}
index_t streamed_from(Direction) noexcept { return std::numeric_limits<index_t>::max(); }
#endif

}  // namespace tessera::detail
