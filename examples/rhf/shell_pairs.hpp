// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/view.hpp>

#include "repulsion.hpp"
#include "shell_symmetry.hpp"

namespace rhf {

/// Consecutive shells, and their functions.
struct ShellRange {
  std::size_t first, last;
  tessera::index_t first_function, last_function;
};

/// Two shells, and what their integrals have in common. The engine's order begins with the larger angular
/// momentum.
struct ShellPair {
  std::size_t row, column;  // shells; the column does not come after the row
  bool turned;              // whether the engine's order is column, row
  int momentum[2];          // in the engine's order
  double bound;             // Schwarz: sqrt(max |(ab|ab)|)
  PairData data;
};

/// The pairs of some shells with others, sorted for an integral engine: those with the same angular momenta are
/// together, the largest first. Uses its memory again.
class ShellPairs {
 public:
  /// The pairs of shells `rows` with those of shells `columns` that do not come after them. Those with a bound
  /// below `least` are left out, and those that symmetry maps to later ones.
  void fill(const Basis& basis, const ShellRange& rows, const ShellRange& columns,
            tessera::View<const double, 2> bounds, double least, const RepulsionEngine& engine,
            const ShellSymmetry& symmetry = {});

  /// Calls function(pairs) for each group of pairs with the same angular momenta.
  template <class F>
  void for_each_kind(F&& function) const {
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      while (end < order_.size() && is_same_kind(*order_[begin], *order_[end])) ++end;
      function(std::span(order_).subspan(begin, end - begin));
    }
  }

 private:
  static bool is_same_kind(const ShellPair& a, const ShellPair& b) {
    return a.momentum[0] == b.momentum[0] && a.momentum[1] == b.momentum[1];
  }
  std::vector<ShellPair> pairs_;         // more than there are: the memory of earlier ones
  std::vector<const ShellPair*> order_;  // the pairs
};

}  // namespace rhf
