// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/detail/periodic_transfers.hpp>

#include <algorithm>
#include <vector>

#include <tessera/detail/patch_transfers.hpp>

#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// A range of one dimension that lies within the array, and where it begins in the patch.
struct PeriodicRange {
  index_t lo, hi, skipped;
};

std::vector<PeriodicRange> ranges(index_t lo, index_t hi, index_t extent) {
  std::vector<PeriodicRange> list;
  for (index_t x = lo; x < hi;) {
    const index_t begin = ((x % extent) + extent) % extent, length = std::min(hi - x, extent - begin);
    list.push_back({begin, begin + length, x - lo});
    x += length;
  }
  return list;
}

// Calls f(patch inside the array, its part of the buffer) for each part of a patch that does not wrap.
template <class Pointer, class F>
void for_each_image(const ArrayCore& array, const Box& patch, const Buffer<Pointer>& buffer, F&& f) {
  array.require_open();
  const int rank = array.rank();
  const LayoutCore& layout = array.layout();
  std::array<std::vector<PeriodicRange>, static_cast<std::size_t>(max_rank)> all;
  const auto n = static_cast<std::size_t>(rank);
  bool empty = false;
  for (std::size_t d = 0; d < n; ++d) {
    index_t extent = 0;
    const bool good = patch.lo[d] <= patch.hi[d] && !__builtin_sub_overflow(patch.hi[d], patch.lo[d], &extent);
    if (!good || buffer.extents[d] != extent) {
      throw UsageError(
          formatted("a view of extents {} does not fit periodic patch {} of array \"{}\" (dimension {})",
                    extents_text(buffer.extents, rank), patch_text(patch, rank), array.name(), d));
    }
    empty = empty || extent == 0;
  }
  if (empty) return;
  if (layout.size() == 0) {
    throw UsageError(
        formatted("periodic patch {}: array \"{}\" of extents {} has no elements that could be repeated",
                  patch_text(patch, rank), array.name(), extents_text(layout.dims().data(), rank)));
  }
  for (std::size_t d = 0; d < n; ++d) all[d] = ranges(patch.lo[d], patch.hi[d], layout.dims()[d]);
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
  Box box;
  Coordinates extents;
  auto walk = [&](auto&& self, std::size_t d, index_t skipped) -> void {
    if (d == n) {
      const Buffer<Pointer> part{static_cast<Byte*>(buffer.data) + skipped * array.type().size, extents.data(),
                                 buffer.strides};
      return f(static_cast<const Box&>(box), part);
    }
    for (const PeriodicRange& range : all[d]) {
      box.lo[d] = range.lo;
      box.hi[d] = range.hi;
      extents[d] = range.hi - range.lo;
      self(self, d + 1, skipped + range.skipped * buffer.strides[d]);
    }
  };
  walk(walk, 0, 0);
}

}  // namespace

void put_periodic(ArrayCore& array, const Box& patch, const Buffer<const void*>& from) {
  for_each_image(array, patch, from,
                 [&](const Box& box, const Buffer<const void*>& part) { put(array, box, part); });
}

void get_periodic(const ArrayCore& array, const Box& patch, const Buffer<void*>& into) {
  Request all;
  for_each_image(array, patch, into,
                 [&](const Box& box, const Buffer<void*>& part) { all += get_async(array, box, part); });
  all.wait();
}

void accumulate_periodic(ArrayCore& array, const Box& patch, const Buffer<const void*>& from,
                         const void* alpha) {
  for_each_image(array, patch, from,
                 [&](const Box& box, const Buffer<const void*>& part) { accumulate(array, box, part, alpha); });
}

}  // namespace tessera::detail
