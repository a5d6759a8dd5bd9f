// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ownership.hpp"

#include <algorithm>

namespace tessera::benchmark::lu {
namespace {

// The places in the grid that have the rows (dimension 0) or the columns (1).
std::vector<int> owners(const Layout<2>& layout, std::size_t dimension) {
  std::vector<int> places;
  for (index_t i = 0; i < layout.dims()[dimension]; ++i) {
    Index<2> at;
    at[dimension] = i;
    const std::optional<Index<2>> place = layout.coordinates(layout.owner(at));
    places.push_back(static_cast<int>((*place)[dimension]));
  }
  return places;
}

}  // namespace

Axis::Axis(std::vector<int> owners, int own) : owners_(std::move(owners)), before_{0} {
  const auto size = static_cast<index_t>(owners_.size());
  for (index_t i = 0; i < size; ++i) before_.push_back(before_.back() + static_cast<index_t>(owner(i) == own));
  for (index_t i = 0; i < size; ++i) {
    if (owner(i) != own) continue;
    const bool goes_on = !ranges_.empty() && ranges_.back().end == i;
    if (!goes_on) ranges_.push_back({i, i});
    ranges_.back().end = i + 1;
  }
}

std::vector<Axis::Range> Axis::ranges(index_t first) const {
  std::vector<Range> rest;
  for (const Range& range : ranges_) {
    if (range.end > first) rest.push_back({std::max(first, range.begin), range.end});
  }
  return rest;
}

Ownership::Ownership(const Layout<2>& layout, int rank, index_t block)
    : layout_(layout),
      place_(layout.coordinates(rank).value()),
      rows_(owners(layout, 0), static_cast<int>(place_[0])),
      columns_(owners(layout, 1), static_cast<int>(place_[1])),
      block_(std::min(block, size())) {
  for (index_t begin = 0, end = 0; begin < size(); begin = end) {
    const int row = rows_.owner(begin), column = columns_.owner(begin);
    const index_t most = std::min(size(), (begin / block_ + 1) * block_);
    end = begin + 1;
    while (end < most && rows_.owner(end) == row && columns_.owner(end) == column) ++end;
    steps_.push_back({static_cast<index_t>(steps_.size()), begin, end, row, column});
  }
}

int Ownership::owner(Part part, const Step& step) const {
  const index_t row = part == Part::left ? place_[0] : step.row;
  const index_t column = part == Part::upper ? place_[1] : step.column;
  return rank_at(row, column);
}

std::vector<int> Ownership::row_mates() const {
  std::vector<int> mates;
  for (index_t column = 0; column < layout_.grid()[1]; ++column) {
    if (column != place_[1]) mates.push_back(rank_at(place_[0], column));
  }
  return mates;
}

std::vector<int> Ownership::column_mates() const {
  std::vector<int> mates;
  for (index_t row = 0; row < layout_.grid()[0]; ++row) {
    if (row != place_[0]) mates.push_back(rank_at(row, place_[1]));
  }
  return mates;
}

std::vector<Patch<2>> Ownership::patches(Part panel, const Step& step) const {
  std::vector<Patch<2>> all;
  const bool is_left = panel == Part::left;
  for (const Axis::Range& range : (is_left ? rows_ : columns_).ranges(step.end))
    all.push_back(is_left ? Patch<2>{{range.begin, step.begin}, {range.end, step.end}}
                          : Patch<2>{{step.begin, range.begin}, {step.end, range.end}});
  return all;
}

Extents<2> Ownership::extents(Part part, const Step& step) const {
  const index_t below = rows_.count() - rows_.before(step.end);
  const index_t right = columns_.count() - columns_.before(step.end);
  return {part == Part::left ? below : step.width(), part == Part::upper ? right : step.width()};
}

Index<2> Ownership::first(Part part, const Step& step) noexcept {
  return {part == Part::left ? step.end : step.begin, part == Part::upper ? step.end : step.begin};
}

}  // namespace tessera::benchmark::lu
