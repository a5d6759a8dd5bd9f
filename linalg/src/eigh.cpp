// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/eigh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include "call.hpp"
#include "elpa.hpp"
#include "scalapack_eigen.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Shapes;

constexpr const char* name = "eigh";

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

// One problem on its grid: the matrix, which is overwritten, and what has been found.
template <class T>
struct Problem {
  const Call& call;
  const EighOptions& options;
  index_t n;
  bool wants_vectors;
  const Distributed& matrix;
  const Distributed& vectors;  // n x n
  std::vector<Real<T>> values{};
  // Of the values and vectors that were computed, those that were asked for.
  index_t first = 0, count = 0;

  bool wants_all() const { return !options.indices && !options.interval; }
  bool is_from_least() const { return wants_all() || (options.indices && options.indices->first == 0); }
  int size() const { return call.narrow(n); }

  // It wants every process in the grid, each with rows and columns of the matrix.
  bool fits_elpa() const {
    const Target& grid = call.target();
    return grid.rows * grid.columns == call.group().size() &&
           index_t{grid.block} * (std::max(grid.rows, grid.columns) - 1) < n;
  }
  EighSolver solver() const {
    if (options.solver == EighSolver::elpa && !fits_elpa()) {
      const Target& grid = call.target();
      throw UsageError(
          formatted("eigh: a matrix of {0} x {0} in blocks of {1} on a grid of {2} x {3} does not "
                    "suit ELPA, which wants every process to have a part; choose another solver",
                    n, grid.block, grid.rows, grid.columns));
    }
    // Its workspace of three numbers for each element is counted in 32 bits, too, and it does not look.
    const bool has_room = matrix.most_local() < std::numeric_limits<int>::max() / 4;
    if (options.solver == EighSolver::divide_and_conquer && !has_room) {
      throw UsageError(
          formatted("eigh: divide and conquer cannot count its workspace for {0} x {0} on {1} processes "
                    "in 32 bits; use more of them, or another solver",
                    n, call.target().rows * call.target().columns));
    }
    if (options.solver != EighSolver::automatic) return options.solver;
    if (elpa::has<T> && is_from_least() && fits_elpa()) return EighSolver::elpa;
    return wants_all() && wants_vectors && has_room ? EighSolver::divide_and_conquer : EighSolver::mrrr;
  }

  void solve() {
    values.resize(static_cast<std::size_t>(n));
    switch (solver()) {
      case EighSolver::elpa:
        return by_elpa();
      case EighSolver::mrrr:
        return by_mrrr();
      default:
        return by_divide_and_conquer();
    }
  }

  void by_divide_and_conquer() {
    call.must_converge("p?syevd", "eigenvalues", [&] {
      return scalapack::syevd<T>(size(), matrix.data<T>(), matrix.descriptor(), values.data(),
                                 vectors.data<T>(), vectors.descriptor());
    });
    share();
    select(n);
  }

  // For fewer vectors than a block has columns p?syevr (2.2) gives its back transformation too little room,
  // which is then not done, without an error: some more are computed.
  EighOptions::Indices widened() const {
    const auto [low, high] = *options.indices;
    const index_t wanted =
        wants_vectors ? std::min(n, std::max<index_t>(high - low, call.target().block)) : high - low;
    const index_t end = std::min(n, low + wanted);
    return {end - wanted, end};
  }

  void by_mrrr() {
    scalapack::Range<T> range{'A', 1, size(), 0, 0};
    if (options.indices) {
      const auto [low, high] = widened();
      range = {'I', call.narrow(low) + 1, call.narrow(high), 0, 0};
      first = options.indices->first - low;
    } else if (options.interval) {
      range.kind = 'V';
      range.low = static_cast<Real<T>>(options.interval->low);
      range.high = static_cast<Real<T>>(options.interval->high);
    }
    int found = 0;
    call.must_converge("p?syevr", "eigenvalues", [&] {
      return scalapack::syevr<T>(wants_vectors, range, size(), matrix.data<T>(), matrix.descriptor(), found,
                                 values.data(), vectors.data<T>(), vectors.descriptor());
    });
    count = options.indices ? options.indices->last - options.indices->first
                            : call.group().broadcast(index_t{found}, 0);
    share();
    // It counts before it computes, and those next to a bound may come out on its other side.
    if (options.interval) keep_interval();
  }

  void by_elpa() {
    if constexpr (elpa::has<T>) solve_by_elpa();
  }
  void solve_by_elpa() requires(elpa::has<T>) {
    const Target& grid = call.target();
    const index_t wanted = options.indices ? options.indices->last : n;
    // Which, unlike ScaLAPACK, reads both triangles.
    mirror<T>(matrix.matrix(), Triangle::lower, true);
    const std::string problem =
        elpa::solve<T>({.comm = call.group().mpi_comm(),
                        .n = size(),
                        .wanted = call.narrow(wanted),
                        .block = grid.block,
                        .row = call.grid().place().row,
                        .column = call.grid().place().column,
                        .local_rows = call.narrow(matrix.matrix().array().local_shape().extents[0]),
                        .local_columns = call.narrow(matrix.matrix().array().local_shape().extents[1])},
                       wants_vectors, matrix.data<T>(), values.data(), vectors.data<T>());
    const std::string agreed = call.group().agree(problem);
    if (!agreed.empty()) call.fail("elpa", 1, formatted("could not be diagonalised by ELPA: {}", agreed));
    share();
    select(wanted);
  }

  // Processes outside the grid have no values yet, and all should have the same to the last bit.
  void share() { call.group().broadcast(std::span<Real<T>>(values), 0); }
  // What was asked for, of so many from the least on.
  void select(index_t computed) {
    first = 0, count = computed;
    if (options.indices) first = options.indices->first, count = options.indices->last - first;
    if (options.interval) keep_interval();
  }
  // Of those that were found.
  void keep_interval() {
    const auto begin = values.begin() + first, end = begin + count;
    const auto low = std::upper_bound(begin, end, static_cast<Real<T>>(options.interval->low));
    first = low - values.begin();
    count = std::upper_bound(low, end, static_cast<Real<T>>(options.interval->high)) - low;
  }
};

template <class T>
std::vector<Real<T>> solve(const SliceCore& a, const SliceCore* b, const EighOptions& options,
                           const MakeVectors& make_vectors) {
  const index_t n = a.extents()[0];
  const Call call(name, a, n, options.blocking);
  const int size = call.narrow(n);
  const Distributed matrix = call.copy_of(a);
  std::optional<Distributed> factor;
  Real<T> scale = 1;
  if (b != nullptr) {
    factor.emplace(call.copy_of(*b));
    call.factor_spd<T>(*factor, size, *b);
    call.must("p?syngst", [&] {
      return scalapack::sygst<T>(size, matrix.data<T>(), matrix.descriptor(), factor->template data<T>(),
                                 factor->descriptor(), scale);
    });
  }
  // All vectors may be computed where they belong.
  std::optional<SliceCore> result;
  std::optional<ArrayCore> room;
  const bool all = !options.indices && !options.interval;
  if (all && make_vectors) result = make_vectors(n);
  // Divide and conquer has no way without them.
  const bool needs_room = make_vectors || options.solver == EighSolver::divide_and_conquer;
  if (!result) room.emplace(call.matrix(needs_room ? n : 0, needs_room ? n : 0));
  Distributed vectors = call.operand(result ? *result : SliceCore(*room), Contents::discard);
  Problem<T> problem{call, options, n, static_cast<bool>(make_vectors), matrix, vectors};
  problem.solve();
  if (make_vectors) {
    if (factor) {
      const int columns = call.narrow(problem.first + problem.count);
      call.run([&] {
        scalapack::trsm<T>('C', size, columns, factor->template data<T>(), factor->descriptor(),
                           vectors.data<T>(), vectors.descriptor());
        return 0;
      });
    }
    if (result) {
      vectors.store(*result);
    } else {
      room->sync();
      tessera::detail::Box box{};
      box.hi[0] = n;
      box.lo[1] = problem.first, box.hi[1] = problem.first + problem.count;
      tessera::detail::copy(SliceCore(*room).patch(box), make_vectors(problem.count));
    }
  }
  const auto from = problem.values.begin() + problem.first;
  std::vector<Real<T>> values(from, from + problem.count);
  for (Real<T>& value : values) value *= scale;
  return values;
}

}  // namespace

template <class T>
std::vector<Real<T>> eigh(const SliceCore& a, const SliceCore* b, const EighOptions& options,
                          const MakeVectors& vectors) {
  tessera::detail::begin_operation(name, {a, b == nullptr ? a : *b}, Shapes::any);
  require_square(name, a);
  const index_t n = a.extents()[0];
  if (b != nullptr && (b->extents()[0] != n || b->extents()[1] != n))
    throw_bad_shapes("eigh needs two matrices of one size", {&a, b});
  check<T>(options, n);
  if (n == 0) {
    if (vectors) vectors(0);
    return {};
  }
  largest_of_lower<T>(name, a, "p?syevd");
  if (b != nullptr) largest_of_lower<T>(name, *b, "p?potrf");
  if (options.indices && options.indices->first == options.indices->last) {
    if (vectors) vectors(0);
    return {};
  }
  return solve<T>(a, b, options, vectors);
}

#define TESSERA_DEFINE(T)                                                                       \
  template std::vector<Real<T>> eigh<T>(const SliceCore&, const SliceCore*, const EighOptions&, \
                                        const MakeVectors&);
TESSERA_DEFINE(float)
TESSERA_DEFINE(double)
TESSERA_DEFINE(std::complex<float>)
TESSERA_DEFINE(std::complex<double>)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail

bool tessera::linalg::has_elpa() noexcept { return elpa::is_available; }
