// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

// The loader picks the widest vectors that the processor has.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TESSERA_POISSON_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TESSERA_POISSON_VECTORISED
#endif

namespace tessera::benchmark::poisson {
namespace {

constexpr double pi = std::numbers::pi;

double distance(const Strip& strip) { return 1.0 / static_cast<double>(strip.n + 1); }

// The solution at row i of the strip, column j, both from 1.
double solution(const Strip& strip, index_t i, index_t j) {
  const double h = distance(strip);
  return std::sin(pi * h * static_cast<double>(strip.first + i)) * std::sin(pi * h * static_cast<double>(j));
}

TESSERA_POISSON_VECTORISED void sweep_points(const Strip& strip, double* points, const double* source,
                                             int colour, index_t begin, index_t end) noexcept {
  for (index_t i = begin; i < end; ++i) {
    const index_t parity = strip.parity(colour, i), here = strip.at(i, parity);
    double* __restrict u = points + here;
    const double* right_side = source + here;
    const double* above = points + strip.at(i - 1, parity);
    const double* below = points + strip.at(i + 1, parity);
    // column 2 k has columns 2 k - 1 and 2 k + 1 beside it, and column 2 k + 1 has 2 k and 2 k + 2
    const double* left = points + strip.at(i, 1 - parity) + (parity - 1);
    const double* right = left + 1;
    const index_t first = 1 - parity, count = (strip.n + parity) / 2;  // columns 2, 4, ... or 1, 3, ...
    for (index_t k = first; k < first + count; ++k)
      u[k] = 0.25 * (above[k] + below[k] + left[k] + right[k] + right_side[k]);
  }
}

}  // namespace

Grid::Grid(const Strip& strip, double* points)
    : strip_(strip), points_(points), source_(static_cast<std::size_t>(strip.points()), 0.0) {
  clear();
  const double h = distance(strip);
  for (index_t i = 1; i <= strip.rows; ++i) {
    for (index_t j = 1; j <= strip.n; ++j)
      source_[static_cast<std::size_t>(strip.at(i, j % 2) + j / 2)] =
          h * h * 2 * pi * pi * solution(strip, i, j);
  }
}

void Grid::clear() noexcept { std::fill_n(points_, strip_.points(), 0.0); }

void Grid::sweep(int colour) noexcept { sweep_rows(colour, 1, strip_.rows + 1); }

void Grid::sweep_outer_rows(int colour) noexcept {
  sweep_rows(colour, 1, 2);
  if (strip_.rows > 1) sweep_rows(colour, strip_.rows, strip_.rows + 1);
}

void Grid::sweep_inner_rows(int colour) noexcept { sweep_rows(colour, 2, strip_.rows); }

void Grid::sweep_rows(int colour, index_t begin, index_t end) noexcept {
  sweep_points(strip_, points_, source_.data(), colour, begin, end);
}

double Grid::defect() const noexcept {
  double largest = 0;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    for (index_t j = 1; j <= strip_.n; ++j) {
      const double source = source_[static_cast<std::size_t>(strip_.at(i, j % 2) + j / 2)];
      const double sum = point(i - 1, j) + point(i + 1, j) + point(i, j - 1) + point(i, j + 1) + source;
      largest = std::max(largest, std::abs(sum - 4 * point(i, j)));
    }
  }
  return largest;
}

double Grid::error() const {
  double largest = 0;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    for (index_t j = 1; j <= strip_.n; ++j)
      largest = std::max(largest, std::abs(point(i, j) - solution(strip_, i, j)));
  }
  return largest;
}

std::vector<double> Grid::inside() const {
  std::vector<double> all;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    for (index_t j = 1; j <= strip_.n; ++j) all.push_back(point(i, j));
  }
  return all;
}

}  // namespace tessera::benchmark::poisson
