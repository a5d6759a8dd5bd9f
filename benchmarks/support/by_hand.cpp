// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "by_hand.hpp"

#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <tessera/runtime/error.hpp>

#include "sizes.hpp"

namespace tessera::benchmark {
namespace {

constexpr index_t line = 64;

#if defined(__x86_64__)
// Copies whole cache lines; `to` begins at a line.
__attribute__((target("avx512f"))) void stream_lines_avx512(std::byte* to, const std::byte* from,
                                                            index_t lines) {
  for (index_t i = 0; i < lines; ++i, to += line, from += line) {
    const __m512i value = _mm512_loadu_si512(from);
    _mm512_stream_si512(static_cast<__m512i*>(static_cast<void*>(to)), value);
  }
}

__attribute__((target("avx2"))) void stream_lines_avx2(std::byte* to, const std::byte* from, index_t lines) {
  for (index_t i = 0; i < 2 * lines; ++i, to += line / 2, from += line / 2) {
    const __m256i value = _mm256_loadu_si256(static_cast<const __m256i*>(static_cast<const void*>(from)));
    _mm256_stream_si256(static_cast<__m256i*>(static_cast<void*>(to)), value);
  }
}

void stream_lines_sse2(std::byte* to, const std::byte* from, index_t lines) {
  for (index_t i = 0; i < 4 * lines; ++i, to += line / 4, from += line / 4) {
    const __m128i value = _mm_loadu_si128(static_cast<const __m128i*>(static_cast<const void*>(from)));
    _mm_stream_si128(static_cast<__m128i*>(static_cast<void*>(to)), value);
  }
}

void stream_lines(std::byte* to, const std::byte* from, index_t lines) {
  static const auto widest = __builtin_cpu_supports("avx512f") ? stream_lines_avx512
                             : __builtin_cpu_supports("avx2")  ? stream_lines_avx2
                                                               : stream_lines_sse2;
  widest(to, from, lines);
}

void end_of_stream() { _mm_sfence(); }
#else
void stream_lines(std::byte* to, const std::byte* from, index_t lines) {
  std::memcpy(to, from, static_cast<std::size_t>(lines * line));
}
void end_of_stream() {}
#endif

void copy_bytes(std::byte* to, const std::byte* from, index_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void stream_row(std::byte* to, const std::byte* from, index_t bytes) {
  const index_t past_a_line = static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to) % line);
  const index_t head = std::min(bytes, (line - past_a_line) % line), lines = (bytes - head) / line;
  copy_bytes(to, from, head);
  stream_lines(to + head, from + head, lines);
  const index_t done = head + lines * line;
  copy_bytes(to + done, from + done, bytes - done);
}

}  // namespace

void copy_rows(void* to, const void* from, const Rows& rows) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (index_t i = 0; i < rows.count; ++i)
    copy_bytes(target + i * rows.to_stride, source + i * rows.from_stride, rows.bytes);
}

void stream_rows(void* to, const void* from, const Rows& rows) {
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  for (index_t i = 0; i < rows.count; ++i)
    stream_row(target + i * rows.to_stride, source + i * rows.from_stride, rows.bytes);
  end_of_stream();
}

Reference fastest_copy(const Group& group, void* to, const void* from, const Rows& rows) {
  const Routine plain = repeat([=] { copy_rows(to, from, rows); });
  const Routine streaming = repeat([=] { stream_rows(to, from, rows); });
  const Measurement trial = Meter(group, {.pairs = 7}).compare(plain, streaming, Clock::origin);
  return {"the faster copy by hand", trial.ratio->value >= 1.0 ? plain : streaming};
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
void add(double* __restrict y, const double* __restrict x, index_t n) {
  for (index_t i = 0; i < n; ++i) y[i] += x[i];
}

void add_rows(double* y, const double* x, const Rows& rows) {
  for (index_t i = 0; i < rows.count; ++i)
    add(y + i * (rows.to_stride / element), x + i * (rows.from_stride / element), rows.bytes / element);
}

void reserve_and_release(index_t bytes) {
  const int file = memfd_create("benchmark", MFD_CLOEXEC);
  if (file < 0) throw Error("memfd_create failed");
  const int problem = posix_fallocate(file, 0, bytes);
  close(file);
  if (problem != 0) throw Error("posix_fallocate of " + format_bytes(bytes) + ": " + std::strerror(problem));
}

}  // namespace tessera::benchmark
