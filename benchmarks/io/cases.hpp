// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/array.hpp>

#include "peers.hpp"

namespace tessera::benchmark::io {

/// A layout of a matrix, and how a program without Tessera moves the same parts.
class Case {
 public:
  /// If `block` is zero, each rank has one block, and blocks are even. Otherwise blocks go in turn to the ranks
  /// of a near-square grid.
  Case(std::string name, const Layout<2>& layout, const Extents<2>& block, int rank);

  const std::string& name() const noexcept { return name_; }
  const Layout<2>& layout() const noexcept { return layout_; }
  const Selection& selection() const noexcept { return selection_; }
  /// Whether a rank's memory is its part in row-major order, so that nothing needs to be packed. @local
  bool is_row_major() const noexcept;
  /// Copies a rank's memory to its part in row-major order, and back. @local
  void pack(const Array<double, 2>& from, double* to) const;
  void unpack(const double* from, Array<double, 2>& to) const;

 private:
  View<double, 2> packed(double* part, index_t b) const;

  std::string name_;
  Layout<2> layout_;
  Extents<2> block_;
  int rank_;
  Selection selection_;
};

/// Blocked, blocked by columns, block-cyclic and tiled layouts of a matrix of about so many bytes.
std::vector<Case> cases(index_t bytes, const Group& group);

}  // namespace tessera::benchmark::io
