// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/diis_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace {

using tessera::linalg::detail::diis_weights;
using tessera::linalg::detail::ErrorDifferences;

using Vectors = std::vector<std::vector<double>>;

constexpr double threshold = 1e-13;

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double norm_of(const std::vector<double>& error) { return std::sqrt(product(error, error)); }
ErrorDifferences differences_of(const Vectors& errors) {
  ErrorDifferences differences;
  Vectors units;
  for (std::size_t i = 0; i + 1 < errors.size(); ++i) {
    auto& unit = units.emplace_back();
    for (std::size_t k = 0; k < errors[i].size(); ++k) unit.push_back(errors[i + 1][k] - errors[i][k]);
    const double norm = std::sqrt(product(unit, unit));
    for (double& x : unit) x /= norm == 0 ? 1 : norm;
    differences.norms.push_back(norm);
    differences.products.push_back(product(unit, errors.back()));
  }
  for (const auto& x : units) {
    auto& row = differences.cosines.emplace_back();
    for (const auto& y : units) row.push_back(product(x, y));
  }
  return differences;
}
std::vector<double> weights_of(const Vectors& errors) {
  return diis_weights(differences_of(errors), norm_of(errors.back()), threshold);
}
std::vector<double> combined(const Vectors& errors, const std::vector<double>& weights) {
  std::vector<double> sum(errors[0].size());
  for (std::size_t i = 0; i < errors.size(); ++i)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += weights[i] * errors[i][k];
  return sum;
}
Vectors random_vectors(std::size_t count, std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Vectors vectors(count, std::vector<double>(size));
  for (auto& vector : vectors)
    for (double& x : vector) x = normal(random);
  return vectors;
}

// At the minimum, the combination is at a right angle to the difference of any two errors.
TEST(DiisWeights, combine_errors_to_the_least_norm) {
  for (const std::size_t count : {1U, 2U, 5U, 8U}) {
    Vectors errors = random_vectors(count, 40, 3 + static_cast<unsigned>(count));
    for (std::size_t i = 0; i < count; ++i)
      for (double& x : errors[i]) x *= std::pow(10.0, -static_cast<double>(i));
    const std::vector<double> weights = weights_of(errors);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-13);
    const std::vector<double> least = combined(errors, weights);
    for (const auto& error : errors) EXPECT_NEAR(product(least, error) / product(least, least), 1, 1e-7);
  }
}

TEST(DiisWeights, of_two_errors_are_as_computed_by_hand) {
  // |w (3, 0) + (1 - w) (0, 1)|^2 is least where 9 w = 1 - w.
  const std::vector<double> weights = weights_of({{3, 0}, {0, 1}});
  EXPECT_NEAR(weights[0], 0.1, 1e-15);
  EXPECT_NEAR(weights[1], 0.9, 1e-15);
}

// Errors that depend on each other may have a combination that vanishes.
TEST(DiisWeights, find_the_combination_without_an_error) {
  const std::vector<double> two = weights_of({{1, 0}, {-3, 0}});
  EXPECT_NEAR(two[0], 0.75, 1e-15);
  EXPECT_NEAR(two[1], 0.25, 1e-15);
  const Vectors errors{{1, 2, 0}, {0.5, -1, 0}, {-2, 0.25, 0}};
  for (const double x : combined(errors, weights_of(errors))) EXPECT_NEAR(x, 0, 1e-14);
}

TEST(DiisWeights, leave_out_iterations_that_add_nothing) {
  Vectors errors = random_vectors(4, 20, 9);
  errors[0] = errors[1] = combined({errors[2], errors[3]}, {3.0, -2.0});  // on the line through them
  const std::vector<double> weights = weights_of(errors);
  EXPECT_EQ(weights[0], 0);
  EXPECT_EQ(weights[1], 0);
  const std::vector<double> two = weights_of({errors[2], errors[3]});
  EXPECT_NEAR(weights[2], two[0], 1e-12);
  EXPECT_NEAR(weights[3], two[1], 1e-12);
  EXPECT_EQ(weights_of({errors[0], errors[0]}), (std::vector<double>{0, 1}));
  EXPECT_EQ(weights_of({errors[0]}), std::vector<double>{1});
}

// The difference of errors that rounding alone tells apart has no direction that means anything.
TEST(DiisWeights, ignore_differences_that_rounding_made) {
  Vectors errors = random_vectors(3, 20, 9);
  errors[1] = errors[2];
  for (std::size_t k = 0; k < 20; k += 2) errors[1][k] = std::nextafter(errors[1][k], 9.0);
  const std::vector<double> weights = weights_of(errors), two = weights_of({errors[0], errors[2]});
  EXPECT_NEAR(weights[0], two[0], 1e-12);
  EXPECT_NEAR(weights[1] + weights[2], two[1], 1e-12);
  EXPECT_EQ(weights_of({errors[1], errors[2]}), (std::vector<double>{0, 1}));
}

TEST(DiisWeights, do_not_depend_on_the_size_of_errors) {
  const Vectors errors = random_vectors(3, 10, 5);
  const std::vector<double> expected = weights_of(errors);
  for (const double factor : {1e-290, 1e290}) {
    ErrorDifferences differences = differences_of(errors);
    for (double& norm : differences.norms) norm *= factor;
    for (double& product : differences.products) product *= factor;
    const std::vector<double> weights = diis_weights(differences, factor * norm_of(errors.back()), threshold);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-12);
  }
}

}  // namespace
