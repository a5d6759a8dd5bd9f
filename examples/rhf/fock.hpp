// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "integrals.hpp"

namespace libint2 {
class Engine;
}

namespace rhf {

/// Builds the two-electron part of Fock matrices as the first Global Arrays programs did. The ranks draw tasks
/// from a shared counter. Each task fetches patches of the density, computes shell quartets, and accumulates
/// patches of the Fock matrix. No rank waits for another, whatever the tasks cost.
class FockBuilder {
 public:
  /// Integrals that cannot contribute more than `screening` are left out. @collective
  FockBuilder(const tessera::Group& group, const Basis& basis, double screening);
  ~FockBuilder();

  /// fock = core + 2 J - K for a density D = C_occ C_occ^T. @collective
  void build(const Matrix& density, const Matrix& core, Matrix& fock);

 private:
  struct Block {  // consecutive shells
    std::size_t first_shell, last_shell;
    long first, last;  // functions
  };
  struct Task {
    std::size_t a, b, c, d;  // blocks; pair (a, b) >= pair (c, d), a >= b, c >= d
    double cost;
  };
  void make_blocks();
  void make_tasks();
  void run(const Task& task, const Matrix& density, Matrix& fock);
  const tessera::LocalArray<double, 2>& fetch(std::size_t row, std::size_t column, const Matrix& density);

  const Basis& basis_;
  double screening_;
  tessera::LocalArray<double, 2> bounds_;
  std::vector<Block> blocks_;
  std::vector<Task> tasks_;
  tessera::Array<std::int64_t, 1> counter_;
  Matrix two_electron_, turned_;
  std::unique_ptr<libint2::Engine> engine_;
  std::map<std::pair<std::size_t, std::size_t>, tessera::LocalArray<double, 2>> fetched_;
  double largest_density_ = 0;
};

}  // namespace rhf
