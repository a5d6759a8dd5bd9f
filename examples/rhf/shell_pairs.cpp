// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "shell_pairs.hpp"

#include <algorithm>
#include <tuple>

namespace rhf {

using namespace tessera;

void ShellPairs::fill(const Basis& basis, const ShellRange& rows, const ShellRange& columns,
                      View<const double, 2> bounds, double least, const RepulsionEngine& engine,
                      const ShellSymmetry& symmetry) {
  const std::size_t most = (rows.last - rows.first) * (columns.last - columns.first);
  if (pairs_.size() < most) pairs_.resize(most);
  order_.clear();
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    for (std::size_t column = columns.first; column < std::min(columns.last, row + 1); ++column) {
      const double bound = bounds(static_cast<index_t>(row), static_cast<index_t>(column));
      if (bound < least || !symmetry.is_last(row, column)) continue;
      const libint2::Shell &a = basis.shells[row], &b = basis.shells[column];
      ShellPair& pair = pairs_[order_.size()];
      pair.row = row;
      pair.column = column;
      pair.turned = a.contr[0].l < b.contr[0].l;
      pair.momentum[0] = std::max(a.contr[0].l, b.contr[0].l);
      pair.momentum[1] = std::min(a.contr[0].l, b.contr[0].l);
      pair.bound = bound;
      engine.prepare(pair.turned ? b : a, pair.turned ? a : b, pair.data);
      order_.push_back(&pair);
    }
  }
  std::sort(order_.begin(), order_.end(), [](const ShellPair* x, const ShellPair* y) {
    return std::tie(x->momentum[0], x->momentum[1], y->bound) <
           std::tie(y->momentum[0], y->momentum[1], x->bound);
  });
}

}  // namespace rhf
