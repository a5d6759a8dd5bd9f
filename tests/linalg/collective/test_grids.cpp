// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <limits>
#include <string>

#include "matrix_model.hpp"

// All routines on process grids and with blocks of all sizes: blocks large against the matrix, grids without
// some processes, and different grids one after another. The tests check properties that the results must have.

extern "C" {
void pb_topget_(const int* context, const char* operation, const char* scope, char* topology);
void pb_topset_(const int* context, const char* operation, const char* scope, const char* topology);
}

namespace tessera::test {
namespace {

template <class T>
class Grids : public testing::Test {
 public:
  static double tolerance(index_t n, double size = 1) {
    return 200 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()) *
           static_cast<double>(std::max<index_t>(n, 4)) * size;
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Grids, Scalars);

template <class T>
Local<T> random_hermitian(index_t n, unsigned seed) {
  auto a = random_matrix<T>(n, n, seed);
  for (index_t i = 0; i < n; ++i) {
    a(i, i) = std::real(a(i, i));
    for (index_t j = 0; j < i; ++j) a(j, i) = conjugate(a(i, j));
  }
  return a;
}

template <class T>
void check_eigen(const Group& group, index_t n, const linalg::Blocking& blocking, double tolerance) {
  // Three vectors distinguish a wrong matrix from a right one with n^2 work.
  const auto matrix = random_hermitian<T>(n, static_cast<unsigned>(n));
  Array<T, 2> a(group, {n, n}, {.name = "H"});
  if (group.rank() == 0) a.put(Patch<2>::whole(a.dims()), matrix);
  a.sync();
  const auto [w, v] = linalg::eigh(a, {.solver = linalg::EighSolver::divide_and_conquer, .blocking = blocking});
  const auto vectors = all_of(v);
  const auto x = random_matrix<T>(n, 3, 7);
  EXPECT_TRUE(are_close(product(matrix, product(vectors, x)), product(vectors, scaled_rows(x, w)), tolerance));
  EXPECT_TRUE(are_close(product(adjoint_of(vectors), product(vectors, x)), x, tolerance));
  EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
}

TYPED_TEST(Grids, take_blocks_that_are_large_against_the_matrix) {
  using T = TypeParam;
  struct Case {
    index_t n;
    linalg::Blocking blocking;
  };
  for (const auto& [n, blocking] : {Case{100, {64, 2, 2}}, Case{40, {32, 2, 2}}, Case{100, {64, 1, 2}},
                                    Case{70, {64, 1, 3}}, Case{70, {64, 1, 2}}, Case{33, {32, 2, 1}}}) {
    if (blocking.rows * blocking.columns > world().size()) continue;
    SCOPED_TRACE(testing::Message() << n << " in blocks of " << blocking.block << " on " << blocking.rows
                                    << " x " << blocking.columns);
    check_eigen<T>(world(), n, blocking, this->tolerance(n));
  }
}

// p?orgqr leaves ScaLAPACK's broadcast topologies changed on its own processes. A process uses the same
// topologies for all grids.
template <class T>
class SomeProcesses : public Grids<T> {};
using Doubles = testing::Types<double, std::complex<double>>;
TYPED_TEST_SUITE(SomeProcesses, Doubles);

TYPED_TEST(SomeProcesses, leave_topologies_that_all_can_use) {
  using T = TypeParam;
  const int ranks = world().size();
  const auto tall = random_matrix<T>(20, 6, 3);
  const auto decompose = [&](const Group& group, const linalg::Blocking& blocking) {
    Array<T, 2> a(group, {20, 6}, {.name = "A"});
    if (group.rank() == 0) a.put(Patch<2>::whole(a.dims()), tall);
    a.sync();
    const auto [q, r] = linalg::qr(a, blocking);
    EXPECT_TRUE(are_close(product(all_of(q), all_of(r)), tall, this->tolerance(20)));
    const auto [u, s, vh] = linalg::svd(a, blocking);
    EXPECT_TRUE(are_close(product(scaled_columns(all_of(u), s), all_of(vh)), tall, this->tolerance(20)));
    group.sync();
  };
  const auto all_together = [&] { check_eigen<T>(world(), 12, {.block = 3}, this->tolerance(12)); };
  std::vector<int> most;
  for (int rank = 0; rank < std::max(1, ranks - 1); ++rank) most.push_back(rank);
  const Group group = world().include(most);
  if (group) decompose(group, {.block = 4});
  all_together();
  for (const linalg::Blocking& blocking : {linalg::Blocking{4, 2, 1}, {4, 1, 2}}) {
    if (blocking.rows * blocking.columns >= ranks) continue;
    decompose(world(), blocking);
    all_together();
  }
  const auto matrix = random_matrix<T>(12, 12, 5);
  Array<T, 2> a(world(), {12, 12}, {.name = "G"});
  set(a, matrix);
  EXPECT_EQ(linalg::eig(a).values.size(), 12U);
  decompose(world(), {});
}

// From about 250 rows on p?hseqr takes other ways. The traces of a matrix and its square are known.
TEST(LargerMatrices, have_eigenvalues_on_long_grids) {
  const index_t n = 260;
  const auto element = [](index_t i, index_t j) {
    return std::sin(1.0 + static_cast<double>(37 * i + 11 * j * j));
  };
  Array<double, 2> a(world(), {n, n}, {.name = "A"});
  for_each_local(a, [&](const Index<2>& at, double& x) { x = element(at[0], at[1]); });
  a.sync();
  double trace = 0, of_square = 0;
  for (index_t i = 0; i < n; ++i) {
    trace += element(i, i);
    for (index_t j = 0; j < n; ++j) of_square += element(i, j) * element(j, i);
  }
  // The grid is long by itself on 3 and 7 processes, and on 4 by wish.
  const auto blocking =
      world().size() == 4 ? linalg::Blocking{.block = 0, .rows = 1, .columns = 4} : linalg::Blocking{};
  std::complex<double> sum = 0, squares = 0;
  for (const std::complex<double> value : linalg::eigvals(a, blocking)) sum += value, squares += value * value;
  EXPECT_NEAR(std::abs(sum - trace), 0, 1e-9);
  EXPECT_NEAR(std::abs(squares - of_square), 0, 1e-8);
}

// A program's own ScaLAPACK topologies are unchanged after a call. They do no harm if they differ between
// processes.
TEST(ScalapackOfUsers, is_left_as_it_was) {
  const int no_context = -1;
  const auto set_all = [&](const std::string& ways) {
    std::size_t next = 0;
    for (const char* operation : {"Broadcast", "Combine"}) {
      for (const char* scope : {"Rowwise", "Columnwise", "All"})
        pb_topset_(&no_context, operation, scope, &ways[next++]);
    }
  };
  const auto all_now = [&] {
    std::string ways;
    for (const char* operation : {"Broadcast", "Combine"}) {
      for (const char* scope : {"Rowwise", "Columnwise", "All"})
        pb_topget_(&no_context, operation, scope, &(ways += " ").back());
    }
    return ways;
  };
  const std::string before = all_now();
  const std::string mine = world().rank() == 0 ? "IDS1 H" : "    2 ";
  set_all(mine);
  Array<double, 2> a(world(), {40, 40}, {.name = "A"});
  set(a, random_spd<double>(40, 1));
  const linalg::Blocking blocking{.block = 4};
  linalg::qr(a, blocking), linalg::svd(a, blocking), linalg::eigh(a, {.blocking = blocking});
  linalg::inverse(a, blocking), linalg::inverse_spd(a, blocking), linalg::eig(a, blocking);
  EXPECT_EQ(all_now(), mine);
  set_all(before);
}

}  // namespace
}  // namespace tessera::test
