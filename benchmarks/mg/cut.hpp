// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/layout.hpp>

namespace tessera::benchmark::mg {

/// How the points of all levels are shared out among the ranks. Each rank has a block of the fine levels. A
/// block of one level covers the same part of space as the rank's block of the next. The coarse levels, which
/// have too few points to share out, are whole on every rank.
class Cut {
 public:
  /// @local @throws UsageError if there are more ranks than blocks
  Cut(int levels, int ranks);

  int levels() const noexcept { return levels_; }
  /// The finest level that is whole on every rank. It is shared out like finer levels before each rank has all.
  int whole() const noexcept { return whole_; }
  /// The blocks of a level, from whole() on. @local
  Layout<3> layout(int level) const;

 private:
  int levels_, whole_ = 0;
  Layout<3> coarsest_;  // of level whole()
};

}  // namespace tessera::benchmark::mg
