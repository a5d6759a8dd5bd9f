// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Products of matrices of double.
#include <cmath>
#include <memory>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/gemm.hpp>

#include "ga_peer.hpp"
#include "scalapack_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::linalg {
namespace {

constexpr const char* section = "gemm: c = a b, of doubles";

std::string text(const Shape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.n) + " x " + std::to_string(shape.k);
}

// Small whole numbers, whose products are exact.
double left(const Index<2>& at) { return static_cast<double>((3 * at[0] + 5 * at[1]) % 7 - 3); }
double right(const Index<2>& at) { return static_cast<double>((2 * at[0] + 3 * at[1]) % 5 - 2); }

using MakeLayout = Layout<2> (*)(const Extents<2>&, int);

Layout<2> blocked(const Extents<2>& dims, int ranks) { return Layout<2>::blocked(dims, ranks); }
Layout<2> blocked_by_columns(const Extents<2>& dims, int ranks) {
  return blocked(dims, ranks).with_storage(StorageOrder::column_major);
}
Layout<2> cyclic(const Extents<2>& dims, int ranks) {
  return Layout<2>::block_cyclic(dims, {64, 64}, {near_square(ranks)}, ranks);
}

bool is_right(Array<double, 2>& c, const Shape& shape) {
  bool right_ones = true;
  index_t number = 0;
  for_each_local(c, [&](const Index<2>& at, const double& x) {
    if (number++ % 10007 != 0) return;
    double sum = 0;
    for (index_t l = 0; l < shape.k; ++l) sum += left({at[0], l}) * right({l, at[1]});
    right_ones = right_ones && x == sum;
  });
  return right_ones;
}

// The other libraries' products of the same shape, each on its own matrices.
class Peers {
 public:
  Peers(const Group& world, const Shape& shape, bool global_arrays) : shape_(shape), system_(world) {
    const int ranks = world.size();
    const Extents<2> grid = near_square(ranks);
    grid_ =
        std::make_unique<scalapack_peer::Grid>(system_, static_cast<int>(grid[0]), static_cast<int>(grid[1]));
    const auto matrix = [&](index_t rows, index_t columns) {
      scalapack_peer::Matrix made(*grid_, static_cast<int>(rows), static_cast<int>(columns), {64, 64});
      std::ranges::fill(made.local(), 0.5);
      return made;
    };
    a_.emplace(matrix(shape.m, shape.k));
    b_.emplace(matrix(shape.k, shape.n));
    c_.emplace(matrix(shape.m, shape.n));
    // The rank's part of the result, by one call. The longer side is divided, so that the part is nearer to a
    // square.
    rows_ = shape.m >= shape.n ? shape.m / ranks : shape.m;
    columns_ = shape.m >= shape.n ? shape.n : shape.n / ranks;
    own_a_.assign(static_cast<std::size_t>(rows_ * shape.k), 0.5);
    own_b_.assign(static_cast<std::size_t>(shape.k * columns_), 0.5);
    own_c_.assign(static_cast<std::size_t>(rows_ * columns_), 0.0);
    if (!global_arrays || shape.m % ranks != 0 || shape.k % ranks != 0) return;
    theirs_[0] = std::make_unique<ga_peer::Matrix>(ranks, shape.m / ranks, shape.k);
    theirs_[1] = std::make_unique<ga_peer::Matrix>(ranks, shape.k / ranks, shape.n);
    theirs_[2] = std::make_unique<ga_peer::Matrix>(ranks, shape.m / ranks, shape.n);
  }

  Routine pdgemm() {
    return repeat([this] { scalapack_peer::multiply(*a_, *b_, *c_); });
  }
  Routine alone() {
    return repeat([this] {
      scalapack_peer::multiply_alone(static_cast<int>(rows_), static_cast<int>(columns_),
                                     static_cast<int>(shape_.k), own_a_.data(), own_b_.data(), own_c_.data());
    });
  }
  Routine global_arrays() {
    if (!theirs_[0]) return {};
    return repeat([this] { theirs_[2]->multiply(*theirs_[0], *theirs_[1], {shape_.m, shape_.n, shape_.k}); });
  }

 private:
  Shape shape_;
  scalapack_peer::System system_;
  std::unique_ptr<scalapack_peer::Grid> grid_;
  std::optional<scalapack_peer::Matrix> a_, b_, c_;
  index_t rows_, columns_;
  std::vector<double> own_a_, own_b_, own_c_;
  std::unique_ptr<ga_peer::Matrix> theirs_[3];
};

struct Goals {
  std::optional<Target> pdgemm, alone, global_arrays;
};

void measure(Session& session, Peers& peers, const Shape& shape, const std::string& name, MakeLayout layout,
             const Goals& goals) {
  const Group& world = session.world();
  const int ranks = world.size();
  Array<double, 2> a(world, layout({shape.m, shape.k}, ranks), {.name = "a"}),
      b(world, layout({shape.k, shape.n}, ranks), {.name = "b"}),
      c(world, layout({shape.m, shape.n}, ranks), {.name = "c"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = left(at); });
  for_each_local(b, [](const Index<2>& at, double& x) { x = right(at); });
  const auto product = [&] { tessera::linalg::gemm(1.0, a, b, 0.0, c); };
  product();
  const std::string title = text(shape) + ", " + name;
  require(world.all_reduce(is_right(c, shape) ? 1 : 0, Reduce::min) == 1, title);
  const Others others{.wait = [&world] { world.barrier(); }};
  session.compare(
      {.section = section, .name = title, .routine = repeat(product), .clock = Clock::joint, .others = others},
      {{"PDGEMM, cyclic 64", peers.pdgemm(), goals.pdgemm},
       {"DGEMM on each rank", peers.alone(), goals.alone},
       {ga_peer::Library::name(), peers.global_arrays(), goals.global_arrays}});
  c.close();
  b.close();
  a.close();
}

}  // namespace

void gemm(Session& session, bool global_arrays, const std::vector<Shape>& only) {
  if (!session.wants(section)) return;
  const Target equal{Goal::at_least, 1.0}, nearly{Goal::at_least, 0.95}, incumbent{Goal::at_least, 1.2},
      clearly{Goal::at_least, 1.5};
  struct Case {
    Shape shape;
    Goals goals;
  };
  std::vector<Case> cases;
  if (session.is_quick()) {
    cases = {{{128, 128, 128}, {}}, {{32, 32, 2000}, {}}};
  } else {
    for (const index_t n : {256, 512, 1024, 2048, 4096}) {
      const Goals large{equal, nearly, incumbent}, small{{}, {}, incumbent};
      cases.push_back({{n, n, n}, n >= 512 ? large : small});
    }
    cases.push_back({{256, 256, 200000}, {clearly, {}, incumbent}});
    cases.push_back({{2048, 2048, 32}, {clearly, {}, incumbent}});
    cases.push_back({{4096, 4096, 32}, {clearly, {}, incumbent}});
  }
  if (!only.empty()) {
    std::vector<Case> chosen;
    for (const Shape& shape : only) {
      const auto known = std::ranges::find_if(cases, [&](const Case& one) { return one.shape == shape; });
      chosen.push_back(known == cases.end() ? Case{shape, {}} : *known);
    }
    cases = std::move(chosen);
  }
  for (const Case& now : cases) {
    Peers peers(session.world(), now.shape, global_arrays);
    measure(session, peers, now.shape, "blocks", blocked, now.goals);
    measure(session, peers, now.shape, "blocks by columns", blocked_by_columns, now.goals);
    measure(session, peers, now.shape, "cyclic 64", cyclic, now.goals);
  }
  session.note("gemm: DGEMM on each rank multiplies as much without any other rank.");
}

}  // namespace tessera::benchmark::linalg
