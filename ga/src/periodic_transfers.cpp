// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <vector>

#include <tessera/detail/array_core.hpp>

#include "format.hpp"
#include "patch_text.hpp"

// Patches that wrap round the ends of an array.
namespace tessera::detail {
namespace {

// A range of one dimension that lies within the array, and where it begins in the patch.
struct Range {
  index_t lo, hi, skipped;
};

std::vector<Range> ranges(index_t lo, index_t hi, index_t extent) {
  std::vector<Range> list;
  for (index_t x = lo; x < hi;) {
    const index_t begin = ((x % extent) + extent) % extent, length = std::min(hi - x, extent - begin);
    list.push_back({begin, begin + length, x - lo});
    x += length;
  }
  return list;
}

}  // namespace

// Calls f(patch inside the array, its part of the buffer) for each part of a patch that does not wrap.
template <class Pointer, class F>
void ArrayCore::for_each_image(const Box& patch, const Buffer<Pointer>& buffer, F&& f) const {
  require_open();
  std::array<std::vector<Range>, static_cast<std::size_t>(max_rank)> all;
  const auto n = static_cast<std::size_t>(rank());
  bool empty = false;
  for (std::size_t d = 0; d < n; ++d) {
    index_t extent = 0;
    const bool good = patch.lo[d] <= patch.hi[d] && !__builtin_sub_overflow(patch.hi[d], patch.lo[d], &extent);
    if (!good || buffer.extents[d] != extent) {
      throw UsageError(
          formatted("a view of extents {} does not fit periodic patch {} of array \"{}\" (dimension {})",
                    extents_text(buffer.extents, rank()), patch_text(patch, rank()), name(), d));
    }
    empty = empty || extent == 0;
  }
  if (empty) return;
  if (layout_.size() == 0) {
    throw UsageError(
        formatted("periodic patch {}: array \"{}\" of extents {} has no elements that could be repeated",
                  patch_text(patch, rank()), name(), extents_text(layout_.dims().data(), rank())));
  }
  for (std::size_t d = 0; d < n; ++d) all[d] = ranges(patch.lo[d], patch.hi[d], layout_.dims()[d]);
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  Box box;
  Coordinates extents;
  auto walk = [&](auto&& self, std::size_t d, index_t skipped) -> void {
    if (d == n) {
      const Buffer<Pointer> part{static_cast<Byte*>(buffer.data) + skipped * type_.size, extents.data(),
                                 buffer.strides};
      return f(static_cast<const Box&>(box), part);
    }
    for (const Range& range : all[d]) {
      box.lo[d] = range.lo;
      box.hi[d] = range.hi;
      extents[d] = range.hi - range.lo;
      self(self, d + 1, skipped + range.skipped * buffer.strides[d]);
    }
  };
  walk(walk, 0, 0);
}

void ArrayCore::put_periodic(const Box& patch, const Buffer<const void*>& from) {
  for_each_image(patch, from, [&](const Box& box, const Buffer<const void*>& part) { put(box, part); });
}

void ArrayCore::get_periodic(const Box& patch, const Buffer<void*>& into) const {
  Request all;
  for_each_image(patch, into, [&](const Box& box, const Buffer<void*>& part) { all += get_async(box, part); });
  all.wait();
}

void ArrayCore::accumulate_periodic(const Box& patch, const Buffer<const void*>& from, const void* alpha) {
  for_each_image(patch, from,
                 [&](const Box& box, const Buffer<const void*>& part) { accumulate(box, part, alpha); });
}

}  // namespace tessera::detail
