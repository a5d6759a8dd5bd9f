// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "array/places_text.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/at.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// The position of a stored element, if it is in this block.
std::optional<Coordinates> position_in(const Piece& block, int rank, index_t element) {
  index_t rest = element - block.offset;
  if (rest < 0) return {};
  std::vector<int> by_stride(at(rank));
  std::iota(by_stride.begin(), by_stride.end(), 0);
  std::sort(by_stride.begin(), by_stride.end(),
            [&](int a, int b) { return block.strides[at(a)] > block.strides[at(b)]; });
  Coordinates found{};
  for (int k = 0; k < rank; ++k) {
    const std::size_t d = at(by_stride[at(k)]);
    const index_t extent = block.box.hi[d] - block.box.lo[d];
    const index_t index = extent == 1 ? 0 : rest / block.strides[d];
    if (index >= extent) return {};
    rest -= index * (extent == 1 ? 0 : block.strides[d]);
    found[d] = block.box.lo[d] + index;
  }
  if (rest != 0) return {};
  return found;
}

}  // namespace

std::string text_of_places(const LayoutCore& layout, index_t element, int rank,
                           const std::vector<Segment::PartRange>& places) {
  constexpr index_t most = 100'000;  // elements to look at
  Box all{};
  index_t count = 0, ghosts = 0, looked_at = 0;
  for (const auto& [offset, bytes] : places) {
    const index_t end = (offset + bytes + element - 1) / element;
    for (index_t e = offset / element; e < end && looked_at < most; ++e, ++looked_at) {
      std::optional<Coordinates> found;
      for (index_t b = 0; b < layout.block_count(rank) && !found; ++b)
        found = position_in(layout.block(rank, b), layout.rank(), e);
      if (!found) {
        ++ghosts;
        continue;
      }
      for (std::size_t d = 0; d < at(layout.rank()); ++d) {
        all.lo[d] = count == 0 ? (*found)[d] : std::min(all.lo[d], (*found)[d]);
        all.hi[d] = std::max(count == 0 ? 0 : all.hi[d], (*found)[d] + 1);
      }
      ++count;
    }
  }
  if (count == 0) return formatted("{} ghost cells of rank {}", ghosts, rank);
  index_t volume = 1;
  for (std::size_t d = 0; d < at(layout.rank()); ++d) volume *= all.hi[d] - all.lo[d];
  if (looked_at == most)
    return formatted("{} elements and more in patch {} of rank {}", count, patch_text(all, layout.rank()),
                     rank);
  if (volume != count)
    return formatted("{} elements in patch {} of rank {}", count, patch_text(all, layout.rank()), rank);
  return formatted("patch {} of rank {}", patch_text(all, layout.rank()), rank);
}

}  // namespace tessera::detail
