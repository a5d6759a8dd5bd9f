// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tessera/detail/layout_core.hpp>
#include <tessera/patch.hpp>

namespace tessera {

/// Hints for blocked layouts.
template <std::size_t N>
struct BlockedOptions {
  /// Blocks are at least this large (0: no demand), if need be by leaving ranks without elements.
  Extents<N> min_block = {};
  /// The process grid, instead of the automatic one.
  std::optional<Extents<N>> grid = {};
};

/// A grid of processes: coordinates (p, q, ...) to ranks.
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

/// Which rank owns which blocks of an array, and how each rank stores its own: an immutable value without any
/// MPI, the same on every rank. Everything is @local.
template <std::size_t N>
class Layout {
 public:
  /// One even block per rank on a process grid; by default the grid with the least block surface that leaves no
  /// rank idle unless the extents are too small. @local
  /// @throws UsageError if an extent is negative, or a given grid has more than `ranks` processes or empty
  /// dimensions.
  static Layout blocked(const Extents<N>& dims, int ranks, const BlockedOptions<N>& options = {});
  /// One block per rank of the grid that the starts span: block k of dimension d begins at block_starts[d][k]
  /// (the first at 0) and ends where the next begins. `ranks`: as many as there are blocks unless given. @local
  /// @throws UsageError if starts do not begin with 0, decrease, exceed the extent, or span more blocks than
  /// ranks.
  static Layout irregular(const Extents<N>& dims, std::array<std::vector<index_t>, N> block_starts,
                          int ranks = 0);
  /// Blocks dealt out in turn over a process grid, stored column-major: for N = 2, what ScaLAPACK works on in
  /// place.
  /// @local @throws UsageError if a block or grid extent is not positive.
  static Layout block_cyclic(const Extents<N>& dims, const Extents<N>& block, const ProcessGrid<N>& grid,
                             int ranks = 0);

  /// The same distribution with each rank's elements stored in another order. @local
  Layout with_storage(StorageOrder order) const { return Layout(core_.with_storage(order)); }

  Extents<N> dims() const { return Extents<N>(head(core_.dims())); }
  int ranks() const noexcept { return core_.ranks(); }
  StorageOrder storage() const noexcept { return core_.storage(); }
  /// The number of processes along each dimension. @local
  Extents<N> grid() const;
  /// The rank that owns an element. @throws UsageError outside dims. @local
  int owner(const Index<N>& at) const;
  /// How many blocks a rank has: 0 or 1 unless block-cyclic. @local
  index_t block_count(int rank) const noexcept { return core_.block_count(rank); }
  /// Block b of a rank; an empty patch if it has none. @local
  Patch<N> block(int rank, index_t b = 0) const;
  /// The number of elements a rank stores. @local
  index_t local_size(int rank) const noexcept { return core_.local(rank).size; }
  /// The parts of a patch and their owners, in the order of increasing indices. @throws UsageError outside
  /// dims. @local
  std::vector<OwnedPatch<N>> locate(const Patch<N>& patch) const;
  /// One line for people. @local
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
  static detail::Box box(const Patch<N>& patch) {
    detail::Box box;
    std::copy_n(patch.lo.begin(), N, box.lo.begin());
    std::copy_n(patch.hi.begin(), N, box.hi.begin());
    return box;
  }
  static Patch<N> patch(const detail::Box& box) { return {Index<N>(head(box.lo)), Index<N>(head(box.hi))}; }

  detail::LayoutCore core_;
};

namespace detail {
// The compiled halves of the factories, with run-time rank.
LayoutCore make_blocked(int rank, const index_t* dims, int ranks, const index_t* min_block,
                        const index_t* grid);
LayoutCore make_irregular(int rank, const index_t* dims, const std::vector<index_t>* starts, int ranks);
LayoutCore make_block_cyclic(int rank, const index_t* dims, const index_t* block, const index_t* grid,
                             GridOrder order, int ranks);
void require_inside(const LayoutCore& layout, const Box& patch, std::string_view array);
}  // namespace detail

template <std::size_t N>
Layout<N> Layout<N>::blocked(const Extents<N>& dims, int ranks, const BlockedOptions<N>& options) {
  return Layout(detail::make_blocked(static_cast<int>(N), dims.data(), ranks, options.min_block.data(),
                                     options.grid ? options.grid->data() : nullptr));
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
Extents<N> Layout<N>::grid() const {
  Extents<N> shape;
  for (std::size_t d = 0; d < N; ++d) shape[d] = core_.axis(static_cast<int>(d)).parts();
  return shape;
}

template <std::size_t N>
int Layout<N>::owner(const Index<N>& at) const {
  detail::require_inside(core_, box(Patch<N>::inclusive(at, at)), {});
  return core_.owner(at.data());
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
