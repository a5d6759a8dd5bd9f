// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "fock_tasks.hpp"
#include "integrals.hpp"
#include "near_tasks.hpp"
#include "times.hpp"

namespace rhf {

/// How tasks are dealt out: from one counter, or from queues of the ranks that own data of the tasks.
enum class Dealing { counter, queues };

/// Builds Fock matrices as the first Global Arrays programs did. The ranks draw tasks until none is left.
/// Each task fetches patches of the density, computes shell quartets, and accumulates patches of the Fock
/// matrix. No rank waits for another, whatever the tasks cost. Both matrices are distributed: a rank has its
/// own blocks and the rows of three tasks. Only the Schwarz bounds, a number for each pair of shells, are on
/// every rank.
class FockBuilder {
 public:
  /// Contributions below `screening` are left out. All densities must have the symmetry. @collective
  FockBuilder(const tessera::Group& group, const Basis& basis, double screening, ShellSymmetry symmetry = {},
              Dealing dealing = Dealing::queues);
  FockBuilder(const FockBuilder&) = delete;  // near_ refers to tasks_
  FockBuilder& operator=(const FockBuilder&) = delete;

  /// fock = core + 2 J - K for a density D = C_occ C_occ^T. Only the contribution of its change since the last
  /// call is computed. @collective
  void build(const Matrix& density, const Matrix& core, Matrix& fock);
  /// Forgets the last density: the next call computes everything. @collective
  void restart();

  /// How long this rank has spent in the parts of all builds. @local
  const FockTimes& times() const { return times_; }

 private:
  struct Rows;
  using SharedRows = std::array<std::shared_ptr<Rows>, 3>;
  struct Input;
  struct Sent;
  Input fetch(tessera::index_t task);
  Sent compute(Input& input);
  Sent send(const SharedRows& rows, const SharedRows& kept);

  FockTasks tasks_;
  Matrix change_;        // the density of the last build; during a build the change
  Matrix two_electron_;  // of that density
  // One of them deals out the tasks.
  std::optional<tessera::TaskCounter> counter_;
  std::optional<NearTasks> near_;
  SharedRows newest_;  // of the task that was drawn last
  FockTimes times_;
};

}  // namespace rhf
