// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <random>
#include <span>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/sparse.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

TEST(Sparse, nonzeros_are_balanced) {
  const Group& all = world();
  const index_t n = 40 * all.size();
  std::vector<Triplet<double>> mine;  // row i has i / 4 elements
  for (index_t i = all.rank(); i < n; i += all.size()) {
    for (index_t j = 0; j < i / 4; ++j) mine.push_back({i, (i + 3 * j) % n, 1.0});
  }
  const SparseMatrix<double> a(all, n, n, mine, {.balance = Balance::nonzeros});
  const index_t work = std::ssize(a.local_values()) + a.last_row() - a.first_row();
  EXPECT_LE(all.all_reduce(work, Reduce::max) - all.all_reduce(work, Reduce::min), n / 2);
  EXPECT_EQ(all.all_reduce(work, Reduce::sum), a.nonzeros() + n);
}

TEST(Sparse, products_have_the_same_bits_on_any_number_of_ranks) {
  const Group& all = world();
  const Group alone = all.split(all.rank());
  const index_t n = 97;
  Random random(11);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Triplet<double>> triplets;
  for (index_t k = 0; k < 12 * n; ++k)
    triplets.push_back({pick(random, 0, n - 1), pick(random, 0, n - 1), uniform(random)});
  const std::span<const Triplet<double>> list(triplets), mine = all.rank() == 0 ? list : list.first(0);
  const SparseMatrix<double> whole(alone, n, n, list), even(all, n, n, mine),
      balanced(all, n, n, mine, {.balance = Balance::nonzeros});
  std::vector<double> vector;
  for (index_t i = 0; i < n; ++i) vector.push_back(uniform(random));
  Array<double, 1> x(alone, {n}, {.name = "x"}), y(alone, {n}, {.name = "y"});
  for_each_local(x, [&](const Index<1>& i, double& e) { e = vector[at(i[0])]; });
  whole.multiply(x, y);
  const LocalArray<double, 1> expected = y.get({{0}, {n}});
  for (const auto* a : {&even, &balanced}) {
    Array<double, 1> from(all, a->column_layout(), {.name = "x"}), to(all, a->row_layout(), {.name = "y"});
    set_contents(from, vector);
    a->multiply(from, to);
    EXPECT_TRUE(has_contents(to, std::vector<double>(expected.begin(), expected.end())));
  }
}

}  // namespace
