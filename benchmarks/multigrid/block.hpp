// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdlib>
#include <memory>

#include <tessera/offset_view.hpp>

namespace tessera::benchmark::multigrid {

using Values = OffsetView<double, 3>;
using ConstValues = OffsetView<const double, 3>;

/// A patch with so many cells more on each side. Nothing is added to an empty one. @local
inline Patch<3> grown(const Patch<3>& patch, index_t width) {
  Patch<3> all = patch;
  for (std::size_t d = 0; d < 3 && !patch.empty(); ++d) all.lo[d] -= width, all.hi[d] += width;
  return all;
}

/// The cells of a patch in plain memory, row by row; 0 at first. Large blocks are in huge pages where the
/// system has them, as arrays are: it is not the size of pages that is compared.
class Block {
 public:
  explicit Block(const Patch<3>& patch);
  const Patch<3>& patch() const noexcept { return patch_; }
  Values values() { return {View<double, 3>(memory_.get(), patch_.extents()), patch_.lo}; }
  ConstValues values() const { return {View<const double, 3>(memory_.get(), patch_.extents()), patch_.lo}; }
  double* data() noexcept { return memory_.get(); }
  void clear();

 private:
  struct Free {
    void operator()(double* memory) const noexcept { std::free(memory); }
  };
  Patch<3> patch_;
  std::unique_ptr<double[], Free> memory_;
};

/// Copies a patch that both have. @local
void copy_patch(const Patch<3>& patch, const ConstValues& from, const Values& to);

/// coarse(i) = the mean of the fine cells in coarse cell i, for the cells of a patch. @local
void restrict_means(const ConstValues& fine, const Values& coarse, const Patch<3>& patch);
/// fine(j) += linear interpolation of coarse cells, for the cells of a patch. @local
void add_interpolated(const ConstValues& coarse, const Values& fine, const Patch<3>& patch);

}  // namespace tessera::benchmark::multigrid
