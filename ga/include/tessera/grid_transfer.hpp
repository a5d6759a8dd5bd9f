// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/boundaries.hpp>
#include <tessera/core/agreed.hpp>
#include <tessera/core/block_copy.hpp>
#include <tessera/detail/level_stencil.hpp>
#include <tessera/elementwise.hpp>

namespace tessera {

/// The weights between two grids along one dimension, as multigrid methods use them: of element 2 i + first + k
/// of the fine grid for element i of the coarse grid.
struct LevelStencil {
  index_t first = 0;
  std::vector<double> weights;

  /// Cells: each coarse cell has two fine ones. Their mean; and the same value in both of them.
  static LevelStencil cell_mean() { return {0, {0.5, 0.5}}; }
  static LevelStencil cell_constant() { return {0, {1, 1}}; }
  /// Linear between the middles of coarse cells. It needs a ghost cell of the coarse grid on both sides.
  static LevelStencil cell_linear() { return {-1, {0.25, 0.75, 0.75, 0.25}}; }
  /// Nodes: coarse node i is fine node 2 i. The mean over neighbours (full weighting); linear in between.
  static LevelStencil node_weighting() { return {-1, {0.25, 0.5, 0.25}}; }
  static LevelStencil node_linear() { return {-1, {0.5, 1, 0.5}}; }
};

/// Moves values between a grid and one that is coarser by a factor of 2 in each dimension. Weights of several
/// dimensions are multiplied. Where the blocks of both grids belong together (Layout::coarsened) and a rank has
/// them, no data moves. Otherwise, as for coarse grids on fewer ranks (Layout::agglomerated), coarse values
/// travel.
template <class T, std::size_t N>
class GridTransfer {
  static_assert(!std::is_integral_v<T>, "weights of stencils are fractions, so elements must not be integers");

 public:
  /// For arrays of these layouts. @collective over the group @throws UsageError if the extents do not belong
  /// together, if the fine layout is neither blocked nor irregular, or if a block of the fine grid has no
  /// coarse element
  GridTransfer(const Group& group, const Layout<N>& fine, const Layout<N>& coarse,
               const LevelStencil& restriction, const LevelStencil& prolongation,
               const std::array<bool, N>& periodic = {});

  /// coarse(i) = sum of restriction.weights[k] * fine(2 i + first + k). The fine grid's ghost cells must be up
  /// to date as far as the weights reach. @collective @throws UsageError if there are too few ghost cells, or
  /// for other layouts @completion others see this rank's elements after the next synchronisation
  void restrict_to(const Array<T, N>& fine, Array<T, N>& coarse);
  /// fine(j) = sum of prolongation.weights[j - 2 i - first] * coarse(i), or that is added to fine(j). The
  /// coarse grid's ghost cells must be up to date as far as the weights reach. If coarse values travel, they
  /// are updated here, and `boundaries` give those beyond the ends. @collective @throws likewise
  void prolong(const Array<T, N>& coarse, Array<T, N>& fine, Update update = Update::replace,
               const Boundaries<T, N>& boundaries = {});

 private:
  // Widths of ghost cells may differ.
  static Layout<N> bare(const Layout<N>& layout) { return layout.with_ghosts(PerDimension<index_t, N>(0)); }
  void require(const char* call, const Array<T, N>& array, const Layout<N>& layout,
               const PerDimension<index_t, N>& ghosts) const;

  Layout<N> fine_, coarse_;
  LevelStencil restriction_, prolongation_;
  PerDimension<index_t, N> fine_needs_, coarse_needs_;  // ghost cells
  std::optional<Array<T, N>> between_;  // coarse values at the ranks of their fine ones, if they travel
  bool is_read_ = false;                // others may still read it
  std::optional<detail::BlockCopy> to_coarse_,
      from_coarse_;  // between it and the coarse grid, on several nodes
};

template <class T, std::size_t N>
GridTransfer<T, N>::GridTransfer(const Group& group, const Layout<N>& fine, const Layout<N>& coarse,
                                 const LevelStencil& restriction, const LevelStencil& prolongation,
                                 const std::array<bool, N>& periodic)
    : fine_(bare(fine)), coarse_(bare(coarse)), restriction_(restriction), prolongation_(prolongation) {
  const Layout<N> near = fine_.coarsened(2);
  if (near.dims() != coarse.dims())
    throw UsageError("GridTransfer: the coarse grid must have half the extents of the fine one, rounded up");
  for (std::size_t d = 0; d < N; ++d) {
    const auto starts = fine_.block_starts(static_cast<int>(d));
    if (!detail::have_coarse_elements(starts, fine_.dims()[d])) {
      throw UsageError("GridTransfer: a block of the fine grid has one element along dimension " +
                       std::to_string(d) +
                       ", and none of the coarse grid; use fewer ranks (Layout::agglomerated, min_block)");
    }
    const auto count = [](const LevelStencil& stencil) { return static_cast<index_t>(stencil.weights.size()); };
    fine_needs_[d] =
        detail::restriction_needs(starts, fine_.dims()[d], restriction_.first, count(restriction_));
    coarse_needs_[d] =
        detail::prolongation_needs(starts, fine_.dims()[d], prolongation_.first, count(prolongation_));
  }
  if (near.same_distribution(coarse)) return;
  between_.emplace(
      group, near,
      ArrayOptions<N>{
          .name = "coarse values beside their fine ones", .ghosts = coarse_needs_, .periodic = periodic});
  if (group.node_count() == 1) return;
  const detail::ElementType type{element_kind<T>(), sizeof(T)};
  to_coarse_.emplace(group, near.core(), coarse_.core(), type);
  from_coarse_.emplace(group, coarse_.core(), near.core(), type);
}

template <class T, std::size_t N>
void GridTransfer<T, N>::require(const char* call, const Array<T, N>& array, const Layout<N>& layout,
                                 const PerDimension<index_t, N>& ghosts) const {
  if (!(bare(array.layout()) == layout)) {
    throw UsageError(std::string(call) + ": array \"" + array.name() +
                     "\" has another layout than the transfer was made for");
  }
  for (std::size_t d = 0; d < N; ++d) {
    if (array.layout().ghosts()[d] >= ghosts[d]) continue;
    throw UsageError(std::string(call) + ": the weights reach " + std::to_string(ghosts[d]) +
                     " ghost cells of dimension " + std::to_string(d) + ", and array \"" + array.name() +
                     "\" has " + std::to_string(array.layout().ghosts()[d]));
  }
}

template <class T, std::size_t N>
void GridTransfer<T, N>::restrict_to(const Array<T, N>& fine, Array<T, N>& coarse) {
  require("restrict_to", fine, fine_, fine_needs_);
  require("restrict_to", coarse, coarse_, {});
  Array<T, N>& target = between_ ? *between_ : coarse;
  if (std::exchange(is_read_, between_.has_value() && !to_coarse_)) fine.group().sync();
  {
    const auto to = target.local_with_ghosts();
    const auto from = fine.local_with_ghosts();
    detail::restrict_block(detail::cells_of<const T, N>(slice_of(fine).core(), "restrict_to"),
                           detail::cells_of<T, N>(slice_of(target).core(), "restrict_to"), restriction_.first,
                           restriction_.weights);
  }
  if (to_coarse_)
    (*to_coarse_)(slice_of(*between_).core(), slice_of(coarse).core());
  else if (between_)
    detail::copy_own_part(slice_of(*between_).core(), slice_of(coarse).core());
}

template <class T, std::size_t N>
void GridTransfer<T, N>::prolong(const Array<T, N>& coarse, Array<T, N>& fine, Update update,
                                 const Boundaries<T, N>& boundaries) {
  require("prolong", fine, fine_, {});
  require("prolong", coarse, coarse_, between_ ? PerDimension<index_t, N>() : coarse_needs_);
  if (update != Update::replace && update != Update::sum)
    throw UsageError("prolong: values may replace others or be added to them (Update::replace, Update::sum)");
  if (between_) {
    // All know this, so they seldom have to ask each other.
    const bool may_be_thin = boundaries.depth(coarse_needs_) > 1;
    if (may_be_thin)
      detail::agreed(coarse.group(), "prolong", [&] { boundaries.check(slice_of(*between_).core()); });
    if (from_coarse_)
      (*from_coarse_)(slice_of(coarse).core(), slice_of(*between_).core());
    else
      copy(coarse, *between_);
    is_read_ = false;
    if (between_->layout().ghosts() != Extents<N>{}) {
      between_->update_ghosts();
      boundaries.apply(*between_);
    }
  }
  const Array<T, N>& source = between_ ? *between_ : coarse;
  const auto to = fine.local();
  const auto from = source.local_with_ghosts();
  detail::prolong_block(detail::cells_of<const T, N>(slice_of(source).core(), "prolong"),
                        detail::cells_of<T, N>(slice_of(fine).core(), "prolong"), prolongation_.first,
                        prolongation_.weights, update == Update::sum);
}

}  // namespace tessera
