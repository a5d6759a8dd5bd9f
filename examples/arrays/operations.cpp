// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A tour of operations on whole arrays and on slices: element by element, reductions, matrices, vectors, sparse
// matrices, equations, tasks, printing. Each part checks its result.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <numbers>
#include <numeric>
#include <sstream>
#include <vector>

#include <tessera/krylov.hpp>
#include <tessera/preconditioners.hpp>
#include <tessera/tessera.hpp>

#include "parts.hpp"

using tessera::Array, tessera::Extents, tessera::Group, tessera::Index, tessera::index_t, tessera::LocalArray,
    tessera::Patch, tessera::Reduce;

namespace {

bool elements(const Group& world) {
  // [elements]
  Array<double, 2> x(world, {30, 20}, {.name = "x"});
  auto y = x.duplicate("y"), z = x.duplicate("z");
  randomize(x, 42);  // in [0, 1), the same on any number of ranks
  fill(y, 2.0);
  axpby(3.0, x, -1.0, y, z);  // z = 3 x - y
  multiply(x, y, y);          // y = x y
  clamp(z, -1.0, 0.5);
  copy(x.slice({{0, 0}, {10, 20}}), z.slice({{20, 0}, {30, 20}}));  // slices are accepted wherever arrays are
  // [elements]
  return y.load({7, 7}) == 2 * x.load({7, 7}) && z.load({20, 3}) == x.load({0, 3}) &&
         z.load({1, 1}) == std::clamp(3 * x.load({1, 1}) - 2, -1.0, 0.5);
}

bool transforms(const Group& world) {
  Array<double, 1> x(world, {50}, {.name = "x"}), y(world, {50}, {.name = "y"}), z(world, {50}, {.name = "z"});
  tessera::enumerate(x);
  fill(y, 20.0);
  tessera::enumerate(z, 49, -1);
  // [transform]
  Array<double, 1> middle(world, {50}, {.name = "middle"});
  tessera::transform(x, y, z, middle, [](double a, double b, double c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  });
  tessera::transform(x, [](double a) { return std::sqrt(a); });  // in place
  // The largest step for which middle + step * y stays positive: the smallest of the elements' largest steps.
  fill(y, -2.0);
  const double step = tessera::transform_reduce(middle, y, Reduce::min, [](double a, double change) {
    return change < 0 ? -a / change : std::numeric_limits<double>::infinity();
  });
  // [transform]
  return middle.load({0}) == 20 && middle.load({24}) == 24 && x.load({49}) == 7 && step == 10;
}

// [range]
struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};
struct Widen {
  Range operator()(const Range& range, double x) const {
    return {std::min(range.low, x), std::max(range.high, x)};
  }
  Range operator()(const Range& a, const Range& b) const {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
};
// [range]

bool reductions(const Group& world) {
  Array<double, 2> a(world, {30, 20}, {.name = "a"});
  for_each_local(
      a, [](const Index<2>& at, double& x) { x = std::abs(static_cast<double>(20 * at[0] + at[1] - 333)); });
  // [reductions]
  const double sum = reduce(a, Reduce::sum);
  const double squares = dot(a, a), length = norm2(a);
  const auto least = min_element(a);  // least.value and where it is, least.at
  const double row = reduce(a.slice().fix(0, 16), Reduce::max);
  const Range range = reduce(a, Range{}, Widen{});  // any associative and commutative function
  // [reductions]
  return sum == 333 * 334 / 2 + 266 * 267 / 2 && std::abs(length * length - squares) < 1e-6 &&
         least.value == 0 && least.at == Index<2>{16, 13} && row == 13 && range.low == 0 && range.high == 333;
}

bool matrices(const Group& world) {
  Array<double, 2> a(world, {20, 20}, {.name = "a"}), b(world, {20, 20}, {.name = "b"});
  Array<double, 1> v(world, {20}, {.name = "v"});
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(10 * at[0] + at[1]); });
  tessera::enumerate(v);
  // [matrix]
  transpose(a, b);   // b = transpose of a
  symmetrise(a);     // a = (a + transpose of a) / 2
  scale_rows(b, v);  // row i of b times v(i)
  scale_columns(b, v);
  shift_diagonal(a, 0.5);  // a + 0.5 I
  get_diagonal(a, v);
  // [matrix]
  return b.load({2, 3}) == 32 * 2 * 3 && a.load({4, 6}) == 55 && v.load({3}) == 33.5;
}

bool vectors(const Group& world) {
  // [vectors]
  Array<std::int64_t, 1> x(world, {12}, {.name = "x"}), sums(world, {12}, {.name = "sums"});
  Array<std::int32_t, 1> marks(world, {12}, {.name = "marks"});
  tessera::enumerate(x, 1);                                                         // 1 2 3 ... 12
  tessera::transform(x, marks, [](std::int64_t i) { return i % 4 == 1 ? 1 : 0; });  // marks 1, 5 and 9
  scan(x, sums);                                                                    // 1 3 6 ... 78
  segmented_scan(x, marks, sums);             // 1 3 6 10 5 11 18 26 9 19 30 42
  const index_t kept = pack(x, marks, sums);  // sums begins with 1 5 9

  Array<double, 1> keys(world, {12}, {.name = "keys"});
  tessera::transform(x, keys, [](std::int64_t i) { return static_cast<double>(5 * i % 12); });
  sort(keys, x);  // keys in order, x with them
  Array<std::int64_t, 1> counts(world, {13}, {.name = "counts"});
  fill(counts, 0);
  bin(x, counts);  // how often each number is in x
  // [vectors]
  return kept == 3 && sums.load({2}) == 9 && sums.load({11}) == 42 && keys.load({11}) == 11 &&
         x.load({1}) == 5 && counts.load({0}) == 0 && counts.load({12}) == 1;
}

// The second difference on a ring; waves are its eigenvectors.
bool sparse(const Group& world) {
  constexpr index_t n = 60;
  constexpr double angle = 2 * std::numbers::pi / n;
  // [sparse]
  std::vector<tessera::Triplet<double>> triplets;  // of any rows, on any rank
  for (index_t i = world.rank(); i < n; i += world.size()) {
    triplets.push_back({i, i, -2});
    triplets.push_back({i, (i + 1) % n, 1});
    triplets.push_back({i, (i + n - 1) % n, 1});
  }
  const tessera::SparseMatrix<double> second(world, n, n, triplets, {.name = "second difference"});
  Array<double, 1> x(world, {n}, {.name = "x"}), y(world, {n}, {.name = "y"});
  for_each_local(x, [](const Index<1>& i, double& e) { e = std::sin(angle * static_cast<double>(i[0])); });
  second.multiply(x, y);  // y = A x
  // [sparse]
  axpby(2 * (1 - std::cos(angle)), x, 1.0, y);
  return norm_inf(y) < 1e-14 && second.nonzeros() == 3 * n;
}

// A ring of points, each tied to its neighbours by springs, and to its place by a weak one.
bool equations(const Group& world) {
  constexpr index_t n = 60;
  std::vector<tessera::Triplet<double>> triplets;
  for (index_t i = world.rank(); i < n; i += world.size()) {
    triplets.push_back({i, i, 2.01});
    triplets.push_back({i, (i + 1) % n, -1});
    triplets.push_back({i, (i + n - 1) % n, -1});
  }
  // [krylov]
  const tessera::SparseMatrix<double> stiffness(world, n, n, triplets, {.name = "stiffness"});
  Array<double, 1> force(world, {n}, {.name = "force"});
  auto place = force.duplicate("place"), diagonal = force.duplicate("diagonal");
  fill(force, 0.01);
  fill(place, 0.0);  // where the solver begins
  stiffness.get_diagonal(diagonal);
  const tessera::KrylovResult result =
      cg(stiffness, force, place, {.tolerance = 1e-10}, tessera::Jacobi(diagonal));
  if (!result.converged())
    std::cout << "no solution after " << result.iterations << " iterations: " << to_string(result.stop) << '\n';
  // [krylov]
  add_constant(place, -1.0);
  return result.converged() && norm_inf(place) < 1e-8;
}

bool tasks(const Group& world) {
  constexpr index_t blocks = 40, size = 100;
  Array<double, 1> a(world, {blocks * size}, {.name = "a"}),
      squares(world, {blocks * size}, {.name = "squares"});
  fill(a, 3.0);
  fill(squares, 0.0);
  // [tasks]
  tessera::TaskCounter counter(world, blocks);
  double sum = 0;
  for_each_task(counter, [&](index_t task) {
    for (const double x : a.get(Patch<1>::at({task * size}, {size}))) sum += x;
  });
  // [tasks]
  // [tasks_behind]
  counter.reset();
  for_each_task(
      counter,
      [&](index_t task) {  // begins to fetch what the next task needs
        return a.get_async(Patch<1>::at({task * size}, {size}));
      },
      [&](index_t task, tessera::LocalTransfer<double, 1>& block) {  // its result is sent during the next task
        tessera::LocalTransfer<double, 1> result(std::move(block.data));
        for (double& x : result.data) x *= x;
        result.request = squares.acc_async(Patch<1>::at({task * size}, {size}), result.data);
        return result;
      });
  squares.sync();
  // [tasks_behind]
  // [queues]
  // A task for each element, numbered as they are. A rank's queue has those of its own elements.
  tessera::TaskQueues queues(world, a.local_patch().size());
  double same_sum = 0;
  for_each_task(queues, [&](index_t task) { same_sum += a.load({task}); });
  // [queues]
  // [pairs]
  // The scalar products of all blocks with each other, each once. Pairs of high cost come first.
  Array<double, 2> products(world, {blocks, blocks}, {.name = "products"});
  fill(products, 0.0);
  const tessera::Pairs pairs(blocks, tessera::Triangular{}, [](index_t i, index_t j) { return i + j; });
  tessera::TaskCounter pair_counter(world, pairs.count());
  for_each_pair(pair_counter, pairs, [&](index_t i, index_t j) {
    const auto x = a.get(Patch<1>::at({i * size}, {size})), y = a.get(Patch<1>::at({j * size}, {size}));
    products.store({i, j}, std::inner_product(x.begin(), x.end(), y.begin(), 0.0));
  });
  // [pairs]
  products.sync();
  if (reduce(products, Reduce::sum) != 9.0 * size * static_cast<double>(pairs.count())) return false;
  if (world.all_reduce(same_sum, Reduce::sum) != 3.0 * blocks * size) return false;
  return world.all_reduce(sum, Reduce::sum) == 3.0 * blocks * size && reduce(squares, Reduce::min) == 9 &&
         reduce(squares, Reduce::max) == 9;
}

bool printing(const Group& world) {
  Array<double, 2> a(world, {100, 80}, {.name = "density"});
  for_each_local(a, [](const Index<2>& at, double& x) {
    x = static_cast<double>(at[0]) + 0.01 * static_cast<double>(at[1]);
  });
  std::ostringstream text;
  std::ostream& out = text;
  // [print]
  print(out, a, {.most = 4});  // on rank 0
  print(out, a.slice({{50, 0}, {52, 3}}), {.precision = 4});
  if (world.rank() == 0) print(out, a.layout());  // who owns what
  // [print]
  std::cout << text.str();
  return (text.str().find("density") != std::string::npos) == (world.rank() == 0);
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  return run_parts(runtime.world(), {{"elements", elements},
                                     {"functions of elements", transforms},
                                     {"reductions", reductions},
                                     {"matrices", matrices},
                                     {"vectors", vectors},
                                     {"sparse matrix", sparse},
                                     {"equations", equations},
                                     {"tasks", tasks},
                                     {"printing", printing}});
}
