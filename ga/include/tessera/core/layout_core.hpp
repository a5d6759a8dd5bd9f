// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/grid_layout.hpp>
#include <tessera/core/list_layout.hpp>

namespace tessera::detail {

/// A layout with a run-time number of dimensions; Layout<N> is its typed interface. It holds either kind of
/// layout. A value that uses no MPI. It also has a copy of the kind's frame. So the check of a single element
/// reads the extents without asking which kind it is.
class LayoutCore : public LayoutFrame {
  // Calls f with the layout of its kind.
  template <class F>
  decltype(auto) by_kind(F&& f) const {
    if (const auto* product = std::get_if<GridLayout>(&kind_)) return f(*product);
    return f(*std::get_if<ListLayout>(&kind_));
  }

 public:
  LayoutCore() = default;
  /// A product of divided dimensions. @throws UsageError if an extent is negative, the product overflows, or a
  /// grid does not fit `ranks`.
  LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage)
      : LayoutCore(GridLayout(std::move(axes), ranks, grid_order, storage)) {}
  /// Any blocks. @throws UsageError as above, and as BlockList.
  LayoutCore(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks)
      : LayoutCore(ListLayout(rank, dims, blocks, ranks)) {}

  LayoutCore with_storage(StorageOrder storage) const;
  /// The same with each block of a rank stored by itself, one after another. The blocks of a list already are.
  /// @local
  LayoutCore with_tiles() const;
  /// The same with the blocks of rank r given to rank members[r]. @throws UsageError if there are too few
  /// members, or if a member does not exist or is listed twice
  LayoutCore on_ranks(std::vector<int> members, int ranks) const;
  /// The same with ghost cells: room for copies of other ranks' elements around each block. @throws UsageError
  /// unless blocked or irregular, or if a width is negative
  LayoutCore with_ghosts(const index_t* widths) const;
  /// The same with as many blocks along each axis of a blocked or irregular layout, which begin elsewhere.
  /// @throws UsageError if there are too many elements
  LayoutCore with_axes(std::vector<Axis> axes) const { return LayoutCore(grid()->with_axes(std::move(axes))); }

  /// As GridLayout. @throws UsageError if there are too many elements
  LayoutCore with_fewer_parts(std::vector<Axis> axes, const index_t* factors) const {
    return LayoutCore(grid()->with_fewer_parts(std::move(axes), factors));
  }

  /// Whether it is a product, which has axes and a grid. @local
  bool is_product() const noexcept { return std::holds_alternative<GridLayout>(kind_); }
  /// The layout as a product; null if it is a list. @local
  const GridLayout* grid() const noexcept { return std::get_if<GridLayout>(&kind_); }
  bool has_ghosts() const noexcept { return is_product() && grid()->has_ghosts(); }
  const Coordinates& ghosts() const noexcept;
  /// Whether no rank has more than one block. @local
  bool has_single_blocks() const noexcept {
    return by_kind([](const auto& kind) { return kind.has_single_blocks(); });
  }
  /// The coordinates of a rank in the grid; false for a rank outside the grid. @local
  bool coordinates(int rank, int* parts) const noexcept {
    return is_product() && grid()->coordinates(rank, parts);
  }
  /// Whether each element is at the same rank in both. @local
  bool same_distribution(const LayoutCore& other) const noexcept;

  /// The owner of an element that is inside; `known` as in for_each_piece. @local
  template <int known = 0>
  int owner(const index_t* at) const noexcept {
    return by_kind([at](const auto& kind) { return kind.template owner<known>(at); });
  }
  /// Where one element lies: its rank, and its offset there in elements. @local
  template <int known = 0>
  int locate(const index_t* at, index_t& offset) const noexcept {
    return by_kind([at, &offset](const auto& kind) { return kind.template locate<known>(at, offset); });
  }
  LocalShape local(int rank) const noexcept {
    return by_kind([rank](const auto& kind) { return kind.local(rank); });
  }
  index_t block_count(int rank) const noexcept {
    return by_kind([rank](const auto& kind) { return kind.block_count(rank); });
  }
  /// Block b of a rank, as a piece of the whole array. @local
  Piece block(int rank, index_t b) const noexcept {
    return by_kind([rank, b](const auto& kind) { return kind.block(rank, b); });
  }
  /// Calls f(Piece) for the parts of a patch that is inside dims, in the order of increasing indices. `known`
  /// is the number of dimensions if the compiler knows it, which is faster; else 0.
  template <int known = 0, class F>
  void for_each_piece(const Box& patch, F&& f) const {
    for (std::size_t d = 0; d < static_cast<std::size_t>(known > 0 ? known : rank()); ++d) {
      if (patch.lo[d] >= patch.hi[d]) return;
    }
    by_kind([&](const auto& kind) { kind.template for_each_piece<known>(patch, f); });
  }

  std::uint64_t fingerprint() const noexcept;
  /// "blocked on a 2 x 3 grid", "block-cyclic 64 x 64 on a 2 x 1 grid". @local
  std::string description() const {
    return by_kind([](const auto& kind) { return kind.description(); });
  }
  friend bool operator==(const LayoutCore& a, const LayoutCore& b) noexcept { return a.kind_ == b.kind_; }

 private:
  template <class Kind>
  explicit LayoutCore(Kind kind) : LayoutFrame(kind), kind_(std::move(kind)) {}

  std::variant<GridLayout, ListLayout> kind_;
};

}  // namespace tessera::detail
