// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <limits>
#include <map>
#include <thread>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>
#include <tessera/krylov.hpp>
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

template <class T>
T conjugated(T x) {
  return x;
}
template <class T>
std::complex<T> conjugated(std::complex<T> x) {
  return std::conj(x);
}

enum class Turn { none, transposed, adjoint };

template <class T>
TripletMap<T> turned(const TripletMap<T>& model, Turn turn) {
  if (turn == Turn::none) return model;
  TripletMap<T> result;
  for (const auto& [place, value] : model)
    result[{place.second, place.first}] = turn == Turn::adjoint ? conjugated(value) : value;
  return result;
}

template <class T>
void multiply(const SparseMatrix<T>& a, Turn turn, T alpha, const Array<T, 1>& x, T beta, Array<T, 1>& y) {
  if (turn == Turn::none) return a.multiply(alpha, x, beta, y);
  turn == Turn::adjoint ? a.multiply_adjoint(alpha, x, beta, y) : a.multiply_transposed(alpha, x, beta, y);
}

// alpha p + beta y.
template <class T>
std::vector<T> combined(T alpha, const std::vector<T>& p, T beta, const std::vector<T>& y) {
  std::vector<T> result;
  for (std::size_t i = 0; i < p.size(); ++i) result.push_back(alpha * p[i] + beta * y[i]);
  return result;
}

// Products of vectors with the matrix, its transpose and its adjoint, checked against the model. The vectors
// have the matrix's layouts or any others. If beta is 0, y holds NaN before.
template <class T>
void check_products(const SparseMatrix<T>& a, const TripletMap<T>& model, Random& random) {
  const Group& all = world();
  for (const Turn turn : {Turn::none, Turn::transposed, Turn::adjoint}) {
    const bool straight = turn == Turn::none;
    const Layout<1>&from = straight ? a.column_layout() : a.row_layout(),
          &to = straight ? a.row_layout() : a.column_layout();
    for (const index_t factor : {0, 1, 3}) {
      const T alpha = number<T>(1 + factor, factor), beta = number<T>(factor);
      const bool fitting = pick(random, 0, 1) == 0;
      Array<T, 1> x(all, fitting ? from : any_layout(random, from.dims()), {.name = "x"});
      Array<T, 1> y(all, fitting ? to : any_layout(random, to.dims()), {.name = "y"});
      const auto vector = random_numbers<T>(random, x.size()), before = random_numbers<T>(random, y.size());
      set_contents(x, vector);
      set_contents(y, before);
      if constexpr (FloatingElement<T>) {
        if (factor == 0) fill(y, T(std::numeric_limits<decltype(std::abs(T{}))>::quiet_NaN()));
      }
      multiply(a, turn, alpha, x, beta, y);
      const auto product = product_with(turned(model, turn), vector, y.size(), 1);
      EXPECT_TRUE(has_contents(y, combined(alpha, product, beta, before)))
          << "turn " << static_cast<int>(turn) << ", beta " << factor << (fitting ? ", fitting" : "");
      if (x.size() != y.size()) continue;
      multiply(a, turn, alpha, x, beta, x);
      EXPECT_TRUE(has_contents(x, combined(alpha, product, beta, vector)));
    }
  }
}

template <class T>
void check_dense_product(const SparseMatrix<T>& a, const TripletMap<T>& model, Random& random) {
  constexpr index_t width = 3;
  Array<T, 2> b(world(), {a.columns(), width}, {.name = "B"}), c(world(), {a.rows(), width}, {.name = "C"});
  const auto dense = random_numbers<T>(random, a.columns() * width);
  set_contents(b, dense);
  a.multiply(b, c);
  const auto result = product_with(model, dense, a.rows(), width);
  EXPECT_TRUE(has_contents(c, result));
  if (a.rows() != a.columns()) return;
  a.multiply(b, b);
  EXPECT_TRUE(has_contents(b, result));
}

// A matrix of triplets, of which each rank has some, checked against a map of all triplets.
template <class T>
void check_matrix(const std::vector<Triplet<T>>& mine, TripletMap<T> model, const Extents<2>& dims,
                  Balance balance, unsigned seed) {
  const Group& all = world();
  const auto [rows, columns] = dims.values();
  SparseMatrix<T> a(all, rows, columns, mine, {.name = "A", .balance = balance});
  EXPECT_EQ(a.nonzeros(), static_cast<index_t>(model.size()));
  EXPECT_EQ(a.local_columns().size(), a.local_values().size());
  EXPECT_EQ(a.row_layout().local_size(all.rank()), a.last_row() - a.first_row());
  EXPECT_EQ(rows == columns, a.row_layout() == a.column_layout());
  Random random(seed);
  for (int k = 0; k < 5 && rows > 0; ++k) expect_row(a, model, pick(random, 0, rows - 1));
  all.sync();
  check_products(a, model, random);
  check_dense_product(a, model, random);
  Array<T, 1> diagonal(all, Extents<1>(std::min(rows, columns)), {.name = "diagonal"});
  a.get_diagonal(diagonal);
  std::vector<T> expected(at(diagonal.size()), T{});
  for (const auto& [place, value] : model) {
    if (place.first == place.second) expected[at(place.first)] = value;
  }
  EXPECT_TRUE(has_contents(diagonal, expected));
  // Values may be changed in place.
  for (T& value : a.local_values()) value = value + value;
  for (auto& [place, value] : model) value = value + value;
  check_products(a, model, random);
  a.close();
}

template <class T>
void check_random(index_t rows, index_t columns, index_t each, unsigned seed) {
  TripletMap<T> model;
  const auto mine = random_triplets(rows, columns, each, seed, model);
  for (const Balance balance : {Balance::rows, Balance::nonzeros})
    check_matrix(mine, model, {rows, columns}, balance, seed);
}

TEST(Sparse, a_matrix_is_the_sum_of_its_triplets) {
  check_random<double>(30, 30, 40, 1);
  check_random<double>(17, 60, 100, 2);
  check_random<std::int64_t>(60, 5, 30, 3);
  check_random<std::complex<double>>(12, 12, 50, 4);
  check_random<float>(2, 300, 20, 5);
  check_random<std::complex<float>>(9, 14, 20, 6);
  check_random<std::int32_t>(300, 300, 1000, 7);
}

// Up to nine neighbouring rows have elements in the same columns, as finite elements with several unknowns at a
// node have; then come some empty rows. Some of the columns are near the row, others anywhere.
template <class T>
void check_alike_rows(index_t rows, index_t columns, unsigned seed) {
  TripletMap<T> model;
  std::vector<Triplet<T>> mine;
  Random random(seed);  // the same on all ranks
  for (index_t row = 0; row < rows; row += pick(random, 0, 2)) {
    const index_t alike = pick(random, 1, 9), count = pick(random, 1, std::min<index_t>(columns, 12));
    std::vector<index_t> chosen;
    for (index_t k = 0; k < count; ++k)
      chosen.push_back(pick(random, 0, 4) == 0 ? pick(random, 0, columns - 1) : (row + k) % columns);
    for (const index_t end = std::min(rows, row + alike); row < end; ++row) {
      for (const index_t column : chosen) {
        const Triplet<T> t{row, column, number<T>(pick(random, -5, 5), pick(random, -2, 2))};
        model[{row, column}] += t.value;
        if ((row + column) % world().size() == world().rank()) mine.push_back(t);
      }
    }
  }
  for (const Balance balance : {Balance::rows, Balance::nonzeros})
    check_matrix(mine, model, {rows, columns}, balance, seed);
}

TEST(Sparse, rows_with_the_same_columns_are_multiplied_right) {
  check_alike_rows<double>(100, 100, 1);
  check_alike_rows<double>(90, 40, 2);
  check_alike_rows<float>(64, 80, 3);
  check_alike_rows<std::complex<double>>(50, 50, 4);
  check_alike_rows<std::complex<float>>(41, 41, 5);
  check_alike_rows<std::int32_t>(70, 7, 6);
  check_alike_rows<std::int64_t>(33, 90, 7);
}

TEST(Sparse, a_matrix_may_be_empty_or_a_number) {
  check_random<double>(5, 5, 0, 1);
  check_random<double>(0, 5, 0, 2);
  check_random<std::complex<double>>(5, 0, 0, 3);
  check_random<std::int32_t>(0, 0, 0, 4);
  check_random<double>(1, 1, 1, 5);
}

// Rows at the borders of ranks need many neighbouring elements of the next ranks.
TEST(Sparse, rows_beyond_the_memory_are_an_error) {
  constexpr index_t rows = std::numeric_limits<index_t>::max();
  const auto message = message_of<MemoryError>(
      [&] { SparseMatrix<double>(world(), rows, rows, std::span<const Triplet<double>>(), {.name = "huge"}); });
  EXPECT_NE(message.find("\"huge\""), std::string::npos) << message;
}

TEST(Sparse, wide_bands_need_stretches_of_vectors) {
  const index_t n = 150;
  TripletMap<double> model;
  std::vector<Triplet<double>> mine;
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = std::max<index_t>(0, i - 25); j < std::min(n, i + 25); ++j) {
      const double value = static_cast<double>((7 * i + 3 * j) % 11 - 5);
      model[{i, j}] = value;
      if ((i + j) % world().size() == world().rank()) mine.push_back({i, j, value});
    }
  }
  for (const Balance balance : {Balance::rows, Balance::nonzeros})
    check_matrix(mine, model, {n, n}, balance, 9);
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
    const SparseMatrix<double> a(all, rows, 7, mine, {.name = "gaps"});
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
  const SparseMatrix<double> unit(all, n, n, mine, {.name = "unit"});
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

// The solver calls multiply_unsynchronised, for vectors of the matrix's layout and of another one.
TEST(Sparse, a_matrix_is_an_operator_of_solvers) {
  const Group& all = world();
  const index_t n = 60;
  std::vector<Triplet<double>> mine;
  for (index_t i = all.rank(); i < n; i += all.size()) {
    mine.push_back({i, i, 4.0});
    if (i + 17 < n) mine.push_back({i, i + 17, -1.0}), mine.push_back({i + 17, i, -1.0});
  }
  for (const Balance balance : {Balance::rows, Balance::nonzeros}) {
    const SparseMatrix<double> a(all, n, n, mine, {.name = "A", .balance = balance});
    for (const auto& layout : {a.row_layout(), Layout<1>::block_cyclic({n}, {7}, {{all.size()}})}) {
      Array<double, 1> known(all, layout, {.name = "known"});
      for_each_local(known, [](const Index<1>& i, double& e) { e = static_cast<double>(i[0] % 7 - 3); });
      auto b = known.duplicate("b"), x = known.duplicate("x");
      a(known, b);
      fill(x, 0.0);
      EXPECT_TRUE(cg(a, b, x, {.tolerance = 1e-13}).converged());
      axpby(1.0, known, -1.0, x);
      EXPECT_LT(norm_inf(x), 1e-10);
    }
  }
}

// Ranks change their elements of x as soon as their own product is done, and are not equally fast. In most
// pairs, only one rank needs elements of the other.
TEST(Sparse, products_without_synchronisation_have_the_elements_of_their_round) {
  const Group& all = world();
  constexpr index_t rows = 97, columns = 61;
  Random same(12), own(30 + static_cast<unsigned>(all.rank()));
  std::vector<Triplet<double>> triplets;
  for (int k = 0; k < 150; ++k)
    triplets.push_back(
        {pick(same, 0, rows - 1), pick(same, 0, columns - 1), static_cast<double>(pick(same, 1, 9))});
  const SparseMatrix<double> a(all, rows, columns, all.rank() == 0 ? triplets : std::vector<Triplet<double>>(),
                               {.name = "A"});
  Array<double, 1> x(all, a.column_layout(), {.name = "x"}), y(all, a.row_layout(), {.name = "y"});
  const auto element = [](index_t round, index_t i) { return static_cast<double>((round * 31 + i * 7) % 101); };
  Comparison compared;
  for (index_t round = 0; round < 60; ++round) {
    for_each_local(x, [&](const Index<1>& i, double& e) { e = element(round, i[0]); });
    a.multiply_unsynchronised(x, y);
    std::vector<double> expected(at(rows), 0.0);
    for (const auto& one : triplets) expected[at(one.row)] += one.value * element(round, one.column);
    for_each_local(y, [&](const Index<1>& i, const double& e) { compared(i[0], expected[at(i[0])], e); });
    for (index_t turns = pick(own, 0, 3); turns > 0; --turns) std::this_thread::yield();
  }
  EXPECT_TRUE(compared.equal());
  all.sync();
}

TEST(Sparse, wrong_uses_are_told) {
  const Group& all = world();
  const Triplet<double> outside{3, 9, 1};
  const bool mine = all.rank() == all.size() - 1;
  const auto text = message_of<UsageError>(
      [&] { SparseMatrix<double>(all, 9, 9, std::span(&outside, mine ? 1U : 0U), {.name = "bad"}); });
  EXPECT_NE(text.find("\"bad\" of extents 9 x 9 is given element (3, 9)"), std::string::npos) << text;
  EXPECT_THROW(SparseMatrix<double>(all, -1, 9, {}, {.name = "bad"}), UsageError);
  SparseMatrix<double> a(all, 4, 6, {}, {.name = "A"});
  Array<double, 1> x(all, {6}, {.name = "x"}), y(all, {5}, {.name = "y"});
  EXPECT_NE(message_of<UsageError>([&] { a.multiply(x, y); }).find("\"y\" of 5"), std::string::npos);
  EXPECT_THROW(a.multiply_unsynchronised(x, y), UsageError);
  EXPECT_THROW(a.multiply_transposed(1.0, x, 0.0, y), UsageError);
  EXPECT_THROW(a.multiply_adjoint(1.0, x, 0.0, x), UsageError);
  EXPECT_THROW(a.get_diagonal(x), UsageError);
  EXPECT_THROW((void)a.row(4), UsageError);
}

}  // namespace
