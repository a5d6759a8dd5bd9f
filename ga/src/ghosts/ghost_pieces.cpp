// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ghosts/ghost_pieces.hpp"

#include <algorithm>

#include "base/at.hpp"

namespace tessera::detail {

// The elements that the ghost cells on one side of a part's block need along dimension d, and the parts that
// own them.
std::vector<GhostPieces::Reach> GhostPieces::beside(int part, int d, bool high, const HaloShape& shape) const {
  const Axis& axis = layout_.axis(d);
  const index_t extent = axis.extent(), before = layout_.ghosts()[at(d)];
  const index_t width = high ? shape.high[at(d)] : shape.low[at(d)];
  const Interval own = axis.interval(part, 0);
  const index_t begin = high ? own.end : own.begin - width;
  std::vector<Reach> list;
  for (index_t x = begin; x < begin + width;) {
    index_t there = x;
    if (periodic_[at(d)]) there = ((x % extent) + extent) % extent;
    if (there < 0 || there >= extent) {
      ++x;  // outside a dimension that is not periodic: no owner
      continue;
    }
    const Interval owner = axis.find(there);
    const index_t length = std::min(begin + width - x, owner.end - there);
    list.push_back({owner.part, before + there - owner.begin, before + x - own.begin, length});
    x += length;
  }
  return list;
}

// Along a dimension in which both ranks have the same block: the block, or also those of its ghost cells that
// have an owner. Of a dimension without ghost cells, only some elements may take part.
std::vector<GhostPieces::Reach> GhostPieces::along(int part, int d, bool with_ghosts) const {
  const index_t before = layout_.ghosts()[at(d)];
  const Interval own = layout_.axis(d).interval(part, 0);
  if (before == 0) {
    const index_t begin = std::max(own.begin, shape_.only.lo[at(d)]),
                  end = std::min(own.end, shape_.only.hi[at(d)]);
    if (begin >= end) return {};
    return {{part, begin - own.begin, begin - own.begin, end - begin}};
  }
  index_t low = 0, high = 0;
  if (with_ghosts) {
    low = shape_.low[at(d)], high = shape_.high[at(d)];
    if (!periodic_[at(d)])
      low = std::min(low, own.begin), high = std::min(high, layout_.axis(d).extent() - own.end);
  }
  return {{part, before - low, before - low, low + own.end - own.begin + high}};
}

// Every combination of what is needed along each dimension.
void GhostPieces::combine(const Reaches& reaches, int owner, NeededPatches& pieces) const {
  int parts[max_rank] = {}, wanted[max_rank] = {};
  if (owner != any && !layout_.coordinates(owner, wanted)) return;
  NeededPatch piece{};
  auto walk = [&](auto&& self, int d) -> void {
    if (d >= std::min(layout_.rank(), max_rank))
      return pieces.emplace_back(layout_.rank_at(parts), piece), void();
    for (const Reach& here : reaches[at(d)]) {
      if (owner != any && here.part != wanted[d]) continue;
      parts[d] = here.part;
      piece.source[at(d)] = here.source;
      piece.target[at(d)] = here.target;
      piece.extents[at(d)] = here.length;
      self(self, d + 1);
    }
  };
  walk(walk, 0);
}

NeededPatches GhostPieces::wanted(int rank, const GhostSides& what, int owner, const HaloShape& shape) const {
  NeededPatches pieces;
  int parts[max_rank] = {};
  if (layout_.block_count(rank) == 0 || !layout_.coordinates(rank, parts)) return pieces;
  const bool with_corners = what.corners == Corners::with && shape.corners == Corners::with;
  Reaches reaches;
  auto walk = [&](auto&& self, int d, int sides) -> void {
    if (d >= std::min(layout_.rank(), max_rank)) {
      if (sides > 0) combine(reaches, owner, pieces);
      return;
    }
    const bool here = what.dimension == -1 || what.dimension == d;
    if (!(here && what.dimension == d)) {
      reaches[at(d)] = along(parts[d], d, false);
      self(self, d + 1, sides);
    }
    // A neighbour across a corner is beside the block in two or more dimensions.
    const bool may_leave = with_corners || (here && sides == 0);
    if (!may_leave) return;
    for (const bool high : {false, true}) {
      if (here && what.side == (high ? Side::low : Side::high)) continue;
      reaches[at(d)] = beside(parts[d], d, high, shape);
      self(self, d + 1, sides + 1);
    }
  };
  walk(walk, 0, 0);
  return pieces;
}

NeededPatches GhostPieces::wanted_along(int rank, int d, int owner) const {
  NeededPatches pieces;
  int parts[max_rank] = {};
  if (d >= layout_.rank() || layout_.block_count(rank) == 0 || !layout_.coordinates(rank, parts)) return pieces;
  Reaches reaches;
  for (int e = 0; e < layout_.rank(); ++e) reaches[at(e)] = along(parts[e], e, e < d);
  for (const bool high : {false, true}) {
    reaches[at(d)] = beside(parts[d], d, high, shape_);
    combine(reaches, owner, pieces);
  }
  return pieces;
}

// With the wider width on both sides and all corners, a rank needs cells of the ranks that need cells of it.
std::vector<int> GhostPieces::neighbours(int rank) const {
  HaloShape wide = shape_;
  wide.corners = Corners::with;
  for (int d = 0; d < layout_.rank(); ++d)
    wide.low[at(d)] = wide.high[at(d)] = std::max(wide.low[at(d)], wide.high[at(d)]);
  std::vector<int> ranks;
  for (const auto& [owner, piece] : wanted(rank, {}, any, wide)) ranks.push_back(owner);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

index_t GhostPieces::volume(const NeededPatch& piece) const noexcept {
  index_t product = 1;
  for (int d = 0; d < layout_.rank(); ++d) product *= piece.extents[at(d)];
  return product;
}

}  // namespace tessera::detail
