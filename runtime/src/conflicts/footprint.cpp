// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/footprint.hpp"

#include <cstring>

namespace tessera::detail::conflicts {
namespace {

index_t floor_of(index_t dividend, index_t divisor) noexcept {
  return dividend / divisor - static_cast<index_t>(dividend % divisor < 0);
}

// Calls f(low, high) for the parts of runs of the `levels` innermost loops that lie in a range. The loops begin
// at `low`. Stops, and returns false, when f returns false.
template <class F>
bool for_each_run(const Footprint& shape, int levels, index_t low, const ByteRange& in, F&& f) {
  if (levels == 0) {
    const ByteRange part{std::max(low, in.low), std::min(low + shape.run, in.high)};
    return part.low >= part.high || f(part);
  }
  const auto outer = static_cast<std::size_t>(levels - 1);
  const index_t stride = shape.stride[outer], inner = shape.extent(levels - 1);
  const index_t first = std::max<index_t>(0, floor_of(in.low - low - inner, stride) + 1);
  const index_t last = std::min(shape.count[outer] - 1, floor_of(in.high - 1 - low, stride));
  for (index_t i = first; i <= last; ++i) {
    if (!for_each_run(shape, levels - 1, low + i * stride, in, f)) return false;
  }
  return true;
}

// The runs of the shape with fewer runs are looked up in the other.
template <class F>
void for_each_common_run(const Footprint& a, const Footprint& b, F&& f) {
  const bool a_is_smaller = a.runs() <= b.runs();
  const Footprint &few = a_is_smaller ? a : b, &many = a_is_smaller ? b : a;
  for_each_run(few, few.levels, few.low, many.bounds(),
               [&](const ByteRange& run) { return for_each_run(many, many.levels, many.low, run, f); });
}

}  // namespace

index_t Footprint::runs() const noexcept {
  index_t product = 1;
  for (std::size_t l = 0; l < static_cast<std::size_t>(levels); ++l) product *= count[l];
  return product;
}

Footprint footprint_of(const ByteRange& range) noexcept {
  Footprint print;
  print.low = range.low;
  print.run = range.high - range.low;
  return print;
}

Footprint footprint_of(const Strided& shape, const Footprint::Loops& strides, index_t offset) noexcept {
  Footprint print;
  print.low = offset;
  print.run = shape.run;
  std::array<std::pair<index_t, index_t>, static_cast<std::size_t>(max_rank)> loops;  // stride, count
  std::size_t kept = 0;
  for (std::size_t l = 0; l < static_cast<std::size_t>(shape.levels); ++l) {
    index_t stride = strides[l];
    if (shape.count[l] <= 1 || stride == 0) continue;
    if (stride < 0) {
      print.low += (shape.count[l] - 1) * stride;
      stride = -stride;
    }
    // Sorted as they come (std::sort on so few elements makes GCC 12 warn of a bound that it invents).
    const std::pair loop{stride, shape.count[l]};
    std::size_t place = kept++;
    for (; place > 0 && loop < loops[place - 1]; --place) loops[place] = loops[place - 1];
    loops[place] = loop;
  }
  for (std::size_t l = 0; l < kept; ++l) {
    const auto [stride, count] = loops[l];
    if (print.levels == 0 && stride == print.run) {
      print.run *= count;
      continue;
    }
    print.stride[static_cast<std::size_t>(print.levels)] = stride;
    print.count[static_cast<std::size_t>(print.levels++)] = count;
  }
  return print;
}

void for_each_run(const Footprint& shape, const std::function<bool(const ByteRange&)>& f) {
  for_each_run(shape, shape.levels, shape.low, shape.bounds(), f);
}

std::uint64_t hash_of(const Footprint& where, const std::byte* slice) noexcept {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = 0;
  for_each_run(where, where.levels, where.low, where.bounds(), [&](const ByteRange& run) {
    for (index_t at = run.low; at < run.high; at += index_t{sizeof(std::uint64_t)}) {
      std::uint64_t word = 0;
      std::memcpy(&word, slice + at, static_cast<std::size_t>(std::min(index_t{sizeof word}, run.high - at)));
      hash = (hash ^ word) * odd;
      hash ^= hash >> 32;
    }
    return true;
  });
  return hash;
}

bool intersect(const Footprint& a, const Footprint& b) {
  bool found = false;
  for_each_common_run(a, b, [&](const ByteRange&) { return found = true, false; });
  return found;
}

std::vector<ByteRange> common_runs(const Footprint& a, const Footprint& b, std::size_t most) {
  std::vector<ByteRange> runs;
  for_each_common_run(a, b, [&](const ByteRange& run) {
    runs.push_back(run);
    return runs.size() < most;
  });
  std::sort(runs.begin(), runs.end());
  return runs;
}

}  // namespace tessera::detail::conflicts
