// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <tessera/sparse.hpp>

#include "session.hpp"

namespace tessera::benchmark::sparse {

/// A sparse matrix on all ranks, and all of its triplets to check results with.
struct Problem {
  std::string name;
  SparseMatrix<double> matrix;
  std::function<std::vector<Triplet<double>>()> all;  // @local

  /// "stiffness matrix of a beam: 3000 x 3000, 112806 nonzeros". @local
  std::string description() const;
  /// The sum of a row's triplets times the elements of x, for all rows. @local
  std::vector<double> product(const std::vector<double>& x) const;
};

/// The options of programs that measure with a sparse matrix, beside those of all benchmarks.
struct ProblemOptions {
  std::string file = {};  ///< a Matrix Market file; the beam if it is empty
  index_t order = 0;      ///< of the beam; 0: the default
};
/// Adds them to a command line. @local
void add_options(CLI::App& app, ProblemOptions& options);

/// The matrix of a file, or of the beam. @collective @throws UsageError on every rank
Problem make_problem(const Group& world, const ProblemOptions& options, bool is_quick);

/// Numbers in [-1, 1] that look random, the same in each run. @local
std::vector<double> some_vector(index_t length);
/// Whether the numbers differ from the expected ones only by rounding errors, relative to the largest. @local
bool agree(std::span<const double> found, std::span<const double> expected, double tolerance);

}  // namespace tessera::benchmark::sparse
