// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/pairs.hpp>

#include <algorithm>
#include <cmath>

#include <tessera/runtime/detail/product.hpp>
#include <tessera/runtime/error.hpp>

#include "format.hpp"

namespace tessera {

namespace {

// The pairs of a triangle before row i. One of the factors is even, and is divided first: the product may be
// close to the largest integer.
index_t pairs_before(index_t i) noexcept { return i % 2 == 0 ? i / 2 * (i + 1) : (i + 1) / 2 * i; }

index_t count_of(index_t n, bool is_triangular) {
  if (n < 0) throw UsageError(formatted("Pairs: {} indices", n));
  const bool is_even = n % 2 == 0;
  const auto count = is_triangular ? detail::checked_product(is_even ? n / 2 : n, is_even ? n + 1 : n / 2 + 1)
                                   : detail::checked_product(n, n);
  if (!count) throw UsageError(formatted("Pairs: 64 bits cannot count the pairs of {} indices", n));
  return *count;
}

}  // namespace

Pairs::Pairs(index_t n, bool is_triangular)
    : n_(n), count_(count_of(n, is_triangular)), is_triangular_(is_triangular) {}

std::pair<index_t, index_t> Pairs::in_order(index_t number) const noexcept {
  if (!is_triangular_) return {number / n_, number % n_};
  // The root is exact to a few rows even where a double cannot hold the number.
  auto i = std::min(static_cast<index_t>(std::sqrt(2.0 * static_cast<double>(number))), n_ - 1);
  while (pairs_before(i) > number) --i;
  while (i + 1 < n_ && pairs_before(i + 1) <= number) ++i;
  return {i, number - pairs_before(i)};
}

void Pairs::sort(const std::function<double(index_t, index_t)>& cost) {
  if (n_ > index_t{1} << 32)
    throw UsageError(formatted("Pairs: {} indices are too many to be ordered by cost", n_));
  std::vector<std::pair<double, std::uint64_t>> all;
  all.reserve(static_cast<std::size_t>(count_));
  for (index_t number = 0; number < count_; ++number) {
    const auto [i, j] = in_order(number);
    const double c = cost(i, j);
    if (std::isnan(c)) throw UsageError(formatted("Pairs: the cost of the pair ({}, {}) is NaN", i, j));
    all.emplace_back(c, static_cast<std::uint64_t>(i) << 32 | static_cast<std::uint64_t>(j));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  sorted_.reserve(all.size());
  for (const auto& [c, pair] : all) sorted_.push_back(pair);
}

namespace detail {

void require_task_for_each(const Pairs& pairs, index_t tasks) {
  if (tasks != pairs.count())
    throw UsageError(
        formatted("for_each_pair: {} tasks for {} pairs; make them with Pairs::count()", tasks, pairs.count()));
}

}  // namespace detail

}  // namespace tessera
