// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <unistd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// One binary for all x86-64 machines: the loader picks the widest vectors that the processor has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TESSERA_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESSERA_VECTORISED
#endif

namespace tessera::detail {
namespace {

struct Loop {
  index_t count, to, from;
};

#if defined(__SSE2__)
// Non-temporal stores do not read the target first, and leave the caches to what fits them.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const std::size_t head = std::min(bytes, (64 - reinterpret_cast<std::uintptr_t>(to) % 64) % 64);
  std::memcpy(to, from, head);
  to += head, from += head, bytes -= head;
  for (; bytes >= 64; to += 64, from += 64, bytes -= 64) {
    _mm_prefetch(from + 1024, _MM_HINT_T0);
    for (std::size_t i = 0; i < 64; i += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    }
  }
  std::memcpy(to, from, bytes);
}

// From which size on a copy is streamed. Measured (docs/performance.md): what goes to others, from the size of the
// second-level cache on; what the caller will read, only where it would not stay in any cache.
index_t streamed_from(Direction direction) noexcept {
  static const index_t cache = std::max<index_t>(sysconf(_SC_LEVEL2_CACHE_SIZE), index_t{1} << 20);
  return direction == Direction::local_to_remote ? cache : 16 * cache;
}

// Runs that begin and end inside a cache line cost more than streaming wins, unless they are long.
bool streams(const Strided& m, Direction direction) noexcept {
  return m.run >= 4096 && m.bytes() >= streamed_from(direction);
}

void end_stream() noexcept { _mm_sfence(); }
#else
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }
bool streams(const Strided&, Direction) noexcept { return false; }
void end_stream() noexcept {}
#endif

struct StreamedRun {
  std::size_t run;
  void operator()(std::byte* to, const std::byte* from) const noexcept { stream(to, from, run); }
};

template <std::size_t run>
struct FixedRun {
  void operator()(std::byte* to, const std::byte* from) const noexcept { std::memcpy(to, from, run); }
};
struct AnyRun {
  std::size_t run;
  void operator()(std::byte* to, const std::byte* from) const noexcept { std::memcpy(to, from, run); }
};

template <class Run>
void loops(std::byte* to, const std::byte* from, const Loop* loop, int levels, Run run) {
  if (levels == 0) return run(to, from);
  const Loop here = loop[levels - 1];
  if (levels == 1) {
    for (index_t i = 0; i < here.count; ++i) run(to + i * here.to, from + i * here.from);
    return;
  }
  for (index_t i = 0; i < here.count; ++i) loops(to + i * here.to, from + i * here.from, loop, levels - 1, run);
}

// A transposition: loop 0 walks the target, loop 1 the source. Square tiles keep both in cache.
template <class Run>
void tiled(std::byte* to, const std::byte* from, const Loop* loop, int levels, Run run) {
  if (levels > 2) {
    const Loop here = loop[levels - 1];
    for (index_t i = 0; i < here.count; ++i)
      tiled(to + i * here.to, from + i * here.from, loop, levels - 1, run);
    return;
  }
  constexpr index_t tile = 16;
  for (index_t i = 0; i < loop[1].count; i += tile) {
    for (index_t j = 0; j < loop[0].count; j += tile) {
      const Loop part[2] = {{std::min(tile, loop[0].count - j), loop[0].to, loop[0].from},
                            {std::min(tile, loop[1].count - i), loop[1].to, loop[1].from}};
      loops(to + i * loop[1].to + j * loop[0].to, from + i * loop[1].from + j * loop[0].from, part, 2, run);
    }
  }
}

template <class Run>
void copy_loops(std::byte* to, const std::byte* from, Loop* loop, int levels, Run run, bool transposed) {
  transposed ? tiled(to, from, loop, levels, run) : loops(to, from, loop, levels, run);
}

#define TESSERA_REAL_KERNELS(T, add, add_scaled_, scale_)                                       \
  TESSERA_VECTORISED void add(T* __restrict y, const T* __restrict x, index_t n) {              \
    for (index_t i = 0; i < n; ++i) y[i] = static_cast<T>(y[i] + x[i]);                         \
  }                                                                                             \
  TESSERA_VECTORISED void add_scaled_(T* __restrict y, const T* __restrict x, index_t n, T a) { \
    for (index_t i = 0; i < n; ++i) y[i] = static_cast<T>(y[i] + a * x[i]);                     \
  }                                                                                             \
  TESSERA_VECTORISED void scale_(T* y, index_t n, T a) {                                        \
    for (index_t i = 0; i < n; ++i) y[i] = static_cast<T>(a * y[i]);                            \
  }

// Unsigned, so that an integer that overflows wraps instead of being undefined.
TESSERA_REAL_KERNELS(std::uint32_t, add_i32, add_scaled_i32, scale_i32)
TESSERA_REAL_KERNELS(std::uint64_t, add_i64, add_scaled_i64, scale_i64)
TESSERA_REAL_KERNELS(float, add_f32, add_scaled_f32, scale_f32)
TESSERA_REAL_KERNELS(double, add_f64, add_scaled_f64, scale_f64)

#define TESSERA_ORDER_KERNELS(T, min_, max_)                                   \
  TESSERA_VECTORISED void min_(T* __restrict y, const T* __restrict x, index_t n) { \
    for (index_t i = 0; i < n; ++i) y[i] = x[i] < y[i] ? x[i] : y[i];               \
  }                                                                                 \
  TESSERA_VECTORISED void max_(T* __restrict y, const T* __restrict x, index_t n) { \
    for (index_t i = 0; i < n; ++i) y[i] = y[i] < x[i] ? x[i] : y[i];               \
  }

TESSERA_ORDER_KERNELS(std::int32_t, min_i32, max_i32)
TESSERA_ORDER_KERNELS(std::int64_t, min_i64, max_i64)
TESSERA_ORDER_KERNELS(float, min_f32, max_f32)
TESSERA_ORDER_KERNELS(double, min_f64, max_f64)

#define TESSERA_COMPLEX_KERNELS(T, add_scaled_, scale_)                                                \
  TESSERA_VECTORISED void add_scaled_(T* __restrict y, const T* __restrict x, index_t n, T re, T im) { \
    for (index_t i = 0; i < n; ++i) {                                                                  \
      y[2 * i] += re * x[2 * i] - im * x[2 * i + 1];                                                   \
      y[2 * i + 1] += re * x[2 * i + 1] + im * x[2 * i];                                               \
    }                                                                                                  \
  }                                                                                                    \
  TESSERA_VECTORISED void scale_(T* y, index_t n, T re, T im) {                                        \
    for (index_t i = 0; i < n; ++i) {                                                                  \
      const T real = y[2 * i], imag = y[2 * i + 1];                                                    \
      y[2 * i] = re * real - im * imag;                                                                \
      y[2 * i + 1] = re * imag + im * real;                                                            \
    }                                                                                                  \
  }

TESSERA_COMPLEX_KERNELS(float, add_scaled_c64, scale_c64)
TESSERA_COMPLEX_KERNELS(double, add_scaled_c128, scale_c128)

// A factor of one is common enough (most accumulates) to save the multiplication.
template <class T, class Add, class AddScaled>
void add_real(void* y, const void* x, index_t n, T alpha, Add add, AddScaled scaled) {
  alpha == T{1} ? add(static_cast<T*>(y), static_cast<const T*>(x), n)
                : scaled(static_cast<T*>(y), static_cast<const T*>(x), n, alpha);
}

template <class T, class Add, class AddScaled, class AddComplex>
void add_complex(void* y, const void* x, index_t n, const T* alpha, Add add, AddScaled scaled,
                 AddComplex full) {
  alpha[1] == T{0} ? add_real(y, x, 2 * n, alpha[0], add, scaled)
                   : full(static_cast<T*>(y), static_cast<const T*>(x), n, alpha[0], alpha[1]);
}

template <class T>
T value(const void* pointer) noexcept {
  T copy;
  std::memcpy(&copy, pointer, sizeof copy);
  return copy;
}

// Calls f with a value of the arithmetic type of the kind; integers as unsigned, which wrap.
template <class F>
void with_arithmetic(ElementKind kind, F&& f) {
  switch (kind) {
    case ElementKind::int32:
      return f(std::uint32_t{});
    case ElementKind::int64:
      return f(std::uint64_t{});
    case ElementKind::float32:
      return f(float{});
    case ElementKind::float64:
      return f(double{});
    case ElementKind::complex64:
      return f(std::complex<float>{});
    case ElementKind::complex128:
      return f(std::complex<double>{});
    case ElementKind::bytes:
      return;
  }
}

void copy_contiguous(std::byte* to, const std::byte* from, index_t bytes, Direction direction) {
  const bool apart = to + bytes <= from || from + bytes <= to;
  if (apart && streams(Strided::contiguous(bytes), direction)) {
    stream(to, from, static_cast<std::size_t>(bytes));
    return end_stream();
  }
  if (bytes > 0) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

}  // namespace

void copy_strided(std::byte* to, const std::byte* from, const Strided& shape, Direction direction) {
  const bool put = direction == Direction::local_to_remote;
  if (shape.levels == 0) {
    if (shape.run == 8) return FixedRun<8>{}(to, from);  // one element: the size known to the compiler
    return copy_contiguous(to, from, shape.run, direction);
  }
  const Strided m = shape.merged();
  if (m.bytes() == 0) return;
  if (m.levels == 0) return copy_contiguous(to, from, m.run, direction);
  Loop loop[max_rank];
  for (int l = 0; l < m.levels; ++l) {
    const auto i = static_cast<std::size_t>(l);
    loop[l] = put ? Loop{m.count[i], m.remote_stride[i], m.local_stride[i]}
                  : Loop{m.count[i], m.local_stride[i], m.remote_stride[i]};
  }
  bool transposed = false;
  if (m.levels > 1 && m.run <= 16) {
    auto smaller = [](index_t Loop::*side) {
      return [side](const Loop& a, const Loop& b) { return std::abs(a.*side) < std::abs(b.*side); };
    };
    std::swap(loop[0], *std::min_element(loop, loop + m.levels, smaller(&Loop::to)));
    Loop* source = std::min_element(loop, loop + m.levels, smaller(&Loop::from));
    transposed = source != loop;
    if (transposed) std::swap(loop[1], *source);
  }
  if (streams(m, direction)) {
    copy_loops(to, from, loop, m.levels, StreamedRun{static_cast<std::size_t>(m.run)}, false);
    return end_stream();
  }
  switch (m.run) {
    case 4:
      return copy_loops(to, from, loop, m.levels, FixedRun<4>{}, transposed);
    case 8:
      return copy_loops(to, from, loop, m.levels, FixedRun<8>{}, transposed);
    case 16:
      return copy_loops(to, from, loop, m.levels, FixedRun<16>{}, transposed);
    case 32:
      return copy_loops(to, from, loop, m.levels, FixedRun<32>{}, false);
    case 64:
      return copy_loops(to, from, loop, m.levels, FixedRun<64>{}, false);
    default:
      return copy_loops(to, from, loop, m.levels, AnyRun{static_cast<std::size_t>(m.run)}, transposed);
  }
}

void add_scaled(ElementKind kind, void* y, const void* x, index_t n, const void* alpha) {
  switch (kind) {
    case ElementKind::int32:
      return add_real(y, x, n, value<std::uint32_t>(alpha), add_i32, add_scaled_i32);
    case ElementKind::int64:
      return add_real(y, x, n, value<std::uint64_t>(alpha), add_i64, add_scaled_i64);
    case ElementKind::float32:
      return add_real(y, x, n, value<float>(alpha), add_f32, add_scaled_f32);
    case ElementKind::float64:
      return add_real(y, x, n, value<double>(alpha), add_f64, add_scaled_f64);
    case ElementKind::complex64:
      return add_complex(y, x, n, static_cast<const float*>(alpha), add_f32, add_scaled_f32, add_scaled_c64);
    case ElementKind::complex128:
      return add_complex(y, x, n, static_cast<const double*>(alpha), add_f64, add_scaled_f64, add_scaled_c128);
    case ElementKind::bytes:
      return;
  }
}

void scale(ElementKind kind, void* y, index_t n, const void* alpha) {
  const auto* f = static_cast<const float*>(alpha);
  const auto* d = static_cast<const double*>(alpha);
  switch (kind) {
    case ElementKind::int32:
      return scale_i32(static_cast<std::uint32_t*>(y), n, value<std::uint32_t>(alpha));
    case ElementKind::int64:
      return scale_i64(static_cast<std::uint64_t*>(y), n, value<std::uint64_t>(alpha));
    case ElementKind::float32:
      return scale_f32(static_cast<float*>(y), n, *f);
    case ElementKind::float64:
      return scale_f64(static_cast<double*>(y), n, *d);
    case ElementKind::complex64:
      return scale_c64(static_cast<float*>(y), n, f[0], f[1]);
    case ElementKind::complex128:
      return scale_c128(static_cast<double*>(y), n, d[0], d[1]);
    case ElementKind::bytes:
      return;
  }
}

void update_all(ElementKind kind, Update update, void* y, const void* x, index_t n) {
  const bool least = update == Update::min;
  switch (kind) {
    case ElementKind::int32:
      return (least ? min_i32 : max_i32)(static_cast<std::int32_t*>(y), static_cast<const std::int32_t*>(x), n);
    case ElementKind::int64:
      return (least ? min_i64 : max_i64)(static_cast<std::int64_t*>(y), static_cast<const std::int64_t*>(x), n);
    case ElementKind::float32:
      return (least ? min_f32 : max_f32)(static_cast<float*>(y), static_cast<const float*>(x), n);
    case ElementKind::float64:
      return (least ? min_f64 : max_f64)(static_cast<double*>(y), static_cast<const double*>(x), n);
    default:
      return;
  }
}

namespace {

template <class T>
T updated(Update update, T old, T given) noexcept {
  if (update == Update::sum) {
    if constexpr (std::is_integral_v<T>) {
      T sum;
      __builtin_add_overflow(old, given, &sum);  // wraps
      return sum;
    } else {
      return old + given;
    }
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (update == Update::min) return std::min(old, given);
    if (update == Update::max) return std::max(old, given);
  }
  if constexpr (std::is_integral_v<T>) {
    if (update == Update::bit_and) return old & given;
    if (update == Update::bit_or) return old | given;
    if (update == Update::bit_xor) return old ^ given;
  }
  return given;
}

template <class T>
void fetch_update_of(Update update, void* target, const void* given, void* result) noexcept {
  const T old = value<T>(target), changed = updated<T>(update, old, value<T>(given));
  std::memcpy(target, &changed, sizeof changed);
  std::memcpy(result, &old, sizeof old);
}

}  // namespace

void fetch_update(ElementKind kind, Update update, void* target, const void* given, void* result) {
  switch (kind) {
    case ElementKind::int32:
      return fetch_update_of<std::int32_t>(update, target, given, result);
    case ElementKind::int64:
      return fetch_update_of<std::int64_t>(update, target, given, result);
    case ElementKind::float32:
      return fetch_update_of<float>(update, target, given, result);
    case ElementKind::float64:
      return fetch_update_of<double>(update, target, given, result);
    case ElementKind::complex64:
      return fetch_update_of<std::complex<float>>(update, target, given, result);
    case ElementKind::complex128:
      return fetch_update_of<std::complex<double>>(update, target, given, result);
    case ElementKind::bytes:
      return;
  }
}

const void* one(ElementKind kind) noexcept {
  static constexpr std::int32_t i32 = 1;
  static constexpr std::int64_t i64 = 1;
  static constexpr float f32[] = {1, 0};
  static constexpr double f64[] = {1, 0};
  switch (kind) {
    case ElementKind::int32:
      return &i32;
    case ElementKind::int64:
      return &i64;
    case ElementKind::float32:
    case ElementKind::complex64:
      return f32;
    case ElementKind::float64:
    case ElementKind::complex128:
      return f64;
    case ElementKind::bytes:
      break;
  }
  return nullptr;
}

bool is_one(ElementKind kind, const void* alpha) {
  bool one = false;
  with_arithmetic(kind, [&]<class T>(T) { one = value<T>(alpha) == T{1}; });
  return one;
}

}  // namespace tessera::detail
