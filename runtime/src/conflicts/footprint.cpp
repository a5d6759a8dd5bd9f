// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/footprint.hpp"

#include <cstring>
#include <iterator>

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

bool touches(const Footprint& shape, const ByteRange& in) {
  return !for_each_run(shape, shape.levels, shape.low, in, [](const ByteRange&) { return false; });
}

// Those of `all` that lie in a range.
struct Selection {
  std::span<const ByteRange> ranges;
  std::vector<const Footprint*> shapes;
  bool is_empty() const noexcept { return ranges.empty() && shapes.empty(); }
};
Selection selection_of(const Selection& all, const ByteRange& in) {
  Selection selection;
  const auto first = std::partition_point(all.ranges.begin(), all.ranges.end(),
                                          [&](const ByteRange& one) { return one.high <= in.low; });
  const auto last =
      std::partition_point(first, all.ranges.end(), [&](const ByteRange& one) { return one.low < in.high; });
  selection.ranges = {first, last};
  std::copy_if(all.shapes.begin(), all.shapes.end(), std::back_inserter(selection.shapes),
               [&](const Footprint* one) { return touches(*one, in); });
  return selection;
}
Selection selection_of(const Places& all, const ByteRange& in) {
  Selection selection{all.ranges, {}};
  for (const Footprint& shape : all.shapes) selection.shapes.push_back(&shape);
  return selection_of(selection, in);
}

// The runs of the shapes in a range, or one more than `most` if there are more.
std::size_t runs_of_shapes(const Selection& selection, const ByteRange& in, std::size_t most) {
  std::size_t runs = 0;
  for (const Footprint* shape : selection.shapes) {
    for_each_run(*shape, shape->levels, shape->low, in, [&](const ByteRange&) { return ++runs <= most; });
    if (runs > most) break;
  }
  return runs;
}

// All runs in a range, ascending. Those that meet are one.
std::vector<ByteRange> runs_of(const Selection& selection, const ByteRange& in) {
  std::vector<ByteRange> runs;
  for (const ByteRange& one : selection.ranges)
    runs.push_back({std::max(one.low, in.low), std::min(one.high, in.high)});
  if (selection.shapes.empty()) return runs;
  for (const Footprint* shape : selection.shapes) {
    for_each_run(*shape, shape->levels, shape->low, in,
                 [&](const ByteRange& run) { return runs.push_back(run), true; });
  }
  unite(runs);
  return runs;
}

void add_common(const std::vector<ByteRange>& a, const std::vector<ByteRange>& b, std::size_t most,
                std::vector<ByteRange>& where) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    const ByteRange both{std::max(x->low, y->low), std::min(x->high, y->high)};
    x->high < y->high ? ++x : ++y;
    if (both.low >= both.high) continue;
    if (!where.empty() && where.back().high == both.low) {
      where.back().high = both.high;
      continue;
    }
    if (where.size() == most) return;
    where.push_back(both);
  }
}

// Halves the range until the shapes have few runs in it, or one each. So shapes that lie between each other
// cost as much as their runs, not as their pairs.
void find_common(const Selection& all_a, const Selection& all_b, const ByteRange& in, std::size_t most,
                 std::vector<ByteRange>& where) {
  const Selection a = selection_of(all_a, in), b = selection_of(all_b, in);
  if (a.is_empty() || b.is_empty() || where.size() == most) return;
  constexpr std::size_t few_runs = 256;
  constexpr index_t few_bytes = 64;
  const std::size_t limit = std::max(few_runs, 2 * (a.shapes.size() + b.shapes.size()));
  const index_t bytes = in.high - in.low;
  if (bytes <= few_bytes || runs_of_shapes(a, in, limit) + runs_of_shapes(b, in, limit) <= limit)
    return add_common(runs_of(a, in), runs_of(b, in), most, where);
  const index_t middle = in.low + bytes / 2;
  find_common(a, b, {in.low, middle}, most, where);
  find_common(a, b, {middle, in.high}, most, where);
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

// The runs of the shape with fewer runs are looked up in the other.
bool intersect(const Footprint& a, const Footprint& b) {
  const bool a_is_smaller = a.runs() <= b.runs();
  const Footprint &few = a_is_smaller ? a : b, &many = a_is_smaller ? b : a;
  return !for_each_run(few, few.levels, few.low, many.bounds(),
                       [&](const ByteRange& run) { return !touches(many, run); });
}

void unite(std::vector<ByteRange>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (const ByteRange& range : ranges) {
    if (kept > 0 && range.low <= ranges[kept - 1].high)
      ranges[kept - 1].high = std::max(ranges[kept - 1].high, range.high);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

std::vector<ByteRange> common_runs(const Places& a, const Places& b, const ByteRange& in, std::size_t most) {
  std::vector<ByteRange> where;
  find_common(selection_of(a, in), selection_of(b, in), in, most, where);
  return where;
}

}  // namespace tessera::detail::conflicts
