// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/eigh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "blas/instantiate.hpp"
#include "routines/eigh_in_double.hpp"
#include "scalapack/elpa.hpp"
#include "scalapack/phases.hpp"
#include "scalapack/scalapack_call.hpp"
#include "scalapack/scalapack_eigen.hpp"

namespace tessera::linalg::detail {
namespace {

constexpr const char* eigh_name = "eigh";
constexpr const char* eigenvalues_out_of_range = "has eigenvalues that are out of the range of its type";

template <class T>
void check(const EighOptions& options, index_t n) {
  if (options.indices && options.interval)
    throw UsageError("eigh: eigenvalues are chosen by index or by an interval, not both");
  if (options.indices) {
    const auto [first, last] = *options.indices;
    if (first < 0 || first > last || last > n) {
      throw UsageError(
          formatted("eigh: indices from {} to below {} are not within the {} eigenvalues", first, last, n));
    }
  }
  if (options.interval &&
      !(static_cast<Real<T>>(options.interval->low) < static_cast<Real<T>>(options.interval->high))) {
    throw UsageError(formatted("eigh: the interval from {} to {} is empty in the precision of the elements",
                               options.interval->low, options.interval->high));
  }
  if (options.solver != EighSolver::elpa || elpa::has<T>) return;
  throw UsageError(linalg::has_elpa()
                       ? "eigh: ELPA is used for double precision alone; choose another solver"
                       : "eigh: this build has no ELPA; on Debian it needs Open MPI and libelpa-dev, or choose "
                         "another solver");
}

// One problem on its grid: the matrix, which is overwritten, and the results.
template <class T>
struct Problem {
  const ScalapackCall& call;
  const EighOptions& options;
  index_t n;
  bool wants_vectors;
  const ScalapackMatrix& matrix;
  const ScalapackMatrix& vectors;  // n x n
  // All eigenvalues, or the smallest ones.
  std::vector<Real<T>> values{};

  int size() const { return call.narrow(n); }

  // ELPA needs every process in the grid, each with rows and columns of the matrix.
  bool fits_elpa() const {
    const BlockGrid& grid = call.block_grid();
    return grid.rows * grid.columns == call.group().size() &&
           index_t{grid.block} * (std::max(grid.rows, grid.columns) - 1) < n;
  }
  EighSolver solver() const {
    if (options.solver == EighSolver::elpa && !fits_elpa()) {
      const BlockGrid& grid = call.block_grid();
      throw UsageError(
          formatted("eigh: a matrix of {0} x {0} in blocks of {1} on a grid of {2} x {3} does not "
                    "suit ELPA, which wants every process to have a part; choose another solver",
                    n, grid.block, grid.rows, grid.columns));
    }
    // p?syevd counts its workspace, three numbers for each element, in 32 bits too, and does not check for
    // overflow.
    const bool has_room = matrix.max_local() < std::numeric_limits<int>::max() / 4;
    if (options.solver == EighSolver::divide_and_conquer && !has_room) {
      throw UsageError(
          formatted("eigh: divide and conquer cannot count its workspace for {0} x {0} on {1} processes "
                    "in 32 bits; use more of them, or another solver",
                    n, call.block_grid().rows * call.block_grid().columns));
    }
    if (options.solver != EighSolver::automatic) return options.solver;
    return wants_vectors && has_room ? EighSolver::divide_and_conquer : EighSolver::qr_iteration;
  }

  void solve() {
    values.resize(static_cast<std::size_t>(n));
    switch (solver()) {
      case EighSolver::elpa:
        by_elpa();
        break;
      case EighSolver::qr_iteration:
        by_qr_iteration();
        break;
      default:
        by_divide_and_conquer();
        break;
    }
    // Processes outside the grid have no values yet, and all should have the same to the last bit.
    call.group().broadcast(std::span<Real<T>>(values), 0);
  }

  void by_divide_and_conquer() {
    call.must_converge("p?syevd", "eigenvalues", [&] {
      return scalapack::syevd<T>(size(), matrix.data<T>(), matrix.descriptor(), values.data(),
                                 vectors.data<T>(), vectors.descriptor());
    });
  }

  void by_qr_iteration() {
    if (n == 1 && wants_vectors) return by_divide_and_conquer();  // p?heev (2.2) does not set this vector
    call.must_converge("p?syev", "eigenvalues", [&] {
      return scalapack::syev<T>(wants_vectors, size(), matrix.data<T>(), matrix.descriptor(), values.data(),
                                vectors.data<T>(), vectors.descriptor());
    });
  }

  void by_elpa() {
    if constexpr (elpa::has<T>) solve_by_elpa();
  }
  void solve_by_elpa() requires(elpa::has<T>) {
    const BlockGrid& grid = call.block_grid();
    // ELPA, unlike ScaLAPACK, reads both triangles.
    mirror<T>(matrix.matrix(), Triangle::lower, true);
    if (options.indices) values.resize(static_cast<std::size_t>(options.indices->last));
    const std::string problem =
        elpa::solve<T>({.group = call.group(),
                        .n = size(),
                        .wanted = call.narrow(static_cast<index_t>(values.size())),
                        .block = grid.block,
                        .row = call.grid().place().row,
                        .column = call.grid().place().column,
                        .local_rows = call.narrow(matrix.matrix().array().local_shape().extents[0]),
                        .local_columns = call.narrow(matrix.matrix().array().local_shape().extents[1])},
                       wants_vectors, matrix.data<T>(), values.data(), vectors.data<T>());
    if (!problem.empty()) call.fail("elpa", 1, formatted("could not be diagonalised by ELPA: {}", problem));
  }
};

// The requested part of all values in ascending order: from `first` to below `last`. All are computed, because
// p?syevr (2.2) returns wrong values if it computes some of a matrix that decouples into blocks. (Where it
// computes all, it fails for a path's Laplacian, on several processes without an end, so p?syev takes its
// place.)
template <class T>
EighOptions::Indices chosen(const EighOptions& options, const std::vector<Real<T>>& values) {
  if (options.indices) return *options.indices;
  if (!options.interval) return {0, static_cast<index_t>(values.size())};
  const auto above = [&](double bound) {
    return std::upper_bound(values.begin(), values.end(), static_cast<Real<T>>(bound)) - values.begin();
  };
  return {above(options.interval->low), above(options.interval->high)};
}

template <class T>
std::vector<Real<T>> solve(const SliceCore& a, const SliceCore* b, const EighOptions& options,
                           const MakeVectors& make_vectors) {
  const index_t n = a.extents()[0];
  const ScalapackCall call(eigh_name, a, n, options.blocking);
  const int size = call.narrow(n);
  const ScalapackMatrix matrix = call.copy_of(a);
  // p?hengst and ELPA would read imaginary parts there, which other routines ignore.
  for_each_of_diagonal<T>(matrix.matrix(), [](index_t, T& x) { x = std::real(x); });
  std::optional<ScalapackMatrix> factor;
  // Of rows and columns of both matrices, and of the rows of vectors: it keeps the eigenvalues.
  std::vector<int> scales;
  if (b != nullptr) {
    factor.emplace(call.copy_of(*b));
    scales = call.factor_spd<T>(*factor, size, *b);
  }
  int to_one_of_a = lower_to_one<T>(eigh_name, a, scales, "p?syevd");
  scale_all(matrix.matrix(), to_one_of_a, scales);
  Real<T> scale = 1;
  if (b != nullptr) {
    call.must("p?syngst", [&] {
      return scalapack::sygst<T>(size, matrix.data<T>(), matrix.descriptor(), factor->template data<T>(),
                                 factor->descriptor(), scale);
    });
    // If b is nearly singular, the matrix is far from one now.
    const double largest = largest_of_lower<T>(matrix.matrix());
    if (!std::isfinite(largest)) call.fail("p?syngst", 0, eigenvalues_out_of_range);
    scale_by(matrix.matrix(), to_one(largest));
    to_one_of_a += to_one(largest);
  }
  // If all vectors are wanted, they may be computed in the result itself.
  std::optional<SliceCore> result;
  std::optional<ArrayCore> room;
  const bool all = !options.indices && !options.interval;
  if (all && make_vectors) result = make_vectors(n);
  // Divide and conquer always computes vectors.
  const bool needs_room = make_vectors || options.solver == EighSolver::divide_and_conquer;
  if (!result) room.emplace(call.matrix(needs_room ? n : 0, needs_room ? n : 0));
  ScalapackMatrix vectors = call.operand(result ? *result : SliceCore(*room), Contents::discard);
  Problem<T> problem{call, options, n, static_cast<bool>(make_vectors), matrix, vectors};
  problem.solve();
  std::vector<Real<T>>& values = problem.values;
  for (Real<T>& value : values) value = times_power(value * scale, -to_one_of_a);
  const auto [first, last] = chosen<T>(options, values);
  values = {values.begin() + first, values.begin() + last};
  if (!std::all_of(values.begin(), values.end(), [](Real<T> x) { return std::isfinite(x); }))
    call.fail("p?syevd", 0, eigenvalues_out_of_range);
  if (!make_vectors) return values;
  if (factor) {
    const int columns = call.narrow(last);
    call.run([&] {
      scalapack::trsm<T>('C', size, columns, factor->template data<T>(), factor->descriptor(),
                         vectors.data<T>(), vectors.descriptor());
      return 0;
    });
    scale_by(vectors.matrix(), scales, {});
  }
  tessera::detail::Box box{};
  box.hi[0] = n;
  box.lo[1] = first, box.hi[1] = last;
  const SliceCore found = vectors.matrix().patch(box);
  fix_phases<T>(found);
  call.group().sync();
  if (result)
    vectors.store(*result);
  else
    tessera::detail::copy(found, make_vectors(last - first));
  return values;
}

}  // namespace

template <class T>
std::vector<Real<T>> eigh(const SliceCore& a, const SliceCore* b, const EighOptions& options,
                          const MakeVectors& vectors) {
  begin_routine(eigh_name, {a, b == nullptr ? a : *b});
  require_square(eigh_name, a);
  const index_t n = a.extents()[0];
  if (b != nullptr && (b->extents()[0] != n || b->extents()[1] != n))
    throw_bad_shapes("eigh needs two matrices of one size", {&a, b});
  check<T>(options, n);
  if (n == 0) {
    if (vectors) vectors(0);
    return {};
  }
  if (options.indices && options.indices->first == options.indices->last) {
    if (vectors) vectors(0);
    return {};
  }
  if constexpr (std::is_same_v<T, float>) {
    const int unsafe = reads_stale_numbers() ? 1 : 0;  // nodes may differ
    if (a.array().group().all_reduce(unsafe, Reduce::max) != 0) return eigh_in_double(a, b, options, vectors);
  }
  return solve<T>(a, b, options, vectors);
}

#define TESSERA_DEFINE(T)                                                                       \
  template std::vector<Real<T>> eigh<T>(const SliceCore&, const SliceCore*, const EighOptions&, \
                                        const MakeVectors&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail

bool tessera::linalg::has_elpa() noexcept { return elpa::is_available; }
