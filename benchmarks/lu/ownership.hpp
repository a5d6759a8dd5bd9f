// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/layout.hpp>
#include <tessera/view.hpp>

namespace tessera::benchmark::lu {

/// The rows of a square matrix, or its columns, as a grid of processes shares them out.
class Axis {
 public:
  struct Range {
    index_t begin, end;
  };

  /// The process at place `owners[i]` of the grid has row i; this process is at place `own`.
  Axis(std::vector<int> owners, int own);

  int owner(index_t i) const { return owners_[static_cast<std::size_t>(i)]; }
  /// How many of the first `i` rows this process has. @local
  index_t before(index_t i) const { return before_[static_cast<std::size_t>(i)]; }
  /// How many rows this process has. @local
  index_t count() const { return before_.back(); }
  /// This process's rows from row `first` on, in ranges that are as long as possible. @local
  std::vector<Range> ranges(index_t first) const;

 private:
  std::vector<int> owners_;
  std::vector<index_t> before_;
  std::vector<Range> ranges_;
};

/// One step of a factorisation: the rows and columns from `begin` to `end`, and the places in the grid that
/// have them.
struct Step {
  index_t number, begin, end;
  int row, column;

  index_t width() const noexcept { return end - begin; }
};

/// What the step makes: the block on the diagonal, the columns below it, and the rows to the right of it.
enum class Part { diagonal, left, upper };
inline constexpr Part panels[] = {Part::left, Part::upper};

/// Which rows and columns this process has, and the steps. The elements of a process are stored by columns.
class Ownership {
 public:
  /// A step is as wide as a block, or less where the owner changes.
  Ownership(const Layout<2>& layout, int rank, index_t block);

  const Layout<2>& layout() const noexcept { return layout_; }
  index_t size() const { return layout_.dims()[0]; }
  const Axis& rows() const noexcept { return rows_; }
  const Axis& columns() const noexcept { return columns_; }
  const std::vector<Step>& steps() const noexcept { return steps_; }
  /// The largest width of a step. @local
  index_t block() const noexcept { return block_; }
  /// The place of this process in the grid. @local
  const Index<2>& place() const noexcept { return place_; }

  bool has_rows_of(const Step& step) const noexcept { return step.row == place_[0]; }
  bool has_columns_of(const Step& step) const noexcept { return step.column == place_[1]; }
  /// The rank that has the piece of a part that this process works with. @local
  int owner(Part part, const Step& step) const;
  /// The other ranks in this process's row of the grid, and in its column. @local
  std::vector<int> row_mates() const;
  std::vector<int> column_mates() const;
  /// The extents, without gaps, of the piece of a part that this process works with. @local
  Extents<2> extents(Part part, const Step& step) const;
  /// The patches of that piece, if the part is a panel. @local
  std::vector<Patch<2>> patches(Part panel, const Step& step) const;
  /// How many rows and columns of this process are before an element: its place, if this process has it.
  Index<2> local(const Index<2>& at) const { return {rows_.before(at[0]), columns_.before(at[1])}; }
  /// The first element of a part. @local
  static Index<2> first(Part part, const Step& step) noexcept;

 private:
  int rank_at(index_t row, index_t column) const { return static_cast<int>(row * layout_.grid()[1] + column); }

  Layout<2> layout_;
  Index<2> place_;
  Axis rows_, columns_;
  index_t block_;
  std::vector<Step> steps_;
};

/// Calls f(i, j, element) for each element of this process. @local
template <class F>
void for_each(const Ownership& own, const View<double, 2>& elements, F&& f) {
  for (const Axis::Range& across : own.columns().ranges(0)) {
    for (index_t j = across.begin; j < across.end; ++j) {
      for (const Axis::Range& down : own.rows().ranges(0)) {
        double* column = &elements[own.local({down.begin, j})];
        for (index_t i = down.begin; i < down.end; ++i) f(i, j, column[i - down.begin]);
      }
    }
  }
}

}  // namespace tessera::benchmark::lu
