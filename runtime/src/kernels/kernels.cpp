// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "kernels/kernels.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <tessera/runtime/detail/with_number.hpp>

#include "base/cache_line.hpp"
#include "kernels/order.hpp"
#include "kernels/streaming.hpp"
#include "kernels/transpose.hpp"

namespace tessera::detail {
namespace {

struct CopyLoop {
  index_t count, to, from;
};

// Runs that begin and end inside a cache line cost more than streaming wins, unless they are long.
bool streams(const std::byte* to, const Strided& m, Direction direction) noexcept {
  if (m.run < 512 || m.bytes() < streamed_from(direction)) return false;
  if (m.run >= 4096) return true;
  const auto& strides = direction == Direction::local_to_remote ? m.remote_stride : m.local_stride;
  index_t bits = m.run | static_cast<index_t>(reinterpret_cast<std::uintptr_t>(to));
  for (std::size_t l = 0; l < static_cast<std::size_t>(m.levels); ++l) bits |= strides[l];
  return bits % cache_line == 0;
}

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
void loops(std::byte* to, const std::byte* from, const CopyLoop* loop, int levels, Run run) {
  if (levels == 0) return run(to, from);
  const CopyLoop here = loop[levels - 1];
  if (levels == 1) {
#pragma GCC unroll 4
    for (index_t i = 0; i < here.count; ++i, to += here.to, from += here.from) run(to, from);
    return;
  }
  for (index_t i = 0; i < here.count; ++i) loops(to + i * here.to, from + i * here.from, loop, levels - 1, run);
}

// Transposes matrices of contiguous elements: loop 0 walks the target, loop 1 the source.
void transposed(std::byte* to, const std::byte* from, const CopyLoop* loop, int levels, index_t size,
                bool streamed) {
  if (levels == 2)
    return transpose(to, from, {loop[0].count, loop[1].count, size, loop[0].from, loop[1].to}, streamed);
  const CopyLoop here = loop[levels - 1];
  for (index_t i = 0; i < here.count; ++i)
    transposed(to + i * here.to, from + i * here.from, loop, levels - 1, size, streamed);
}

// The same for elements that are not contiguous. Square tiles keep both sides in cache.
template <class Run>
void tiled(std::byte* to, const std::byte* from, const CopyLoop* loop, int levels, Run run) {
  if (levels > 2) {
    const CopyLoop here = loop[levels - 1];
    for (index_t i = 0; i < here.count; ++i)
      tiled(to + i * here.to, from + i * here.from, loop, levels - 1, run);
    return;
  }
  constexpr index_t tile = 16;
  for (index_t i = 0; i < loop[1].count; i += tile) {
    for (index_t j = 0; j < loop[0].count; j += tile) {
      const CopyLoop part[2] = {{std::min(tile, loop[0].count - j), loop[0].to, loop[0].from},
                                {std::min(tile, loop[1].count - i), loop[1].to, loop[1].from}};
      loops(to + i * loop[1].to + j * loop[0].to, from + i * loop[1].from + j * loop[0].from, part, 2, run);
    }
  }
}

template <class Run>
void copy_loops(std::byte* to, const std::byte* from, CopyLoop* loop, int levels, Run run, bool crosswise) {
  crosswise ? tiled(to, from, loop, levels, run) : loops(to, from, loop, levels, run);
}

template <class T>
T value_at(const void* pointer) noexcept {
  T copy;
  std::memcpy(&copy, pointer, sizeof copy);
  return copy;
}

void copy_contiguous(std::byte* to, const std::byte* from, index_t bytes, Direction direction) {
  const bool apart = to + bytes <= from || from + bytes <= to;
  if (apart && streams(to, Strided::contiguous(bytes), direction)) {
    stream(to, from, static_cast<std::size_t>(bytes));
    return end_stream();
  }
  if (bytes > 0) std::memmove(to, from, static_cast<std::size_t>(bytes));
}

void copy_runs(std::byte* to, const std::byte* from, const Strided& m, Direction direction, CopyLoop* loop,
               bool crosswise) {
  if (streams(to, m, direction)) {
    copy_loops(to, from, loop, m.levels, StreamedRun{static_cast<std::size_t>(m.run)}, false);
    return end_stream();
  }
  if (crosswise && can_transpose(m.run) && loop[0].to == m.run && loop[1].from == m.run) {
    constexpr index_t min_row = 256;
    const bool streamed = loop[0].count * m.run >= min_row && m.bytes() >= streamed_from(direction);
    transposed(to, from, loop, m.levels, m.run, streamed);
    return streamed ? end_stream() : void();
  }
  switch (m.run) {
    case 4:
      return copy_loops(to, from, loop, m.levels, FixedRun<4>{}, crosswise);
    case 8:
      return copy_loops(to, from, loop, m.levels, FixedRun<8>{}, crosswise);
    case 16:
      return copy_loops(to, from, loop, m.levels, FixedRun<16>{}, crosswise);
    case 32:
      return copy_loops(to, from, loop, m.levels, FixedRun<32>{}, false);
    case 64:
      return copy_loops(to, from, loop, m.levels, FixedRun<64>{}, false);
    default:
      return copy_loops(to, from, loop, m.levels, AnyRun{static_cast<std::size_t>(m.run)}, crosswise);
  }
}

CopyLoop loop_of(const Strided& m, std::size_t level, Direction direction) noexcept {
  return direction == Direction::local_to_remote
             ? CopyLoop{m.count[level], m.remote_stride[level], m.local_stride[level]}
             : CopyLoop{m.count[level], m.local_stride[level], m.remote_stride[level]};
}

// Copies runs at equal distances.
void copy_level(std::byte* to, const std::byte* from, const Strided& m, Direction direction) {
  if (m.count[0] == 0) return;
  if (m.count[0] == 1) return copy_contiguous(to, from, m.run, direction);
  if (m.remote_stride[0] == m.run && m.local_stride[0] == m.run)
    return copy_contiguous(to, from, m.run * m.count[0], direction);
  CopyLoop loop = loop_of(m, 0, direction);
  copy_runs(to, from, m, direction, &loop, false);
}

}  // namespace

void copy_strided(std::byte* to, const std::byte* from, const Strided& shape, Direction direction) {
  if (shape.levels == 0) {
    if (shape.run == 8) return FixedRun<8>{}(to, from);  // one element: the size known to the compiler
    return copy_contiguous(to, from, shape.run, direction);
  }
  if (shape.levels == 1) return copy_level(to, from, shape, direction);
  const Strided m = shape.merged();
  if (m.bytes() == 0) return;
  if (m.levels == 0) return copy_contiguous(to, from, m.run, direction);
  if (m.levels == 1) return copy_level(to, from, m, direction);
  CopyLoop loop[max_rank];
  for (int l = 0; l < m.levels; ++l) loop[l] = loop_of(m, static_cast<std::size_t>(l), direction);
  bool crosswise = false;
  if (m.levels > 1 && m.run <= 16) {
    auto smaller = [](index_t CopyLoop::*side) {
      return [side](const CopyLoop& a, const CopyLoop& b) { return std::abs(a.*side) < std::abs(b.*side); };
    };
    std::swap(loop[0], *std::min_element(loop, loop + m.levels, smaller(&CopyLoop::to)));
    CopyLoop* source = std::min_element(loop, loop + m.levels, smaller(&CopyLoop::from));
    crosswise = source != loop;
    if (crosswise) std::swap(loop[1], *source);
  }
  copy_runs(to, from, m, direction, loop, crosswise);
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
    if (update == Update::min) return lesser(old, given);
    if (update == Update::max) return greater(old, given);
  }
  if constexpr (std::is_integral_v<T>) {
    if (update == Update::bit_and) return old & given;
    if (update == Update::bit_or) return old | given;
    if (update == Update::bit_xor) return old ^ given;
  }
  return given;
}

}  // namespace

void fetch_update(ElementKind kind, Update update, void* target, const void* given, void* result) {
  with_number(kind, [&]<class T>(T) {
    const T old = value_at<T>(target), changed = updated<T>(update, old, value_at<T>(given));
    std::memcpy(target, &changed, sizeof changed);
    std::memcpy(result, &old, sizeof old);
  });
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
  return kind != ElementKind::bytes &&
         with_number(kind, [&]<class T>(T) { return value_at<T>(alpha) == T{1}; });
}

}  // namespace tessera::detail
