// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Conjugate gradients with Jacobi's preconditioner: tessera::cg with a SparseMatrix, and the same algorithm by
// hand in MPI. The matrix is the stiffness matrix of an elastic beam, or that of a Matrix Market file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/krylov.hpp>
#include <tessera/preconditioners.hpp>
#include <tessera/runtime/error.hpp>

#include "mpi_peer.hpp"
#include "sparse/local_rows.hpp"
#include "sparse/problem.hpp"

namespace tessera::benchmark::sparse {
namespace {

constexpr double tolerance = 1e-12;
constexpr index_t most_iterations = 100'000, measured_iterations = 50;

/// A solution and how it was found.
struct Solution {
  std::vector<double> own;  // this rank's elements
  index_t iterations;
};

/// A solver of A x = b by one way. It begins at 0, and stops where |b - A x| <= tolerance |b| or after so many
/// iterations. @collective
using Solver = std::function<Solution(double tolerance, index_t iterations)>;

Solver by_tessera(const SparseMatrix<double>& matrix, std::span<const double> right) {
  struct State {
    Array<double, 1> b, x;
    Jacobi<double, 1> jacobi;
    KrylovWorkspace<double, 1> workspace = {};
  };
  Array<double, 1> b(matrix.group(), matrix.row_layout(), {.name = "b"});
  for_each_local(b, [&](const Index<1>& i, double& e) { e = right[static_cast<std::size_t>(i[0])]; });
  b.sync();
  auto x = b.duplicate("x"), diagonal = b.duplicate("diagonal");
  matrix.get_diagonal(diagonal);
  Jacobi<double, 1> jacobi(diagonal);
  const auto state = std::make_shared<State>(State{std::move(b), std::move(x), std::move(jacobi)});
  const bool speaks = matrix.group().rank() == 0;
  return [&matrix, state, speaks](double small, index_t iterations) {
    const auto progress = [speaks](index_t iteration, double residual) {
      if (speaks && iteration % 1000 == 0)
        std::cerr << "iteration " << iteration << ": residual " << residual << '\n';
    };
    fill(state->x, 0.0);
    const KrylovResult result =
        cg(matrix, state->b, state->x, {.tolerance = small, .max_iterations = iterations, .progress = progress},
           state->jacobi, &state->workspace);
    if (small > 0 && !result.converged())
      throw Error("conjugate gradients found no solution after " + std::to_string(result.iterations) +
                  " iterations: " + to_string(result.stop));
    const auto own = std::as_const(state->x).local();
    return Solution{{own.data(), own.data() + own.size()}, result.iterations};
  };
}

// Eight sums side by side, as the library has, so that the compiler vectorises them.
double dot(const double* a, const double* b, std::size_t n) {
  double sums[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/// The same by hand: each rank has its part of the vectors in memory of its own.
class HandWritten {
 public:
  HandWritten(const SparseMatrix<double>& matrix, std::span<const double> right)
      : group_(matrix.group()), product_(group_, matrix), n_(static_cast<std::size_t>(product_.rows().rows())) {
    const auto begin = right.begin() + matrix.first_row();
    b_.assign(begin, begin + static_cast<index_t>(n_));
    for (std::vector<double>* v : {&x_, &r_, &z_, &q_, &inverse_}) v->assign(n_, 0.0);
    p_.assign(n_ + product_.rows().needed().size(), 0.0);
    const auto begins = matrix.row_begins();
    for (std::size_t i = 0; i < n_; ++i) {
      for (auto k = static_cast<std::size_t>(begins[i]); k < static_cast<std::size_t>(begins[i + 1]); ++k) {
        if (matrix.local_columns()[k] == matrix.first_row() + static_cast<index_t>(i))
          inverse_[i] = 1 / matrix.local_values()[k];
      }
    }
  }

  Solution solve(double small, index_t most) {
    double sums[2] = {0, 0};
    sums[0] = dot(b_.data(), b_.data(), n_);
    add_up(sums, 1);
    const double enough = small * small * sums[0];
    std::fill(x_.begin(), x_.end(), 0.0);
    r_ = b_;
    std::fill(p_.begin(), p_.end(), 0.0);
    precondition(sums);
    double rho = sums[0], beta = 0;
    index_t iterations = 0;
    while (sums[1] > enough && iterations < most) {
      for (std::size_t i = 0; i < n_; ++i) p_[i] = z_[i] + beta * p_[i];
      product_(p_, q_.data());
      double curvature = dot(p_.data(), q_.data(), n_);
      add_up(&curvature, 1);
      const double alpha = rho / curvature;
      for (std::size_t i = 0; i < n_; ++i) x_[i] += alpha * p_[i], r_[i] -= alpha * q_[i];
      precondition(sums);
      beta = sums[0] / rho;
      rho = sums[0];
      ++iterations;
    }
    return {x_, iterations};
  }

 private:
  void add_up(double* sums, index_t count) {
    mpi_peer::all_reduce(group_, sums, count * static_cast<index_t>(sizeof(double)));
  }
  // z = r / diagonal. Sets the sums r z and r r.
  void precondition(double* sums) {
    for (std::size_t i = 0; i < n_; ++i) z_[i] = inverse_[i] * r_[i];
    sums[0] = dot(r_.data(), z_.data(), n_);
    sums[1] = dot(r_.data(), r_.data(), n_);
    add_up(sums, 2);
  }

  Group group_;
  PackedProduct product_;
  std::size_t n_;
  std::vector<double> b_, x_, r_, z_, q_, inverse_, p_;
};

Solver by_hand(const SparseMatrix<double>& matrix, std::span<const double> right) {
  return [solver = std::make_shared<HandWritten>(matrix, right)](double small, index_t iterations) {
    return solver->solve(small, iterations);
  };
}

// Solves for a known solution, and returns the number of iterations.
index_t check(const Group& world, const Problem& problem, const std::vector<double>& known,
              const std::string& name, const Solver& solve) {
  const Solution found = solve(tolerance, most_iterations);
  const std::span<const double> wanted(known.data() + problem.matrix.first_row(), found.own.size());
  // The error may be larger than the residual, by the condition of the matrix.
  require_everywhere(world, agree(found.own, wanted, 1e-4), name);
  return found.iterations;
}

void measure(Session& session, const Problem& problem) {
  const Group& world = session.world();
  const SparseMatrix<double>& matrix = problem.matrix;
  const std::vector<double> known = some_vector(matrix.rows()), right = problem.product(known);
  const Solver tessera = by_tessera(matrix, right), hand = by_hand(matrix, right);
  const index_t iterations = check(world, problem, known, "tessera::cg", tessera);
  const index_t others = check(world, problem, known, "conjugate gradients by hand", hand);
  require_everywhere(world, std::abs(iterations - others) <= 2 + iterations / 20,
                     std::to_string(iterations) + " iterations, and " + std::to_string(others) + " by hand");
  const auto calls = [](const Solver& solve) {
    return repeat([&solve] { static_cast<void>(solve(0.0, measured_iterations)); });
  };
  session.compare({.section = "conjugate gradients, " + problem.description(),
                   .name = std::to_string(measured_iterations) + " iterations: tessera::cg",
                   .routine = calls(tessera),
                   .clock = Clock::joint,
                   .others = waiting(world)},
                  {{.name = "by hand, MPI_Alltoallv and MPI_Allreduce",
                    .routine = calls(hand),
                    .target = as_fast_as_mpi(world)}});
  session.note("Before it is measured, each solver finds a known solution in " + std::to_string(iterations) +
               " iterations, give or take rounding errors.");
}

}  // namespace
}  // namespace tessera::benchmark::sparse

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  sparse::ProblemOptions problem_options;
  auto parsed = parse_options(argc, argv, "Conjugate gradients with a sparse matrix.", world.rank() == 0,
                              [&](CLI::App& app) { add_options(app, problem_options); });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};

  Session session(runtime, "cg", parsed.options);
  const sparse::Problem problem = make_problem(world, problem_options, session.is_quick());
  if (problem.matrix.rows() != problem.matrix.columns() || problem.matrix.rows() == 0)
    throw tessera::UsageError("cg needs a square matrix that is not empty");
  sparse::measure(session, problem);
  session.finish();
  return 0;
}
