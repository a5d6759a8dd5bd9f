// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Sparse matrix times vector, y = A x: by Tessera, which fetches all elements of x that a rank needs together;
// by one get for each such element; by Global Arrays, which gathers them; and by MPI with a packed exchange.
// The matrix is the stiffness matrix of an elastic beam, or that of a Matrix Market file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>

#include "peers.hpp"
#include "sparse/local_rows.hpp"
#include "sparse/problem.hpp"

namespace tessera::benchmark::sparse {
namespace {

/// A way to multiply, with its vectors: the elements of this rank.
struct Way {
  std::string name;
  std::function<void()> multiply;  // @collective
  double *x, *y;
};

// This rank's elements of a vector of blocks.
double* own(const Array<double, 1>& vector) {
  const Patch<1> mine = vector.local_patch();
  return mine.empty() ? nullptr : vector.address(mine.lo);
}

// Synchronised or not: the ranks change their own elements of x, as a solver does.
Way by_tessera(const SparseMatrix<double>& matrix, bool synchronised) {
  const auto vectors = std::make_shared<std::pair<Array<double, 1>, Array<double, 1>>>(
      Array<double, 1>(matrix.group(), matrix.column_layout(), {.name = "x"}),
      Array<double, 1>(matrix.group(), matrix.row_layout(), {.name = "y"}));
  const auto multiply = [&matrix, vectors, synchronised] {
    synchronised ? matrix.multiply(vectors->first, vectors->second)
                 : matrix.multiply_unsynchronised(vectors->first, vectors->second);
  };
  return {synchronised ? "multiply" : "multiply_unsynchronised", multiply, own(vectors->first),
          own(vectors->second)};
}

Way one_by_one(const SparseMatrix<double>& matrix) {
  struct State {
    LocalRows rows;
    Array<double, 1> x;
    std::vector<double> needed, y;
  };
  const auto state = std::make_shared<State>(
      State{LocalRows(matrix),
            Array<double, 1>(matrix.group(), matrix.column_layout(), {.name = "x"}),
            {},
            std::vector<double>(static_cast<std::size_t>(matrix.last_row() - matrix.first_row()))});
  state->needed.resize(static_cast<std::size_t>(state->rows.own()) + state->rows.needed().size());
  double* x = own(state->x);
  const auto multiply = [state, x] {
    state->x.sync();
    std::copy_n(x, state->rows.own(), state->needed.begin());
    auto next = state->needed.begin() + state->rows.own();
    for (const index_t column : state->rows.needed()) *next++ = state->x.load({column});
    state->rows.multiply(state->needed.data(), state->y.data());
    state->x.sync();
  };
  return {"one get for each element", multiply, x, state->y.data()};
}

Way by_messages(const SparseMatrix<double>& matrix) {
  struct State {
    PackedProduct product;
    std::vector<double> x, y;
  };
  const auto state = std::make_shared<State>(State{PackedProduct(matrix.group(), matrix), {}, {}});
  const LocalRows& rows = state->product.rows();
  state->x.resize(static_cast<std::size_t>(rows.own()) + rows.needed().size());
  state->y.resize(static_cast<std::size_t>(rows.rows()));
  return {"packed, MPI_Alltoallv", [state] { state->product(state->x, state->y.data()); }, state->x.data(),
          state->y.data()};
}

// NGA_Gather fetches the elements of x that other ranks own. Row r of the array has those of rank r.
class Gathered {
 public:
  Gathered(const SparseMatrix<double>& matrix, index_t most)
      : y(static_cast<std::size_t>(matrix.last_row() - matrix.first_row())),
        rows_(matrix),
        owned_(matrix.group().size(), 1, most),
        needed_(static_cast<std::size_t>(rows_.own()) + rows_.needed().size()) {
    const Layout<1>& layout = matrix.column_layout();
    for (const index_t column : rows_.needed()) {
      const int owner = layout.owner({column});
      at_.push_back(owner);
      at_.push_back(static_cast<int>(column - layout.block(owner).lo[0]));
    }
  }
  double* own() const { return owned_.own(); }
  void multiply() {
    ga_peer::sync();
    std::copy_n(own(), rows_.own(), needed_.begin());
    if (!at_.empty()) owned_.gather(at_, needed_.data() + rows_.own());
    rows_.multiply(needed_.data(), y.data());
    ga_peer::sync();
  }

  std::vector<double> y;

 private:
  LocalRows rows_;
  ga_peer::Matrix owned_;
  std::vector<double> needed_;
  std::vector<int> at_;  // row and column of each element that is fetched
};

Way by_global_arrays(const SparseMatrix<double>& matrix) {
  index_t most = 0;
  for (int rank = 0; rank < matrix.group().size(); ++rank)
    most = std::max(most, matrix.column_layout().block(rank).size());
  const auto state = std::make_shared<Gathered>(matrix, most);
  return {"NGA_Gather", [state] { state->multiply(); }, state->own(), state->y.data()};
}

class Program {
 public:
  Program(Session& session, const Problem& problem, bool global_arrays)
      : session_(session), world_(session.world()), problem_(problem), global_arrays_(global_arrays) {}

  void operator()() {
    const SparseMatrix<double>& matrix = problem_.matrix;
    const Way tessera = by_tessera(matrix, true), unsynchronised = by_tessera(matrix, false),
              single = one_by_one(matrix), messages = by_messages(matrix);
    for (const Way* way : {&tessera, &unsynchronised, &single, &messages}) check(*way);
    const Reference packed{
        .name = messages.name, .routine = repeat(messages.multiply), .target = as_fast_as_mpi(world_)};
    const auto row = [&](const Way& way, const std::vector<Reference>& references) {
      session_.compare({.section = "y = A x, " + problem_.description(),
                        .name = way.name,
                        .routine = repeat(way.multiply),
                        .clock = Clock::joint,
                        .others = waiting(world_)},
                       references);
    };
    row(unsynchronised, {packed});
    std::vector<Reference> synchronised{
        packed,
        {.name = single.name,
         .routine = repeat(single.multiply),
         .target = world_.node_count() == 1 ? std::optional<Target>() : Target{Goal::at_least, 3.0}}};
    if (global_arrays_) {
      const Way gathered = by_global_arrays(matrix);
      check(gathered);
      synchronised.push_back(
          {.name = gathered.name, .routine = repeat(gathered.multiply), .target = Target{Goal::at_least, 2.0}});
    }
    row(tessera, synchronised);
  }

 private:
  // Compares a product with the serial one.
  void check(const Way& way) {
    const SparseMatrix<double>& matrix = problem_.matrix;
    const std::vector<double> x = some_vector(matrix.columns()), expected = problem_.product(x);
    const Patch<1> mine = matrix.column_layout().block(world_.rank());
    if (!mine.empty()) std::copy(x.begin() + mine.lo[0], x.begin() + mine.hi[0], way.x);
    world_.sync();
    way.multiply();
    const auto rows = static_cast<std::size_t>(matrix.last_row() - matrix.first_row());
    const std::span<const double> wanted(expected.data() + matrix.first_row(), rows);
    require_everywhere(world_, agree({way.y, rows}, wanted, 1e-12), way.name);
  }

  Session& session_;
  const Group& world_;
  const Problem& problem_;
  bool global_arrays_;
};

}  // namespace
}  // namespace tessera::benchmark::sparse

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  sparse::ProblemOptions problem_options;
  auto parsed = parse_options(argc, argv, "Sparse matrix times vector, with and without aggregation.",
                              world.rank() == 0, [&](CLI::App& app) { add_options(app, problem_options); });
  if (parsed.exit_status) return *parsed.exit_status;
  parsed.options.full = {.joint_sample_seconds = 10e-3, .comparison_seconds = 20.0};

  Session session(runtime, "spmv", parsed.options);
  const sparse::Problem problem = make_problem(world, problem_options, session.is_quick());
  const std::int64_t scratch = problem.matrix.columns() * 64 + mib;  // for lists of elements
  const Peers peers = start_peers(session, runtime, scratch);
  sparse::Program(session, problem, peers.global_arrays != nullptr)();
  session.note(
      "Before it is measured, each way multiplies the matrix and a vector. The product must agree with that of "
      "one process, which adds up the elements one after another.");
  session.note(
      "Global Arrays 5.8 has no product of a sparse matrix and a vector. So each rank keeps its rows itself, "
      "and "
      "fetches elements of x with NGA_Gather.");
  session.finish();
  return 0;
}
