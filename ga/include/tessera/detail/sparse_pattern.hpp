// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tessera/layout.hpp>
#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// Where the elements of one rank's rows are, and which elements of a vector a product with these rows needs.
/// A row is inner if this rank owns all elements of the vector that it needs; else it is a border row. So inner
/// rows can be multiplied while elements of other ranks are on their way. A value: everything is @local.
struct SparsePattern {
  struct Range {
    index_t begin, end;
    index_t size() const noexcept { return end - begin; }
    bool has(index_t i) const noexcept { return begin <= i && i < end; }
  };
  /// Neighbouring border columns of one owner: the first one, where it is at its owner and in border_columns.
  struct Stretch {
    int owner;
    index_t column, at_owner, place, count;
  };

  /// `columns` are those of the elements of this rank's rows, in increasing order in each row. Row i has the
  /// elements [begins[i], begins[i + 1]). @throws UsageError if there are too many for 32 bits
  SparsePattern(const Group& group, const Layout<1>& rows, const Layout<1>& columns,
                std::vector<index_t> row_begins, std::span<const index_t> column_numbers);

  /// The layouts of a product y and of a vector x for which products need no copy of their own elements.
  Layout<1> row_layout, column_layout;
  Range own_rows, own_columns;
  std::vector<index_t> begins;
  /// The rows of each kind, counted from the first row of this rank.
  std::vector<Range> inner, border;
  /// The columns that occur in border rows, in increasing order. This rank owns those at places `own_border`.
  std::vector<index_t> border_columns;
  Range own_border;
  /// The others: of owners on this node and on other nodes.
  std::vector<Stretch> near, far;
  /// Where the factor of each element is: for inner rows among this rank's own elements of the vector, for
  /// border rows among border_columns.
  std::vector<std::int32_t> places;
  /// For the first of several neighbouring rows with elements in the same columns: how many they are, max_alike
  /// at most. Finite elements with several unknowns at each node give such rows. Products read their places
  /// once.
  static constexpr int max_alike = 4;
  std::vector<std::uint8_t> alike;

 private:
  void sort_rows(std::span<const index_t> numbers);
  void list_border(std::span<const index_t> numbers);
  void find_alike(std::span<const index_t> numbers);
  void list_stretches(const Group& group);
};

/// The interval of a rank in a blocked or irregular layout of one dimension. A rank without elements has an
/// empty one between its neighbours' intervals. @local
SparsePattern::Range range_of(const Layout<1>& layout, int rank);

}  // namespace tessera::detail
