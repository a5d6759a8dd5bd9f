// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <map>

#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>
#include <tessera/reductions.hpp>
#include <tessera/sparse.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

template <class T>
using TripletMap = std::map<std::pair<index_t, index_t>, T>;

// Random triplets near the diagonal and anywhere, some of them twice. Returns those of this rank, and adds
// those of all ranks to the model.
template <class T>
std::vector<Triplet<T>> random_triplets(index_t rows, index_t columns, index_t each, unsigned seed,
                                        TripletMap<T>& model) {
  std::vector<Triplet<T>> mine;
  for (int rank = 0; rank < world().size(); ++rank) {
    Random random(seed + static_cast<unsigned>(rank));
    for (index_t k = 0; k < each && rows > 0 && columns > 0; ++k) {
      const index_t i = pick(random, 0, rows - 1);
      const index_t j = pick(random, 0, 1) == 0 ? pick(random, 0, columns - 1)
                                                : std::min(columns - 1, i + pick(random, 0, 2));
      const Triplet<T> t{i, j, number<T>(pick(random, -5, 5), pick(random, -2, 2))};
      model[{i, j}] += t.value;
      if (rank == world().rank()) mine.push_back(t);
    }
  }
  return mine;
}

template <class T>
void expect_row(const SparseMatrix<T>& a, const TripletMap<T>& model, index_t i) {
  const auto row = a.row(i);
  auto expected = model.lower_bound({i, 0});
  for (const Triplet<T>& t : row) {
    ASSERT_TRUE(expected != model.end());
    EXPECT_EQ(expected->first, (std::pair{t.row, t.column}));
    EXPECT_EQ(expected->second, t.value);
    ++expected;
  }
  EXPECT_TRUE(expected == model.end() || expected->first.first > i);
}

// The product of the model and a dense matrix of some columns, both in row-major order.
template <class T>
std::vector<T> product_with(const TripletMap<T>& model, const std::vector<T>& dense, index_t rows,
                            index_t width) {
  std::vector<T> result(at(rows * width), T{});
  for (const auto& [place, value] : model) {
    for (index_t j = 0; j < width; ++j)
      result[at(place.first * width + j)] += value * dense[at(place.second * width + j)];
  }
  return result;
}

// A matrix of triplets, of which each rank has some, checked against a map of all triplets.
template <class T>
void check_matrix(index_t rows, index_t columns, index_t each, unsigned seed) {
  const Group& all = world();
  TripletMap<T> model;
  const auto mine = random_triplets(rows, columns, each, seed, model);
  SparseMatrix<T> a(all, rows, columns, mine, "A");
  EXPECT_EQ(a.nonzeros(), static_cast<index_t>(model.size()));
  EXPECT_EQ(a.local_columns().size(), a.local_values().size());
  Random random(seed);
  for (int k = 0; k < 5 && rows > 0; ++k) expect_row(a, model, pick(random, 0, rows - 1));
  all.sync();
  const auto vector = random_numbers<T>(random, columns);
  Array<T, 1> x(all, any_layout(random, Extents<1>(columns)), {.name = "x"});
  Array<T, 1> y(all, Extents<1>(rows), {.name = "y"});
  set_contents(x, vector);
  a.multiply(x, y);
  auto product = product_with(model, vector, rows, 1);
  EXPECT_TRUE(has_contents(y, product));
  constexpr index_t width = 3;
  Array<T, 2> b(all, {columns, width}, {.name = "B"}), c(all, {rows, width}, {.name = "C"});
  const auto dense = random_numbers<T>(random, columns * width);
  set_contents(b, dense);
  a.multiply(b, c);
  auto result = product_with(model, dense, rows, width);
  EXPECT_TRUE(has_contents(c, result));
  Array<T, 1> diagonal(all, Extents<1>(std::min(rows, columns)), {.name = "diagonal"});
  a.get_diagonal(diagonal);
  std::vector<T> expected(at(diagonal.size()), T{});
  for (const auto& [place, value] : model) {
    if (place.first == place.second) expected[at(place.first)] = value;
  }
  EXPECT_TRUE(has_contents(diagonal, expected));
  // Values may be changed in place.
  for (T& value : a.local_values()) value = value + value;
  if (rows == columns) {
    a.multiply(x, x);
    for (T& e : product) e = e + e;
    EXPECT_TRUE(has_contents(x, product));
    a.multiply(b, b);
    for (T& e : result) e = e + e;
    EXPECT_TRUE(has_contents(b, result));
  }
  a.close();
}

TEST(Sparse, a_matrix_is_the_sum_of_its_triplets) {
  check_matrix<double>(30, 30, 40, 1);
  check_matrix<double>(17, 60, 100, 2);
  check_matrix<std::int64_t>(60, 5, 30, 3);
  check_matrix<std::complex<double>>(12, 12, 50, 4);
  check_matrix<float>(2, 300, 20, 5);
  check_matrix<double>(5, 5, 0, 6);
  check_matrix<double>(0, 5, 0, 7);
  check_matrix<std::int32_t>(400, 400, 2000, 8);
}

// Ranks whose rows are all empty have no place of their own among the elements.
TEST(Sparse, rows_beside_empty_ones_have_their_elements) {
  const Group& all = world();
  const index_t rows = 3 * all.size();
  for (index_t gap = 1; gap <= rows; ++gap) {
    std::vector<Triplet<double>> mine;
    for (index_t i = all.rank(); i < rows; i += all.size()) {
      if (i % gap == 0) mine.push_back({i, i % 7, static_cast<double>(i + 1)});
    }
    const SparseMatrix<double> a(all, rows, 7, mine, "gaps");
    for (index_t i = 0; i < rows; ++i) {
      const auto row = a.row(i);
      ASSERT_EQ(row.size(), i % gap == 0 ? 1U : 0U) << "row " << i << ", gap " << gap;
      EXPECT_EQ(row.empty() ? static_cast<double>(i + 1) : row[0].value, static_cast<double>(i + 1));
    }
    all.sync();
  }
}

TEST(Sparse, operations_end_the_epochs_of_their_arrays) {
  const Group& all = world();
  const index_t n = 2 * all.size();
  std::vector<Triplet<double>> mine;
  if (all.rank() == 0) {
    for (index_t i = 0; i < n; ++i) mine.push_back({i, i, 1.0});
  }
  const SparseMatrix<double> unit(all, n, n, mine, "unit");
  Array<double, 1> x(all, {n}, {.name = "x"}), y(all, {n}, {.name = "y"});
  fill(x, 0.0), fill(y, 0.0);
  auto sums = accumulate_only(x);
  LocalArray<double, 1> ones((Extents<1>(n)));
  for (index_t i = 0; i < n; ++i) ones(i) = 1.0;
  sums.acc({{0}, {n}}, ones);
  unit.multiply(x, y);
  EXPECT_EQ(reduce(y, Reduce::min), static_cast<double>(all.size()));
  EXPECT_EQ(reduce(y, Reduce::max), static_cast<double>(all.size()));
}

TEST(Sparse, wrong_uses_are_told) {
  const Group& all = world();
  const Triplet<double> outside{3, 9, 1};
  const bool mine = all.rank() == all.size() - 1;
  const auto text = message_of<UsageError>(
      [&] { SparseMatrix<double>(all, 9, 9, std::span(&outside, mine ? 1U : 0U), "bad"); });
  EXPECT_NE(text.find("\"bad\" of extents 9 x 9 is given element (3, 9)"), std::string::npos) << text;
  EXPECT_THROW(SparseMatrix<double>(all, -1, 9, {}, "bad"), UsageError);
  SparseMatrix<double> a(all, 4, 6, {}, "A");
  Array<double, 1> x(all, {6}, {.name = "x"}), y(all, {5}, {.name = "y"});
  EXPECT_NE(message_of<UsageError>([&] { a.multiply(x, y); }).find("\"y\" of 5"), std::string::npos);
  EXPECT_THROW(a.get_diagonal(x), UsageError);
  EXPECT_THROW((void)a.row(4), UsageError);
}

}  // namespace
