// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>
#include <vector>

#include "kernels.hpp"

namespace tessera::benchmark::mg {

/// A whole level in the memory of one rank, which fills the ghost cells alone.
class WholeField {
 public:
  explicit WholeField(index_t n) : cells_(with_ghosts({n, n, n})) {}
  Grid local_with_ghosts() { return cells_; }
  ConstGrid local_with_ghosts() const { return cells_; }
  void update_ghosts() {
    for (std::size_t d = 3; d-- > 0;) wrap(cells_, d);
  }

 private:
  LocalArray<double, 3> cells_;
};

/// Successive levels of the multigrid, the coarsest first: u and the residual r on each. A Field has the
/// members local_with_ghosts() and update_ghosts() of an array.
template <class Field>
class Levels {
 public:
  explicit Levels(const std::array<double, 3>& smoother) : smoother_(smoother) {}
  /// Adds a finer level. @local
  void add(Field u, Field r) {
    u_.push_back(std::move(u));
    r_.push_back(std::move(r));
  }

  std::size_t finest() const noexcept { return u_.size() - 1; }
  /// The cells of a level, where 0 is the coarsest. @local
  auto u(std::size_t level) { return u_[level].local_with_ghosts(); }
  auto r(std::size_t level) { return r_[level].local_with_ghosts(); }
  auto const_u(std::size_t level) const { return u_[level].local_with_ghosts(); }
  auto const_r(std::size_t level) const { return r_[level].local_with_ghosts(); }
  /// The ghost cells of r. @collective
  void update_r(std::size_t level) { r_[level].update_ghosts(); }

  /// Makes r of all levels from that of the finest. @collective
  void descend() {
    for (std::size_t level = finest(); level > 0; --level) {
      restrict(const_r(level), inside(r(level - 1)));
      update_r(level - 1);
    }
  }
  /// Makes u of a level from that of the coarser one, and smooths it. @collective
  void ascend(std::size_t level) {
    clear(u(level));
    interpolate(const_u(level - 1), u(level));
    improve(level, const_r(level));
  }
  /// r = v - A u, u += S r. @collective
  void improve(std::size_t level, const ConstGrid& v) {
    find_residual(level, v);
    relax(level);
  }
  /// r = v - A u. @collective
  void find_residual(std::size_t level, const ConstGrid& v) {
    residual(const_u(level), v, r(level));
    update_r(level);
  }
  /// u += S r. @collective
  void relax(std::size_t level) {
    smooth(const_r(level), u(level), smoother_);
    u_[level].update_ghosts();
  }

 private:
  std::array<double, 3> smoother_;
  std::vector<Field> u_, r_;
};

}  // namespace tessera::benchmark::mg
