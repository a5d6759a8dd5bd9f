// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tessera::benchmark::poisson {
namespace {

constexpr double pi = std::numbers::pi;

double distance(const Strip& strip) { return 1.0 / static_cast<double>(strip.n + 1); }

// The solution at row i of the strip, column j, both from 1.
double solution(const Strip& strip, index_t i, index_t j) {
  const double h = distance(strip);
  return std::sin(pi * h * static_cast<double>(strip.first + i)) * std::sin(pi * h * static_cast<double>(j));
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
  for (index_t i = begin; i < end; ++i) {
    const index_t parity = strip_.parity(colour, i);
    double* __restrict u = points_ + strip_.at(i, parity);
    const double* source = source_.data() + strip_.at(i, parity);
    const double* above = points_ + strip_.at(i - 1, parity);
    const double* below = points_ + strip_.at(i + 1, parity);
    // column 2 k has columns 2 k - 1 and 2 k + 1 beside it, and column 2 k + 1 has 2 k and 2 k + 2
    const double* left = points_ + strip_.at(i, 1 - parity) + (parity - 1);
    const double* right = left + 1;
    const index_t last = (strip_.n + parity) / 2;  // even columns are 2, 4, ..., odd ones 1, 3, ...
    for (index_t k = 1 - parity; k < last + 1 - parity; ++k)
      u[k] = 0.25 * (above[k] + below[k] + left[k] + right[k] + source[k]);
  }
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
