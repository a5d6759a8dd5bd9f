// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/offset_view.hpp>

#include "plain_memory.hpp"

namespace tessera::benchmark::multigrid {

using Values = OffsetView<double, 3>;
using ConstValues = OffsetView<const double, 3>;

/// A patch with so many cells more on each side. Nothing is added to an empty one. @local
inline Patch<3> grown(const Patch<3>& patch, index_t width) {
  Patch<3> all = patch;
  for (std::size_t d = 0; d < 3 && !patch.empty(); ++d) all.lo[d] -= width, all.hi[d] += width;
  return all;
}

/// The cells of a patch in plain memory, row by row; 0 at first.
class Block {
 public:
  explicit Block(const Patch<3>& patch) : patch_(patch), memory_(static_cast<std::size_t>(patch.size())) {}
  const Patch<3>& patch() const noexcept { return patch_; }
  Values values() { return {View<double, 3>(memory_.data(), patch_.extents()), patch_.lo}; }
  ConstValues values() const { return {View<const double, 3>(memory_.data(), patch_.extents()), patch_.lo}; }
  double* data() noexcept { return memory_.data(); }
  void clear() { memory_.clear(); }

 private:
  Patch<3> patch_;
  PlainMemory memory_;
};

/// Copies a patch that both have. @local
void copy_patch(const Patch<3>& patch, const ConstValues& from, const Values& to);

/// coarse(i) = the mean of the fine cells in coarse cell i, for the cells of a patch. @local
void restrict_means(const ConstValues& fine, const Values& coarse, const Patch<3>& patch);
/// fine(j) += linear interpolation of coarse cells, for the cells of a patch. @local
void add_interpolated(const ConstValues& coarse, const Values& fine, const Patch<3>& patch);

}  // namespace tessera::benchmark::multigrid
