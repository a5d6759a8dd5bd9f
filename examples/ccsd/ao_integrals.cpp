// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ao_integrals.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ccsd {

using namespace tessera;
using rhf::ShellPair;
using rhf::ShellRange;

namespace {

// Where a shell's functions are along a dimension of a block of integrals.
struct Place {
  index_t begin, count, stride;
};

// The shells of a pair in the engine's order.
std::array<Place, 2> in_order(const ShellPair& pair, const Place& row, const Place& column) {
  if (pair.turned) return {column, row};
  return {row, column};
}

void scatter(const double* integrals, const std::array<Place, 4>& to, double* into) {
  const auto& [a, b, c, d] = to;
  for (index_t i = a.begin; i < a.begin + a.count; ++i) {
    for (index_t j = b.begin; j < b.begin + b.count; ++j) {
      for (index_t k = c.begin; k < c.begin + c.count; ++k) {
        double* row = into + i * a.stride + j * b.stride + k * c.stride + d.begin * d.stride;
        for (index_t l = 0; l < d.count; ++l) row[l * d.stride] = *integrals++;
      }
    }
  }
}

// m(i, j) of a square becomes m(j, i) where j is larger.
void mirror(double* m, index_t n, index_t rows, index_t columns) {
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = i + 1; j < n; ++j) m[i * rows + j * columns] = m[j * rows + i * columns];
  }
}

}  // namespace

AoIntegrals::AoIntegrals(const rhf::Basis& basis, LocalArray<double, 2> bounds, double screening)
    : basis_(basis),
      bounds_(std::move(bounds)),
      screening_(screening),
      largest_bound_(*std::max_element(bounds_.begin(), bounds_.end())),
      engine_(basis, 1e-3 * screening) {
  const std::size_t shells = basis.shells.size();
  const ShellRange all{0, shells, 0, basis.size()};
  bra_.fill(basis, all, all, bounds_, screening / largest_bound_, engine_);
}

std::vector<ShellRange> AoIntegrals::blocks(index_t functions) const {
  std::vector<ShellRange> all;
  for (std::size_t s = 0; s < basis_.shells.size(); ++s) {
    const index_t first = basis_.first[s], last = basis_.first[s + 1];
    if (all.empty() || last - all.back().first_function > functions) {
      all.push_back({s, s + 1, first, last});
    } else {
      all.back().last = s + 1;
      all.back().last_function = last;
    }
  }
  return all;
}

void AoIntegrals::compute(const ShellRange& rows, const ShellRange& columns, const View<double, 4>& into) {
  std::fill_n(into.data_handle(), into.size(), 0.0);
  ket_.fill(basis_, rows, columns, bounds_, screening_ / largest_bound_, engine_);
  bra_.for_each_kind(
      [&](Pairs bras) { ket_.for_each_kind([&](Pairs kets) { compute(bras, kets, rows, columns, into); }); });
  const index_t n = into.extent(2);
  for (index_t r = 0; r < into.extent(0); ++r) {
    for (index_t s = 0; s < into.extent(1); ++s) mirror(&into(r, s, 0, 0), n, n, 1);
  }
  if (rows.first != columns.first) return;
  for (index_t pq = 0; pq < n * n; ++pq)
    mirror(into.data_handle() + pq, into.extent(0), into.stride(0), into.stride(1));
}

// The pairs of each list have the same angular momenta, and the largest bounds first.
void AoIntegrals::compute(Pairs bras, Pairs kets, const ShellRange& rows, const ShellRange& columns,
                          const View<double, 4>& into) {
  const auto momentum = [](const ShellPair& pair) { return pair.momentum[0] + pair.momentum[1]; };
  // The engine wants the pair with the larger momentum last.
  const bool swapped = momentum(*bras[0]) > momentum(*kets[0]);
  const auto shell = [this](const ShellPair& pair, bool second) -> const libint2::Shell& {
    return basis_.shells[second == pair.turned ? pair.row : pair.column];
  };
  const auto place = [this](std::size_t number, index_t first, index_t stride) {
    return Place{basis_.first[number] - first, basis_.first[number + 1] - basis_.first[number], stride};
  };
  for (const ShellPair* ket : kets) {
    const auto last = in_order(*ket, place(ket->row, rows.first_function, into.stride(0)),
                               place(ket->column, columns.first_function, into.stride(1)));
    for (const ShellPair* bra : bras) {
      if (bra->bound * ket->bound < screening_) break;
      const ShellPair &left = swapped ? *ket : *bra, &right = swapped ? *bra : *ket;
      const double* integrals = engine_.compute(shell(left, false), shell(left, true), shell(right, false),
                                                shell(right, true), left.data, right.data);
      if (integrals == nullptr) continue;
      const auto first =
          in_order(*bra, place(bra->row, 0, into.stride(2)), place(bra->column, 0, into.stride(3)));
      const std::array<Place, 4> to = swapped ? std::array{last[0], last[1], first[0], first[1]}
                                              : std::array{first[0], first[1], last[0], last[1]};
      scatter(integrals, to, into.data_handle());
    }
  }
}

}  // namespace ccsd
