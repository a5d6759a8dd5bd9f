// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "fock_tasks.hpp"

#include <algorithm>
#include <cmath>

namespace rhf {

using namespace tessera;

namespace {

std::vector<ShellRange> blocks_of(const Basis& basis, index_t functions) {
  std::vector<ShellRange> blocks;
  for (std::size_t s = 0; s < basis.shells.size(); ++s) {
    const index_t end = basis.first[s + 1];
    if (blocks.empty() || end - blocks.back().first_function > functions) {
      blocks.push_back({s, s + 1, basis.first[s], end});
    } else {
      blocks.back().last = s + 1;
      blocks.back().last_function = end;
    }
  }
  return blocks;
}

// The number of tasks whose first block is below this one.
index_t tasks_below(index_t block) { return block * (block + 1) * (2 * block + 1) / 6; }

// The largest blocks that leave a hundred tasks for each rank, which balances the load. Symmetry leaves work to
// some of them only. Smaller blocks take more transfers between nodes, and larger ones save none that matter.
std::vector<ShellRange> blocks_for(const Basis& basis, int ranks, std::size_t symmetry) {
  constexpr index_t most = 16, least = 3;
  const index_t wanted = 100 * static_cast<index_t>(ranks) * static_cast<index_t>(symmetry);
  for (index_t functions = most;; --functions) {
    auto blocks = blocks_of(basis, functions);
    if (functions == least || tasks_below(static_cast<index_t>(blocks.size())) >= wanted) return blocks;
  }
}

bool has_last_pair(const ShellSymmetry& symmetry, const ShellRange& rows, const ShellRange& columns) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    for (std::size_t column = columns.first; column < std::min(columns.last, row + 1); ++column) {
      if (symmetry.is_last(row, column)) return true;
    }
  }
  return false;
}

// A Coulomb integral counts four times in an element of the Fock matrix, an exchange integral once.
constexpr double coulomb_weight = 4;

}  // namespace

FockTasks::FockTasks(const Basis& basis, LocalArray<double, 2> bounds, double screening, int ranks,
                     ShellSymmetry symmetry)
    : basis_(basis),
      bounds_(std::move(bounds)),
      symmetry_(std::move(symmetry)),
      screening_(screening),
      largest_bound_(*std::max_element(bounds_.begin(), bounds_.end())),
      blocks_(blocks_for(basis, ranks, symmetry_.order())),
      engine_(basis, screening * 1e-3) {
  for (const ShellRange& rows : blocks_) {
    for (const ShellRange& columns :
         std::span(blocks_).first(static_cast<std::size_t>(&rows - blocks_.data()) + 1))
      has_pairs_.push_back(has_last_pair(symmetry_, rows, columns));
  }
}

index_t FockTasks::count() const { return tasks_below(blocks()); }

std::array<std::size_t, 3> FockTasks::decode(index_t number) const {
  const index_t from_end = count() - 1 - number;
  auto a = static_cast<index_t>(std::cbrt(3.0 * static_cast<double>(from_end)));
  while (tasks_below(a) > from_end) --a;
  while (tasks_below(a + 1) <= from_end) ++a;
  const index_t rest = from_end - tasks_below(a);
  // Consecutive tasks have the same a and c, so that their strips and the pairs (cd) can be kept.
  return {static_cast<std::size_t>(a), static_cast<std::size_t>(rest % (a + 1)),
          static_cast<std::size_t>(rest / (a + 1))};
}

index_t FockTasks::number(const std::array<std::size_t, 3>& abc) const {
  const auto [a, b, c] = abc;
  return count() - 1 - (tasks_below(static_cast<index_t>(a)) + static_cast<index_t>(c * (a + 1) + b));
}

std::array<Patch<2>, 3> FockTasks::patches(index_t number) const {
  const auto [a, b, c] = decode(number);
  const auto patch = [this](std::size_t rows, std::size_t columns) {
    return Patch<2>{{blocks_[rows].first_function, 0},
                    {blocks_[rows].last_function, blocks_[columns].last_function}};
  };
  return {patch(a, a), patch(b, c), patch(c, c)};
}

bool FockTasks::has_work(index_t number) const {
  const auto [a, b, c] = decode(number);
  return has_pairs_[a * (a + 1) / 2 + b];
}

void FockTasks::begin(double largest_density) {
  least_bound_ = screening_ / (coulomb_weight * largest_density * largest_bound_);
  ket_block_.reset();
}

double FockTasks::find_largest(const ShellRange& rows, const View<const double, 2>& density,
                               Largest& largest) const {
  std::size_t columns = 0;
  while (basis_.first[columns] < density.extent(1)) ++columns;
  largest = {rows.first, columns, std::move(largest.values)};
  largest.values.assign((rows.last - rows.first) * columns, 0.0);
  double all = 0;
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      double& most = largest.values[(row - rows.first) * columns + column];
      for (index_t i = basis_.first[row]; i < basis_.first[row + 1]; ++i) {
        for (index_t j = basis_.first[column]; j < basis_.first[column + 1]; ++j)
          most = std::max(most, std::abs(density(i - rows.first_function, j)));
      }
      all = std::max(all, most);
    }
  }
  return all;
}

bool FockTasks::compute(index_t number, const std::array<Strip, 3>& strips) {
  const auto abc = decode(number);
  strips_ = strips;
  largest_of_all_ = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    ranges_[k] = &blocks_[abc[k]];
    largest_of_all_ = std::max(largest_of_all_, find_largest(*ranges_[k], strips[k].density, largest_[k]));
  }
  const auto& [a, b, c] = ranges_;
  if (ket_block_ != abc[2]) {
    ket_.fill(basis_, *c, {0, c->last, 0, c->last_function}, bounds_, least_bound_, engine_);
    ket_block_ = abc[2];
  }
  bra_.fill(basis_, *a, *b, bounds_, least_bound_, engine_, symmetry_);
  bool any = false;
  bra_.for_each_kind(
      [&](auto bras) { ket_.for_each_kind([&](auto kets) { any = compute(bras, kets) || any; }); });
  return any;
}

bool FockTasks::is_needed(const ShellPair& bra, const ShellPair& ket) const {
  const std::size_t a = bra.row, b = bra.column, c = ket.row, d = ket.column;
  if (c > a || (c == a && d > b)) return false;  // it comes again with (cd) before (ab)
  const double coulomb = std::max(largest_[0].at(a, b), largest_[2].at(c, d));
  const double exchange = std::max(std::max(largest_[0].at(a, c), largest_[0].at(a, d)),
                                   std::max(largest_[1].at(b, c), largest_[1].at(b, d)));
  return bra.bound * ket.bound * std::max(coulomb_weight * coulomb, exchange) >= screening_;
}

Blocks FockTasks::block(std::size_t strip, std::size_t row, std::size_t column) const {
  const View<const double, 2>& density = strips_[strip].density;
  const index_t at =
      (basis_.first[row] - ranges_[strip]->first_function) * density.stride(0) + basis_.first[column];
  return {density.data_handle() + at, strips_[strip].fock.data_handle() + at, density.stride(0), 1};
}

QuartetBlocks FockTasks::blocks(const ShellPair& bra, const ShellPair& ket, bool swapped) const {
  const auto oriented = [](const Blocks& blocks, bool turned) { return turned ? blocks.turned() : blocks; };
  const Blocks ab = oriented(block(0, bra.row, bra.column), bra.turned),
               cd = oriented(block(2, ket.row, ket.column), ket.turned);
  // Rows are the bra's shells in the engine's order, columns the ket's.
  std::array<std::array<Blocks, 2>, 2> x{};
  for (const std::size_t i : {0U, 1U}) {
    const bool of_b = (i == 1) != bra.turned;
    for (const std::size_t k : {0U, 1U}) {
      const bool of_d = (k == 1) != ket.turned;
      x[i][k] =
          oriented(block(of_b ? 1 : 0, of_b ? bra.column : bra.row, of_d ? ket.column : ket.row), swapped);
    }
  }
  if (swapped) return {cd, ab, x[0][0], x[1][0], x[0][1], x[1][1]};
  return {ab, cd, x[0][0], x[0][1], x[1][0], x[1][1]};
}

// The pairs of each list have the same angular momenta, and the largest bounds first.
bool FockTasks::compute(std::span<const ShellPair* const> bras, std::span<const ShellPair* const> kets) {
  const auto momentum = [](const ShellPair& pair) { return pair.momentum[0] + pair.momentum[1]; };
  const bool swapped = momentum(*bras[0]) > momentum(*kets[0]);
  const auto shell = [this](const ShellPair& pair, bool second) -> const libint2::Shell& {
    return basis_.shells[second == pair.turned ? pair.row : pair.column];
  };
  const auto size = [](const libint2::Shell& s) { return static_cast<int>(s.size()); };
  bool any = false;
  for (const ShellPair* bra : bras) {
    for (const ShellPair* ket : kets) {
      if (bra->bound * ket->bound * coulomb_weight * largest_of_all_ < screening_) break;
      if (!is_needed(*bra, *ket)) continue;
      const double quartets = symmetry_.stands_for(bra->row, bra->column, ket->row, ket->column);
      if (quartets == 0) continue;
      const ShellPair &left = swapped ? *ket : *bra, &right = swapped ? *bra : *ket;
      const libint2::Shell &p = shell(left, false), &q = shell(left, true), &r = shell(right, false),
                           &s = shell(right, true);
      const double* integrals = engine_.compute(p, q, r, s, left.data, right.data);
      if (integrals == nullptr) continue;
      any = true;
      const double weight = (bra->row == bra->column ? 1 : 2) * (ket->row == ket->column ? 1 : 2) *
                            (bra->row == ket->row && bra->column == ket->column ? 1 : 2) * quartets;
      digest_of(size(r), size(s))(integrals, weight, {size(p), size(q), size(r), size(s)},
                                  blocks(*bra, *ket, swapped));
    }
  }
  return any;
}

}  // namespace rhf
