// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/layout_core.hpp>

#include <algorithm>

#include "base/at.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

// Throws UsageError unless the listed ranks can replace those of a layout.
void require_members(std::vector<int> members, int of, int ranks) {
  if (static_cast<int>(members.size()) < of) {
    throw UsageError(
        formatted("a layout for {} ranks cannot be given to the {} that are listed", of, members.size()));
  }
  for (int member : members) {
    if (member < 0 || member >= ranks)
      throw UsageError(formatted("rank {} of a layout's list is none of the {} ranks", member, ranks));
  }
  std::sort(members.begin(), members.end());
  if (const auto twice = std::adjacent_find(members.begin(), members.end()); twice != members.end())
    throw UsageError(formatted("rank {} is listed twice for a layout", *twice));
}

}  // namespace

LayoutCore LayoutCore::with_storage(StorageOrder storage) const {
  return by_kind([storage](auto kind) {
    kind.store(storage);
    return LayoutCore(std::move(kind));
  });
}

LayoutCore LayoutCore::with_tiles() const { return is_product() ? LayoutCore(grid()->with_tiles()) : *this; }

LayoutCore LayoutCore::on_ranks(std::vector<int> members, int ranks) const {
  require_members(members, ranks_, ranks);
  return by_kind([&](const auto& kind) { return LayoutCore(kind.on_ranks(std::move(members), ranks)); });
}

LayoutCore LayoutCore::with_ghosts(const index_t* widths) const {
  for (int d = 0; d < rank(); ++d) {
    if (widths[d] < 0)
      throw UsageError(formatted("the width {} of the ghost cells in dimension {} is negative", widths[d], d));
  }
  const bool none = std::all_of(widths, widths + rank(), [](index_t width) { return width == 0; });
  const bool may_have = is_product() && !grid()->is_tiled() && !grid()->is_cyclic();
  if (!none && !may_have) {
    throw UsageError(formatted("only blocked and irregular layouts can have ghost cells, and this one is {}",
                               description()));
  }
  return is_product() ? LayoutCore(grid()->with_ghosts(widths)) : *this;
}

const Coordinates& LayoutCore::ghosts() const noexcept {
  static constexpr Coordinates none{};
  return is_product() ? grid()->ghosts() : none;
}

bool LayoutCore::same_distribution(const LayoutCore& other) const noexcept {
  if (rank() != other.rank() || dims() != other.dims()) return false;
  bool same = true;
  // Compare by pieces: blocks that are cut differently may still be at the same ranks.
  for_each_piece({{}, dims()}, [&](const Piece& mine) {
    if (same)
      other.for_each_piece(mine.box, [&](const Piece& theirs) { same = same && theirs.rank == mine.rank; });
  });
  return same;
}

std::uint64_t LayoutCore::fingerprint() const noexcept {
  Fingerprint print;
  print.add(rank()).add(ranks()).add(static_cast<int>(storage())).add(static_cast<int>(is_product()));
  for (int d = 0; d < rank(); ++d) print.add(dims()[at(d)]).add(ghosts()[at(d)]);
  by_kind([&print](const auto& kind) { kind.add_to(print); });
  return print.value();
}

}  // namespace tessera::detail
