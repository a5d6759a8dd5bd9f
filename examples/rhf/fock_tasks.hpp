// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include <tessera/view.hpp>

#include "digest.hpp"
#include "repulsion.hpp"
#include "shell_pairs.hpp"
#include "shell_symmetry.hpp"

namespace rhf {

/// Rows of the density and the same rows of the Fock matrix, both from the first column on and stored alike.
struct Strip {
  tessera::View<const double, 2> density;
  tessera::View<double, 2> fock;
};

/// The two-electron part of a Fock matrix, cut into numbered tasks. A task is three blocks of shells, a >= b
/// and a >= c. It has the integrals (ab|cd) of their shells with all shells d that do not come after those of
/// c, each quartet once. It reads and changes three strips of the matrices: the rows of a, b and c. It knows of
/// no other rank. Of quartets that symmetry maps to each other, one counts for all.
class FockTasks {
 public:
  /// Contributions below `screening` are left out. `bounds` are the Schwarz bounds of all pairs of shells. The
  /// blocks are small enough for so many ranks.
  FockTasks(const Basis& basis, tessera::LocalArray<double, 2> bounds, double screening, int ranks,
            ShellSymmetry symmetry = {});

  const ShellSymmetry& symmetry() const { return symmetry_; }

  tessera::index_t count() const;
  /// The blocks of shells, and the first basis function of one.
  tessera::index_t blocks() const { return static_cast<tessera::index_t>(blocks_.size()); }
  tessera::index_t first_function(tessera::index_t block) const {
    return blocks_[static_cast<std::size_t>(block)].first_function;
  }
  /// The number of the task with blocks a, b, c.
  tessera::index_t number(const std::array<std::size_t, 3>& abc) const;
  /// The patches of a task's strips. Later tasks are smaller, so all ranks end at about the same time.
  /// Consecutive tasks mostly have the first and the last strip in common.
  std::array<tessera::Patch<2>, 3> patches(tessera::index_t number) const;

  /// Whether a task has integrals at all: others may stand for its.
  bool has_work(tessera::index_t number) const;

  /// Prepares for a density whose largest element is this.
  void begin(double largest_density);
  /// Adds the contributions of a task, if there are any. The mean of all contributions and their transpose,
  /// averaged over the symmetry, is the two-electron part.
  bool compute(tessera::index_t number, const std::array<Strip, 3>& strips);

 private:
  // The largest elements of a strip of the density, by shells.
  struct Largest {
    std::size_t first, columns;
    std::vector<double> values = {};
    double at(std::size_t row, std::size_t column) const { return values[(row - first) * columns + column]; }
  };
  std::array<std::size_t, 3> decode(tessera::index_t number) const;  // blocks a, b, c
  double find_largest(const ShellRange& rows, const tessera::View<const double, 2>& density,
                      Largest& largest) const;
  bool compute(std::span<const ShellPair* const> bras, std::span<const ShellPair* const> kets);
  bool is_needed(const ShellPair& bra, const ShellPair& ket) const;
  Blocks block(std::size_t strip, std::size_t row, std::size_t column) const;
  QuartetBlocks blocks(const ShellPair& bra, const ShellPair& ket, bool swapped) const;

  const Basis& basis_;
  tessera::LocalArray<double, 2> bounds_;
  ShellSymmetry symmetry_;
  double screening_, largest_bound_, least_bound_ = 0;
  std::vector<ShellRange> blocks_;
  std::vector<bool> has_pairs_;  // for two blocks, whether a pair of their shells is the last of its images
  RepulsionEngine engine_;
  // of the task at hand
  std::array<const ShellRange*, 3> ranges_{};
  std::array<Strip, 3> strips_{};
  std::array<Largest, 3> largest_{};
  double largest_of_all_ = 0;
  std::optional<std::size_t> ket_block_;  // ket_ is of this one
  ShellPairs bra_, ket_;
};

}  // namespace rhf
