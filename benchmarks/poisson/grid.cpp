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
      source_[static_cast<std::size_t>(i * strip.width() + j)] = h * h * 2 * pi * pi * solution(strip, i, j);
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
  const index_t width = strip_.width(), n = strip_.n;
  for (index_t i = begin; i < end; ++i) {
    double* __restrict u = points_ + i * width;
    const double* __restrict source = source_.data() + i * width;
    const index_t first = 1 + (strip_.first + i + 1 + colour) % 2;
    for (index_t j = first; j <= n; j += 2)
      u[j] = 0.25 * (u[j - width] + u[j + width] + u[j - 1] + u[j + 1] + source[j]);
  }
}

double Grid::defect() const noexcept {
  const index_t width = strip_.width();
  double largest = 0;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    const double* u = points_ + i * width;
    const double* source = source_.data() + i * width;
    for (index_t j = 1; j <= strip_.n; ++j) {
      const double sum = u[j - width] + u[j + width] + u[j - 1] + u[j + 1] + source[j] - 4 * u[j];
      largest = std::max(largest, std::abs(sum));
    }
  }
  return largest;
}

double Grid::error() const {
  double largest = 0;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    for (index_t j = 1; j <= strip_.n; ++j)
      largest = std::max(largest, std::abs(points_[i * strip_.width() + j] - solution(strip_, i, j)));
  }
  return largest;
}

std::vector<double> Grid::inside() const {
  std::vector<double> all;
  for (index_t i = 1; i <= strip_.rows; ++i) {
    const double* row = points_ + i * strip_.width();
    all.insert(all.end(), row + 1, row + 1 + strip_.n);
  }
  return all;
}

}  // namespace tessera::benchmark::poisson
