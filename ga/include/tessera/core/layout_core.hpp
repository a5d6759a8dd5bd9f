// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include <tessera/core/grid_layout.hpp>
#include <tessera/core/list_layout.hpp>

namespace tessera::detail {

/// A layout with a run-time number of dimensions: what Layout<N> is a typed face of. Either kind behind one
/// face; a value, without MPI. It has the frame of that kind as well, so that the extents are found without
/// asking which kind it is: the check of a single element does so each time.
class LayoutCore : public LayoutFrame {
  // What differs between the kinds is asked for here.
  template <class F>
  decltype(auto) by_kind(F&& f) const {
    if (const auto* product = std::get_if<GridLayout>(&kind_)) return f(*product);
    return f(*std::get_if<ListLayout>(&kind_));
  }

 public:
  LayoutCore() = default;
  /// The product of divided dimensions. @throws UsageError if an extent is negative, the product overflows, or
  /// a grid does not fit `ranks`.
  LayoutCore(std::vector<Axis> axes, int ranks, GridOrder grid_order, StorageOrder storage)
      : LayoutCore(GridLayout(std::move(axes), ranks, grid_order, storage)) {}
  /// Any blocks. @throws UsageError as above, and as BlockList.
  LayoutCore(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks)
      : LayoutCore(ListLayout(rank, dims, blocks, ranks)) {}

  LayoutCore with_storage(StorageOrder storage) const;
  /// Each block of a rank stored by itself, one after another; a list's are already. @local
  LayoutCore with_tiles() const;
  /// The blocks of rank r given to rank members[r] instead. @throws UsageError if there are too few members, or
  /// one is no rank or listed twice
  LayoutCore on_ranks(std::vector<int> members, int ranks) const;
  /// Room for copies of others' elements around each block. @throws UsageError unless blocked or irregular, or
  /// if a width is negative
  LayoutCore with_ghosts(const index_t* widths) const;

  /// Whether it is a product: what has axes and a grid. @local
  bool is_product() const noexcept { return std::holds_alternative<GridLayout>(kind_); }
  /// The same as one; null if it is a list. @local
  const GridLayout* grid() const noexcept { return std::get_if<GridLayout>(&kind_); }
  bool has_ghosts() const noexcept { return is_product() && grid()->has_ghosts(); }
  const Coordinates& ghosts() const noexcept;
  /// Whether no rank has more than one block. @local
  bool has_single_blocks() const noexcept {
    return by_kind([](const auto& kind) { return kind.has_single_blocks(); });
  }
  /// Where a rank is in the grid; false for one that is not. @local
  bool coordinates(int rank, int* parts) const noexcept {
    return is_product() && grid()->coordinates(rank, parts);
  }
  /// Whether each element is at the same rank in both. @local
  bool same_distribution(const LayoutCore& other) const noexcept;

  /// Of an element that is inside; `known` as in for_each_piece. @local
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
  /// Calls f(Piece) for the parts of a patch that is inside dims, in the order of increasing indices. Faster
  /// where the compiler knows the number of dimensions, if that is not 0.
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
