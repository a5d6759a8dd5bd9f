// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/tasks.hpp>

#include "fock_tasks.hpp"

namespace tessera::benchmark::fock {

/// Builds Fock matrices with the same tasks, but with all matrices on every rank: a task communicates nothing,
/// and MPI_Allreduce adds up the contributions of the ranks.
class ReplicatedFock {
 public:
  /// `core` is the same on every rank. @collective
  ReplicatedFock(const Group& group, const rhf::Basis& basis, double screening, LocalArray<double, 2> core);

  /// core + 2 J - K for a density that is the same on every rank. @collective
  const LocalArray<double, 2>& build(const LocalArray<double, 2>& density);

 private:
  rhf::FockTasks tasks_;
  TaskCounter counter_;
  LocalArray<double, 2> core_, two_electron_, fock_;
};

}  // namespace tessera::benchmark::fock
