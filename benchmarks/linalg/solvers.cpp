// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Equations, eigenvalues and singular values of blocked arrays, redistribution included. They are compared with
// bare calls of ScaLAPACK on matrices in its own layout.
#include <cmath>
#include <memory>
#include <optional>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/linalg.hpp>
#include <tessera/reductions.hpp>

#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::linalg {
namespace {

constexpr Target no_more_than_a_twentieth{Goal::at_least, 1 / 1.05};

// Symmetric, with a diagonal that makes it positive definite.
double element(index_t i, index_t j, index_t n) {
  const auto low = static_cast<double>(std::min(i, j)), high = static_cast<double>(std::max(i, j));
  return std::sin(low * 0.7 + high * 1.3) + (i == j ? 2 * std::sqrt(static_cast<double>(n)) + 2 : 0);
}

// ScaLAPACK's matrices of one size. Calls overwrite them, so they are restored between the samples.
class Peer {
 public:
  Peer(const Group& world, index_t n) : world_(world), system_(world) {
    const Extents<2> grid = near_square(world.size());
    grid_.emplace(system_, static_cast<int>(grid[0]), static_cast<int>(grid[1]));
    original_.emplace(matrix(n, n)), work_.emplace(matrix(n, n)), second_.emplace(matrix(n, n)),
        third_.emplace(matrix(n, n));
    Array<double, 2> a(world, Layout<2>::block_cyclic({n, n}, {64, 64}, {grid}, world.size())
                                  .with_storage(StorageOrder::column_major));
    for_each_local(a, [n](const Index<2>& at, double& x) { x = element(at[0], at[1], n); });
    a.sync();
    std::size_t next = 0;
    // By columns, as a block-cyclic layout stores them.
    const double* data = static_cast<const double*>(a.core().local_data());
    for (double& x : original_->local()) x = data[next++];
    work_->local() = original_->local();
    a.close();
  }
  void restore() {
    work_->local() = original_->local();
    world_.barrier();
  }
  Routine solve() {
    return repeat([this] { scalapack_peer::solve(*work_, *second_); });
  }
  Routine eigen() {
    return repeat([this] { scalapack_peer::eigen(*work_, *second_, values_); });
  }
  Routine singular() {
    return repeat([this] { scalapack_peer::singular(*work_, *second_, *third_, values_); });
  }
  Routine multiply_transposed() {
    return repeat([this] { scalapack_peer::multiply_transposed(*original_, *second_); });
  }
  const std::vector<double>& values() const noexcept { return values_; }

 private:
  scalapack_peer::Matrix matrix(index_t rows, index_t columns) const {
    scalapack_peer::Matrix made(*grid_, static_cast<int>(rows), static_cast<int>(columns), {64, 64});
    std::ranges::fill(made.local(), 1.0);
    return made;
  }
  const Group& world_;
  scalapack_peer::System system_;
  std::optional<scalapack_peer::Grid> grid_;
  std::optional<scalapack_peer::Matrix> original_, work_, second_, third_;
  std::vector<double> values_;
};

void set(Array<double, 2>& a) {
  const index_t n = a.dims()[0];
  for_each_local(a, [n](const Index<2>& at, double& x) { x = element(at[0], at[1], n); });
  a.sync();
}

}  // namespace

void solvers(Session& session) {
  constexpr const char* section = "equations, eigenvalues, singular values of n x n doubles in blocks";
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const auto sizes = session.is_quick() ? std::vector<index_t>{100} : std::vector<index_t>{500, 1000, 2000};
  for (const index_t n : sizes) {
    Array<double, 2> a(world, {n, n}, {.name = "a"}), b(world, {n, n}, {.name = "b"}),
        c(world, {n, n}, {.name = "c"});
    set(a);
    fill(b, 1.0);
    Peer peer(world, n);
    const Others restored{.wait = [&] { peer.restore(); }};
    const std::optional<Target> target = n == 2000 ? std::optional(no_more_than_a_twentieth) : std::nullopt;
    const auto compare = [&](const std::string& name, const std::function<void()>& ours, const char* theirs,
                             Routine routine) {
      session.compare({.section = section,
                       .name = name + ", n = " + std::to_string(n),
                       .routine = repeat(ours),
                       .clock = Clock::joint,
                       .others = {.wait = [&world] { world.barrier(); }}},
                      {{theirs, std::move(routine), target, Counts::every_mpi, restored}});
    };
    compare(
        "solve, n right-hand sides", [&] { tessera::linalg::solve(a, b); }, "PDGESV", peer.solve());
    compare(
        "eigh", [&] { tessera::linalg::eigh(a); }, "PDSYEVD", peer.eigen());
    std::vector<double> values = tessera::linalg::eigvalsh(a);
    peer.restore();
    peer.eigen()(1);
    for (std::size_t i = 0; i < values.size(); ++i)
      require(std::abs(values[i] - peer.values()[i]) < 1e-9 * static_cast<double>(n), "eigenvalues differ");
    compare(
        "eigh, a tenth of the vectors",
        [&] {
          tessera::linalg::eigh(a, {.indices = tessera::linalg::EighOptions::Indices{0, n / 10}});
        },
        "PDSYEVD, all", peer.eigen());
    compare(
        "svd", [&] { tessera::linalg::svd(a); }, "PDGESVD", peer.singular());
    compare(
        "syrk", [&] { tessera::linalg::syrk(1.0, a, 0.0, c); }, "PDSYRK, one triangle",
        peer.multiply_transposed());
    c.close(), b.close(), a.close();
  }
}

void batch(Session& session) {
  constexpr const char* section = "gemm_batch: many products of small matrices of doubles";
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const index_t count = session.is_quick() ? 20 : 1000;
  for (const index_t n : {index_t{8}, index_t{32}, index_t{128}}) {
    if (session.is_quick() && n > 8) break;
    Array<double, 3> a(world, {count, n, n}), b(world, {count, n, n}), c(world, {count, n, n});
    fill(a, 1.0), fill(b, 2.0);
    const auto one_by_one = [&] {
      for (index_t i = 0; i < count; ++i)
        tessera::linalg::gemm(1.0, tessera::linalg::Operand<double>(slice_of(a).fix(0, i)),
                              slice_of(b).fix(0, i), 0.0, slice_of(c).fix(0, i));
    };
    const std::vector<double> left(static_cast<std::size_t>(n * n), 1.0), right(left);
    std::vector<double> product(left);
    const int size = static_cast<int>(n);
    const auto alone = [&] {
      for (index_t i = 0; i < count / world.size(); ++i)
        scalapack_peer::multiply_alone(size, size, size, left.data(), right.data(), product.data());
    };
    const Others others{.wait = [&world] { world.barrier(); }};
    session.compare(
        {.section = section,
         .name = std::to_string(count) + " of " + std::to_string(n) + " x " + std::to_string(n),
         .routine = repeat([&] { tessera::linalg::gemm_batch(1.0, a, b, 0.0, c); }),
         .clock = Clock::joint,
         .others = others},
        {{"gemm one by one", repeat(one_by_one)}, {"DGEMM on each rank, same operands", repeat(alone)}});
    require(reduce(c, Reduce::min) == 2.0 * static_cast<double>(n), "a batch");
    c.close(), b.close(), a.close();
  }
}

}  // namespace tessera::benchmark::linalg
