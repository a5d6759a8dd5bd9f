// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/core/layout_core.hpp>
#include <tessera/detail/ghost_sides.hpp>
#include <tessera/patch.hpp>
#include <tessera/per_dimension.hpp>

namespace tessera {

/// Hints for blocked layouts.
template <std::size_t N>
struct BlockedOptions {
  /// The least extents of a block (0: no limit). If need be, ranks are left without elements.
  Extents<N> min_block = {};
  /// The process grid, instead of the automatic one. 0: the number of processes along this dimension is chosen;
  /// 1: the dimension is not divided.
  std::optional<Extents<N>> grid = {};
  /// Dimensions whose two ends are neighbours, for the choice of the automatic grid. Arrays pass their own
  /// option here.
  PerDimension<bool, N> periodic = {};
};

/// A grid of processes, which maps coordinates (p, q, ...) to ranks.
template <std::size_t N>
struct ProcessGrid {
  Extents<N> shape;
  GridOrder order = GridOrder::row_major;
};

/// A patch and the rank that owns it.
template <std::size_t N>
struct OwnedPatch {
  int rank;
  Patch<N> patch;
  friend bool operator==(const OwnedPatch&, const OwnedPatch&) = default;
};

namespace detail {
template <class F, std::size_t N>
inline constexpr bool lists_blocks =
    std::is_invocable_r_v<std::vector<OwnedPatch<N>>, const F&, const Extents<N>&, int>;

LayoutCore make_like(const LayoutCore& other, const index_t* dims);
LayoutCore refined(const LayoutCore& layout, const index_t* factors);
LayoutCore coarsened(const LayoutCore& layout, const index_t* factors);
LayoutCore agglomerated(const LayoutCore& layout, const index_t* factors);
std::vector<index_t> block_starts(const LayoutCore& layout, int dimension);
bool is_at_end(const LayoutCore& layout, int rank, int dimension, Side side);
}  // namespace detail

/// A function of extents and a number of ranks that gives the blocks and their ranks, for Layout::by_policy.
template <class F, std::size_t N>
concept LayoutPolicy = detail::lists_blocks<F, N>;

/// Which rank owns which blocks of an array, and how each rank stores its own. An immutable value that uses no
/// MPI, the same on every rank. Everything is @local.
template <std::size_t N>
class Layout {
 public:
  /// One even block per rank on a process grid. The default grid leaves no rank idle unless the extents are too
  /// small. Of these grids, it separates the fewest pairs of neighbouring elements. Of equal grids, it cuts the
  /// first dimension into the most parts, then the second, and so on. @local @throws UsageError if an extent is
  /// negative, or a given grid has more than `ranks` processes or empty dimensions.
  static Layout blocked(const Extents<N>& dims, int ranks, const BlockedOptions<N>& options = {});
  /// One block per rank of the grid that the starts span. Block k of dimension d begins at block_starts[d][k]
  /// (the first at 0) and ends where the next begins. `ranks` is the number of blocks unless given. @local
  /// @throws UsageError if starts do not begin with 0, decrease, exceed the extent, or span more blocks than
  /// ranks.
  static Layout irregular(const Extents<N>& dims, std::array<std::vector<index_t>, N> block_starts,
                          int ranks = 0);
  /// The blocks of another layout with other extents, such as faces beside cells: every block begins where it
  /// begins there, and the last one ends at the new end. Storage order, ghost cells and ranks are the same.
  /// @local @throws UsageError if an extent is negative, or unless the other is blocked or irregular
  static Layout like(const Layout& other, const Extents<N>& dims) {
    return Layout(detail::make_like(other.core_, dims.data()));
  }
  /// Blocks dealt out in turn over a process grid, stored column-major. For N = 2, ScaLAPACK works on this
  /// layout in place. @local @throws UsageError if a block or grid extent is not positive.
  static Layout block_cyclic(const Extents<N>& dims, const Extents<N>& block, const ProcessGrid<N>& grid,
                             int ranks = 0);

  /// Tiles dealt out in turn over a process grid, each stored by itself: neighbouring elements are near in
  /// memory. @local @throws UsageError if a tile or grid extent is not positive.
  static Layout tiled(const Extents<N>& dims, const Extents<N>& tile, const ProcessGrid<N>& grid,
                      int ranks = 0);
  /// The same with tiles of any sizes: tile k of dimension d begins at tile_starts[d][k]. @local
  /// @throws UsageError if starts do not begin with 0, do not increase, or reach the extent; or as above.
  static Layout tiled(const Extents<N>& dims, std::array<std::vector<index_t>, N> tile_starts,
                      const ProcessGrid<N>& grid, int ranks = 0);
  /// Any blocks at any ranks, each stored by itself. `ranks` is one more than the largest rank with a block
  /// unless given. @local @throws UsageError if a block leaves the array or its rank does not exist, if two
  /// overlap, or if an element belongs to no block.
  static Layout of_blocks(const Extents<N>& dims, const std::vector<OwnedPatch<N>>& blocks, int ranks = 0);
  /// Blocks that a policy of the user chooses: policy(dims, ranks) returns them. It must return the same on
  /// every rank; arrays check that. @local @throws UsageError as of_blocks.
  template <LayoutPolicy<N> Policy>
  static Layout by_policy(const Extents<N>& dims, int ranks, const Policy& policy) {
    return of_blocks(dims, std::invoke(policy, dims, ranks), ranks);
  }

  /// The same distribution, with the elements of each rank (or of each tile) stored in another order. @local
  Layout with_storage(StorageOrder order) const { return Layout(core_.with_storage(order)); }
  /// The same distribution over some of `size` ranks: members[r] has what rank r had. @local @throws UsageError
  /// if there are fewer members than ranks so far, or if a member does not exist or is listed twice
  Layout on_ranks(std::vector<int> members, int size) const {
    return Layout(core_.on_ranks(std::move(members), size));
  }
  /// The same with ghost cells around each block: room for copies of other ranks' elements. `widths` is how
  /// many there are on either side of each dimension. @local @throws UsageError unless blocked or irregular, or
  /// for a negative width
  Layout with_ghosts(const PerDimension<index_t, N>& widths) const {
    return Layout(core_.with_ghosts(widths.data()));
  }

  /// Each element divided into `factors` in each dimension, at the same rank: elements 2 i and 2 i + 1 for
  /// element i and factor 2. @local @throws UsageError for a factor below 1, or unless blocked or irregular
  Layout refined(const PerDimension<index_t, N>& factors) const {
    return Layout(detail::refined(core_, factors.data()));
  }
  /// The inverse: element i is at the rank of element 2 i for factor 2. Extents are rounded up, and blocks may
  /// be empty. @local @throws as refined
  Layout coarsened(const PerDimension<index_t, N>& factors) const {
    return Layout(detail::coarsened(core_, factors.data()));
  }
  /// The same elements in fewer, larger blocks: `factors` neighbouring blocks of each dimension become one, at
  /// the rank of the first. The other ranks have none. @local @throws as refined
  Layout agglomerated(const PerDimension<index_t, N>& factors) const {
    return Layout(detail::agglomerated(core_, factors.data()));
  }

  Extents<N> dims() const { return Extents<N>(head(core_.dims())); }
  int ranks() const noexcept { return core_.ranks(); }
  StorageOrder storage() const noexcept { return core_.storage(); }
  /// The width of the ghost cells along each dimension. @local
  Extents<N> ghosts() const { return Extents<N>(head(core_.ghosts())); }
  /// The number of processes along each dimension. @local @throws UsageError for a layout of_blocks
  Extents<N> grid() const;
  /// The number of blocks along each dimension, of all ranks. @local @throws as above
  Extents<N> block_grid() const;
  /// Where the blocks along a dimension begin: block_grid()[dimension] positions. @local @throws as above, and
  /// UsageError if there is no such dimension
  std::vector<index_t> block_starts(int dimension) const { return detail::block_starts(core_, dimension); }
  /// Whether the block of a rank reaches the low or the high end of a dimension, or both ends for Side::both;
  /// an empty block reaches none. @local @throws UsageError if there is no such dimension, or the rank has
  /// several blocks
  bool is_at_end(int rank, int dimension, Side side) const {
    return detail::is_at_end(core_, rank, dimension, side);
  }
  /// The coordinates of a rank in the grid; nothing for a rank outside the grid, or for a layout of_blocks.
  /// @local
  std::optional<Index<N>> coordinates(int rank) const;
  /// The rank at these coordinates in the grid: the inverse of coordinates(). @local @throws UsageError outside
  /// the grid, or for a layout of_blocks
  int rank_at(const Index<N>& coordinates) const;
  /// The block at a position in block_grid(), and its owner. It may be empty. @local @throws UsageError outside
  /// block_grid(), or for a layout of_blocks
  OwnedPatch<N> block_at(const Index<N>& position) const;
  /// The rank that owns an element. @throws UsageError outside dims. @local
  int owner(const Index<N>& at) const;
  /// How many blocks a rank has: 0 or 1 if blocked or irregular. @local
  index_t block_count(int rank) const noexcept { return core_.block_count(rank); }
  /// Block b of a rank; an empty patch if it has none. @local
  Patch<N> block(int rank, index_t b = 0) const;
  /// The number of elements a rank owns. @local
  index_t local_size(int rank) const noexcept;
  /// The parts of a patch and their owners, in the order of increasing indices. @throws UsageError outside
  /// dims. @local
  std::vector<OwnedPatch<N>> locate(const Patch<N>& patch) const;
  /// Whether each element is at the same rank in both layouts, in whatever order it is stored there. @local
  bool same_distribution(const Layout& other) const noexcept { return core_.same_distribution(other.core_); }
  /// A description in one line. @local
  std::string description() const { return core_.description(); }

  friend bool operator==(const Layout&, const Layout&) = default;

  /// The compiled layout behind the type; for Tessera's own modules. @local
  const detail::LayoutCore& core() const noexcept { return core_; }
  explicit Layout(detail::LayoutCore core) : core_(std::move(core)) {}

 private:
  static std::array<index_t, N> head(const detail::Coordinates& all) {
    std::array<index_t, N> first{};
    std::copy_n(all.begin(), N, first.begin());
    return first;
  }
  static detail::Box box(const Patch<N>& patch) { return detail::box_of(patch); }
  static Patch<N> patch(const detail::Box& box) { return {Index<N>(head(box.lo)), Index<N>(head(box.hi))}; }

  detail::LayoutCore core_;
};

namespace detail {
// The compiled halves of the factories, with run-time rank.
LayoutCore make_blocked(int rank, const index_t* dims, int ranks, const index_t* min_block, const index_t* grid,
                        const bool* periodic = nullptr);
LayoutCore make_irregular(int rank, const index_t* dims, const std::vector<index_t>* starts, int ranks);
LayoutCore make_block_cyclic(int rank, const index_t* dims, const index_t* block, const index_t* grid,
                             GridOrder order, int ranks);
LayoutCore make_tiled(int rank, const index_t* dims, const index_t* tile, const index_t* grid, GridOrder order,
                      int ranks);
LayoutCore make_tiled(int rank, const index_t* dims, const std::vector<index_t>* starts, const index_t* grid,
                      GridOrder order, int ranks);
LayoutCore make_listed(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks);
void require_grid(const LayoutCore& layout);
int rank_at(const LayoutCore& layout, const index_t* coordinates);
Piece block_at(const LayoutCore& layout, const index_t* position);
void require_inside(const LayoutCore& layout, const Box& patch, std::string_view array);
}  // namespace detail

template <std::size_t N>
Layout<N> Layout<N>::blocked(const Extents<N>& dims, int ranks, const BlockedOptions<N>& options) {
  return Layout(detail::make_blocked(static_cast<int>(N), dims.data(), ranks, options.min_block.data(),
                                     options.grid ? options.grid->data() : nullptr, options.periodic.data()));
}

template <std::size_t N>
Layout<N> Layout<N>::irregular(const Extents<N>& dims, std::array<std::vector<index_t>, N> block_starts,
                               int ranks) {
  return Layout(detail::make_irregular(static_cast<int>(N), dims.data(), block_starts.data(), ranks));
}

template <std::size_t N>
Layout<N> Layout<N>::block_cyclic(const Extents<N>& dims, const Extents<N>& block, const ProcessGrid<N>& grid,
                                  int ranks) {
  return Layout(detail::make_block_cyclic(static_cast<int>(N), dims.data(), block.data(), grid.shape.data(),
                                          grid.order, ranks));
}

template <std::size_t N>
Layout<N> Layout<N>::tiled(const Extents<N>& dims, const Extents<N>& tile, const ProcessGrid<N>& grid,
                           int ranks) {
  return Layout(
      detail::make_tiled(static_cast<int>(N), dims.data(), tile.data(), grid.shape.data(), grid.order, ranks));
}

template <std::size_t N>
Layout<N> Layout<N>::tiled(const Extents<N>& dims, std::array<std::vector<index_t>, N> tile_starts,
                           const ProcessGrid<N>& grid, int ranks) {
  return Layout(detail::make_tiled(static_cast<int>(N), dims.data(), tile_starts.data(), grid.shape.data(),
                                   grid.order, ranks));
}

template <std::size_t N>
Layout<N> Layout<N>::of_blocks(const Extents<N>& dims, const std::vector<OwnedPatch<N>>& blocks, int ranks) {
  std::vector<detail::OwnedBox> boxes;
  boxes.reserve(blocks.size());
  for (const OwnedPatch<N>& block : blocks) boxes.push_back({block.rank, box(block.patch)});
  return Layout(detail::make_listed(static_cast<int>(N), dims.data(), boxes, ranks));
}

template <std::size_t N>
Extents<N> Layout<N>::block_grid() const {
  detail::require_grid(core_);
  Extents<N> shape;
  for (std::size_t d = 0; d < N; ++d) shape[d] = core_.grid()->axis(static_cast<int>(d)).blocks();
  return shape;
}

template <std::size_t N>
std::optional<Index<N>> Layout<N>::coordinates(int rank) const {
  int parts[max_rank];
  if (!core_.coordinates(rank, parts)) return {};
  Index<N> at;
  for (std::size_t d = 0; d < N; ++d) at[d] = parts[d];
  return at;
}

template <std::size_t N>
int Layout<N>::rank_at(const Index<N>& coordinates) const {
  return detail::rank_at(core_, coordinates.data());
}

template <std::size_t N>
OwnedPatch<N> Layout<N>::block_at(const Index<N>& position) const {
  const detail::Piece block = detail::block_at(core_, position.data());
  return {block.rank, patch(block.box)};
}

template <std::size_t N>
index_t Layout<N>::local_size(int rank) const noexcept {
  const detail::LocalShape shape = core_.local(rank);
  if (!core_.has_ghosts()) return shape.size;
  return Extents<N>(head(shape.extents)).size();
}

template <std::size_t N>
Extents<N> Layout<N>::grid() const {
  detail::require_grid(core_);
  Extents<N> shape;
  for (std::size_t d = 0; d < N; ++d) shape[d] = core_.grid()->axis(static_cast<int>(d)).parts();
  return shape;
}

template <std::size_t N>
int Layout<N>::owner(const Index<N>& at) const {
  bool inside = true;
  for (std::size_t d = 0; d < N; ++d)
    inside &= static_cast<std::uint64_t>(at[d]) < static_cast<std::uint64_t>(core_.dims()[d]);
  if (!inside) detail::require_inside(core_, box(Patch<N>::inclusive(at, at)), {});
  return core_.owner<static_cast<int>(N)>(at.data());
}

template <std::size_t N>
Patch<N> Layout<N>::block(int rank, index_t b) const {
  return b < 0 || b >= core_.block_count(rank) ? Patch<N>{} : patch(core_.block(rank, b).box);
}

template <std::size_t N>
std::vector<OwnedPatch<N>> Layout<N>::locate(const Patch<N>& where) const {
  detail::require_inside(core_, box(where), {});
  std::vector<OwnedPatch<N>> parts;
  core_.for_each_piece(box(where), [&](const detail::Piece& piece) {
    parts.push_back({piece.rank, patch(piece.box)});
  });
  return parts;
}

}  // namespace tessera
