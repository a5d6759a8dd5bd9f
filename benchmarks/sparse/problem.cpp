// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "problem.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <random>

#include <tessera/sparse_file.hpp>

#include "beam.hpp"

namespace tessera::benchmark::sparse {

std::string Problem::description() const {
  return name + ": " + std::to_string(matrix.rows()) + " x " + std::to_string(matrix.columns()) + ", " +
         std::to_string(matrix.nonzeros()) + " nonzeros";
}

std::vector<double> Problem::product(const std::vector<double>& x) const {
  std::vector<double> y(static_cast<std::size_t>(matrix.rows()), 0.0);
  for (const auto& [row, column, value] : all())
    y[static_cast<std::size_t>(row)] += value * x[static_cast<std::size_t>(column)];
  return y;
}

void add_options(CLI::App& app, ProblemOptions& options) {
  app.add_option("--matrix", options.file, "A Matrix Market file, instead of the matrix of an elastic beam")
      ->type_name("FILE");
  app.add_option("--order", options.order, "Unknowns of the beam (41092; with --quick 3000)")
      ->check(CLI::Range(1, 100'000'000))
      ->type_name("N");
}

Problem make_problem(const Group& world, const ProblemOptions& options, bool is_quick) {
  if (!options.file.empty()) {
    const auto mine = read_matrix_market<double>(world, options.file);
    const Group alone = world.split(world.rank());
    auto all = read_matrix_market<double>(alone, options.file);
    return {"matrix of a file",
            SparseMatrix<double>(world, mine.rows, mine.columns, mine.triplets, {.name = options.file}),
            [all = std::move(all.triplets)] { return all; }};
  }
  const index_t order = options.order > 0 ? options.order : is_quick ? 3000 : 41092;
  return {"stiffness matrix of a beam",
          SparseMatrix<double>(world, order, order, beam(order, world.rank(), world.size()), {.name = "beam"}),
          [order] { return beam(order, 0, 1); }};
}

std::vector<double> some_vector(index_t length) {
  std::mt19937_64 random(26);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> numbers(static_cast<std::size_t>(length));
  std::generate(numbers.begin(), numbers.end(), [&] { return uniform(random); });
  return numbers;
}

bool agree(std::span<const double> found, std::span<const double> expected, double tolerance) {
  double largest = 0;
  for (const double e : expected) largest = std::max(largest, std::abs(e));
  // NaN is near nothing.
  return std::ranges::equal(found, expected,
                            [&](double x, double e) { return std::abs(x - e) <= tolerance * largest; });
}

}  // namespace tessera::benchmark::sparse
