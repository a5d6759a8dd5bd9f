// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>
#include <vector>

#include <tessera/core/array_core.hpp>
#include <tessera/detail/ghost_sides.hpp>

namespace tessera::detail {

/// A patch that one rank's ghost cells need from another's storage: where it begins in both storages, ghost
/// cells included, and its extents.
struct NeededPatch {
  Coordinates source, target, extents;
};
/// Patches, with the rank that each comes from.
using NeededPatches = std::vector<std::pair<int, NeededPatch>>;

/// Which elements the ghost cells of each rank need from which owners, from the layout alone. @local
class GhostPieces {
 public:
  GhostPieces(const GridLayout& layout, const Periodic& periodic, const HaloShape& shape)
      : layout_(layout), periodic_(periodic), shape_(shape) {}
  const GridLayout& layout() const noexcept { return layout_; }
  bool has_corners() const noexcept { return shape_.corners == Corners::with; }
  /// What a rank needs in an exchange with all neighbours at once: from one owner, or from any.
  NeededPatches wanted(int rank, const GhostSides& what, int owner = any) const {
    return wanted(rank, what, owner, shape_);
  }
  /// What a rank needs along one dimension, including ghost cells of the dimensions before it, which are
  /// already filled.
  NeededPatches wanted_along(int rank, int d, int owner = any) const;
  /// Those with cells that a rank needs, and those that need cells of it, and perhaps others.
  std::vector<int> neighbours(int rank) const;
  /// The number of elements of a patch.
  index_t volume(const NeededPatch& piece) const noexcept;

  static constexpr int any = -1;

 private:
  struct Reach {
    int part;
    index_t source, target, length;
  };
  using Reaches = std::array<std::vector<Reach>, static_cast<std::size_t>(max_rank)>;

  NeededPatches wanted(int rank, const GhostSides& what, int owner, const HaloShape& shape) const;
  std::vector<Reach> beside(int part, int d, bool high, const HaloShape& shape) const;
  std::vector<Reach> along(int part, int d, bool with_ghosts) const;
  void combine(const Reaches& reaches, int owner, NeededPatches& pieces) const;

  GridLayout layout_;
  Periodic periodic_;
  HaloShape shape_;
};

}  // namespace tessera::detail
