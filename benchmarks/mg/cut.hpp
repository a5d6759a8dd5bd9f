// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/layout.hpp>

namespace tessera::benchmark::mg {

/// How the points of all levels are shared out. Each rank has a block of every fine level, and all blocks of a
/// rank cover the same part of space. The coarse levels have too few points to share out: every rank has them
/// whole.
class Cut {
 public:
  /// @local @throws UsageError if there are more ranks than blocks
  Cut(int levels, int ranks);

  /// The finest level that is whole on every rank. It is shared out like finer levels before each rank has all.
  int whole() const noexcept { return whole_; }
  /// The blocks of a level, from whole() on. @local
  Layout<3> layout(int level) const { return coarsest_.refined(index_t{1} << (level - whole_)); }

 private:
  int whole_ = 0;
  Layout<3> coarsest_;  // of level whole()
};

}  // namespace tessera::benchmark::mg
