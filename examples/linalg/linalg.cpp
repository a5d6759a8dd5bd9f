// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Matrix routines on arrays of any layout, and on parts of them: products, equations, factors, eigenvalues.
// Each part checks its result.
#include <cmath>
#include <iostream>
#include <string_view>
#include <vector>

#include <tessera/linalg/linalg.hpp>
#include <tessera/offset_view.hpp>
#include <tessera/tessera.hpp>

using tessera::Array, tessera::Extents, tessera::Group, tessera::Index, tessera::index_t, tessera::Layout;
using tessera::OffsetView, tessera::Patch, tessera::View;
namespace linalg = tessera::linalg;

namespace {

// Symmetric, with 4 on the diagonal and -1 beside it: positive definite.
void set_to_chain(Array<double, 2>& a) {
  for_each_local(a, [](const Index<2>& at, double& x) {
    const index_t off = at[0] > at[1] ? at[0] - at[1] : at[1] - at[0];
    x = off == 0 ? 4 : off == 1 ? -1 : 0;
  });
  a.sync();
}

bool products(const Group& world) {
  // [gemm]
  Array<double, 2> a(world, {300, 200}, {.name = "a"});  // in blocks
  Array<double, 2> b(world, Layout<2>::block_cyclic({300, 100}, {32, 32}, {.shape = {world.size(), 1}}),
                     {.name = "b"});  // as in ScaLAPACK
  Array<double, 2> c(world, {200, 100}, {.name = "c"});
  fill(a, 1.0), fill(b, 2.0), fill(c, 3.0);
  linalg::gemm(0.5, linalg::transpose(a), b, 1.0, c);  // c = 0.5 a^T b + c
  // Parts of arrays: the upper left corner of c becomes the product of parts of a and b.
  linalg::gemm(1.0, a.slice({{0, 0}, {10, 20}}), b.slice({{0, 0}, {20, 30}}), 0.0, c.slice({{0, 0}, {10, 30}}));
  // [gemm]
  const bool right = tessera::reduce(c.slice({{0, 0}, {10, 30}}), tessera::Reduce::min) == 40 &&
                     tessera::reduce(c.slice({{10, 0}, {200, 100}}), tessera::Reduce::max) == 303;
  world.sync();
  return right;
}

bool more_products(const Group& world) {
  const index_t n = 120, k = 50;
  Array<double, 2> a(world, {n, k}, {.name = "a"}), c(world, {n, n}, {.name = "c"}),
      d(world, {n, k}, {.name = "d"});
  Array<double, 3> left(world, {8, 5, 6}, {.name = "left"}), right(world, {8, 6, 4}, {.name = "right"}),
      products(world, {8, 5, 4}, {.name = "products"});
  Array<double, 1> x(world, {n}, {.name = "x"}), y(world, {k}, {.name = "y"});
  fill(a, 1.0), fill(x, 1.0), fill(left, 1.0), fill(right, 2.0);
  // [symmetric]
  linalg::syrk(1.0, a, 0.0, c);  // c = a a^T, for half the work; linalg::herk for complex matrices
  // d = c a, where only the lower triangle of c counts
  linalg::symm(linalg::Side::left, linalg::Triangle::lower, 1.0, c, a, 0.0, d);
  linalg::gemv(1.0, linalg::transpose(d), x, 0.0, y);  // y = d^T x
  // [symmetric]
  // [batch]
  linalg::gemm_batch(1.0, left, right, 0.0,
                     products);  // products(i) = left(i) right(i), for each first index i
  // Or any list of products, with arrays, slices, transposes.
  const std::vector<linalg::BatchProduct<double>> list{
      {a, linalg::transpose(a.slice({{0, 0}, {10, k}})), c.slice({{0, 0}, {n, 10}})},
      {linalg::transpose(a), d, c.slice({{0, 20}, {k, 20 + k}})}};
  linalg::gemm_batch<double>(1.0, list, 0.0);
  // [batch]
  return tessera::reduce(y, tessera::Reduce::max) == static_cast<double>(n * k * n) &&
         tessera::reduce(products, tessera::Reduce::sum) == 8 * 5 * 4 * 12 && c.load({0, 0}) == 50 &&
         c.load({0, 20}) == static_cast<double>(n * n * k);
}

bool equations(const Group& world) {
  const index_t n = 200;
  Array<double, 2> a(world, {n, n}, {.name = "a"}), b(world, {n, 3}, {.name = "b"}),
      x(world, {n, 3}, {.name = "x"});
  set_to_chain(a);
  fill(b, 1.0);
  // [solve]
  copy(b, x);
  linalg::solve(a, x);  // a x = b, for any square matrix; x was b
  copy(b, x);
  linalg::solve_spd(a, x);                                    // half the work, if a is positive definite
  const Array<double, 2> best = linalg::least_squares(a, b);  // also for more or fewer rows than columns
  const auto [sign, log_magnitude] = linalg::log_determinant(a);
  const double condition = linalg::condition(a);  // its logarithm: the digits that solve() may lose
  // [solve]
  linalg::gemm(1, a, x, -1, b);  // a x - b
  // [errors]
  try {
    fill(a, 0.0);
    linalg::solve(a, x);
  } catch (const linalg::LinalgError& error) {  // on every rank: solve: matrix "a" is singular: pivot 1 is zero
    if (world.rank() == 0) std::cout << error.what() << '\n';
  }
  // [errors]
  return norm_inf(b) < 1e-12 && best.dims() == x.dims() && sign == 1 && log_magnitude > 0 && condition < 10;
}

bool factors(const Group& world) {
  const index_t n = 60;
  Array<double, 2> a(world, {n, n}, {.name = "a"}), rest(world, {n, n}, {.name = "rest"});
  set_to_chain(a);
  bool right = true;
  // [factors]
  const auto l = linalg::cholesky(a);  // a = l l^T
  const auto [q, r] = linalg::qr(a);   // a = q r
  const auto inverse = linalg::inverse(a);
  const auto [values, vectors] = linalg::eigh(a);  // values in ascending order, on every rank
  // [factors]
  copy(a, rest);
  linalg::gemm(1, l, linalg::transpose(l), -1, rest);
  right = right && norm_inf(rest) < 1e-12;
  copy(a, rest);
  linalg::gemm(1, q, r, -1, rest);
  right = right && norm_inf(rest) < 1e-12;
  fill(rest, 0.0), fill_diagonal(rest, 1.0);
  linalg::gemm(1, a, inverse, -1, rest);
  right = right && norm_inf(rest) < 1e-12;
  // The eigenvalues of such a chain are known.
  return right && std::abs(values.front() - (4 - 2 * std::cos(M_PI / static_cast<double>(n + 1)))) < 1e-12 &&
         vectors.dims() == a.dims();
}

bool eigenvalues(const Group& world) {
  const index_t n = 60;
  Array<double, 2> a(world, {n, n}, {.name = "a"}), s(world, {n, n}, {.name = "s"});
  set_to_chain(a);
  fill(s, 0.0), fill_diagonal(s, 2.0);
  // [eigen]
  const auto [least, vectors] =
      linalg::eigh(a, {.indices = linalg::EighOptions::Indices{0, 10}});                      // the first ten
  const auto few = linalg::eigvalsh(a, {.interval = linalg::EighOptions::Interval{2, 2.5}});  // without vectors
  const auto modes = linalg::eigh(a, s);       // a v = s v w, for a positive definite s
  const auto [u, sigma, vh] = linalg::svd(a);  // a = u diag(sigma) vh
  const auto [w, right] = linalg::eig(a);      // of any square matrix; complex
  // [eigen]
  // [functions]
  const auto x = linalg::symmetric_orthogonaliser(s);        // s^(-1/2)
  const auto y = linalg::canonical_orthogonaliser(s, 1e-6);  // fewer columns where s is nearly singular
  const auto root = linalg::power(a, 0.5);                   // a = root root
  const auto propagator = linalg::exponential(a);
  const auto step = linalg::matrix_function(a, [](double e) { return e < 4 ? 1.0 : 0.0; });
  // [functions]
  // [blocking]
  // ScaLAPACK's blocks and process grid, where the library should not choose them.
  const auto same = linalg::eigvalsh(a, {.blocking = {.block = 16, .rows = world.size(), .columns = 1}});
  // [blocking]
  const double first = 4 - 2 * std::cos(M_PI / static_cast<double>(n + 1));
  const auto near = [](double p, double q) { return std::abs(p - q) < 1e-12 * std::max(1.0, std::abs(q)); };
  Array<double, 1> trace(world, {n});
  get_diagonal(step, trace);
  return near(least[0], first) && least.size() == 10 && vectors.dims() == Extents<2>(n, 10) && !few.empty() &&
         near(modes.values[0], first / 2) && near(sigma.back(), first) && w.size() == 60 &&
         near(x.load({3, 3}), std::sqrt(0.5)) && y.dims() == a.dims() && near(same[0], first) &&
         near(tessera::reduce(trace, tessera::Reduce::sum), 30) && root.dims() == propagator.dims();
}

bool tensors(const Group& world) {
  const index_t o = 4, v = 6;  // occupied and virtual orbitals
  Array<double, 4> t(world, {o, o, v, v}, {.name = "t"}), r(world, {o, o, v, v}, {.name = "r"});
  Array<double, 4> w(world, {v, v, v, v}, {.name = "w"});
  Array<double, 2> f(world, {v, v}, {.name = "f"}), g(world, {o, o}, {.name = "g"});
  fill(t, 1.0), fill(w, 0.5), fill(f, 2.0), fill(g, 3.0), fill(r, 10.0);
  // [contract]
  // r(i, j, a, b) = r(i, j, a, b) + 0.5 * the sum over c and d of t(i, j, c, d) w(a, b, c, d)
  linalg::contract(0.5, t("ijcd"), w("abcd"), 1.0, r("ijab"));
  // Several terms in one call; the letters of t are in another order
  linalg::contract({{1.0, f("ac"), t("jicb")}, {-1.0, g("ki"), t("kjab")}}, 1.0, r("ijab"));
  // [contract]
  // [memory]
  // The bytes that this rank needs for a product, beside the tensors
  const index_t bytes = linalg::contract_memory(t("ijcd"), w("acbd"), r("ijab"));
  // [memory]
  Array<double, 1> h(world, {o}, {.name = "h"});
  // [slices]
  // The diagonal of g, and a sum over slices: h(i) = 2 g(i, i) * the sum over j of t(i, j, 0, 0)
  using tessera::placeholders::all;
  linalg::contract(2.0, g("ii"), t(all, all, 0, 0)("ij"), 0.0, h("i"));
  // [slices]
  const double expected = 10 + 0.5 * 36 * 0.5 + 6 * 2 - 4 * 3;
  bool right = tessera::reduce(r, tessera::Reduce::min) == expected &&
               tessera::reduce(r, tessera::Reduce::max) == expected &&
               tessera::reduce(h, tessera::Reduce::sum) == 4 * 2 * 3 * 4 && bytes >= 0;
  const std::vector<double> occupied(o, -1.0), virtuals(v, 1.0);  // energies of orbitals
  Array<double, 4> k(world, {o, o, v, v}, {.name = "k"});
  fill(k, 2.0);
  // [iterations]
  // Solves 0 = k + w t + (e(a) + e(b) - e(i) - e(j)) t, without a tensor of denominators
  linalg::Diis<> diis;
  double error = 1;
  for (int iteration = 0; error > 1e-12 && iteration < 50; ++iteration) {
    copy(k, r);
    linalg::contract(1.0, w("abcd"), t("ijcd"), 1.0, r("ijab"));
    linalg::divide_by_denominators(r, {{occupied}, {occupied}, {virtuals, -1}, {virtuals, -1}});
    axpby(-1, t, 1, r);  // what the iteration changes is its error
    axpby(1, r, 1, t);
    error = diis.extrapolate({{t, r}});
  }
  // [iterations]
  // All elements are alike: 0 = 2 + 36 * 0.5 t + 4 t
  right = right && std::abs(tessera::reduce(t, tessera::Reduce::min) + 2.0 / 22) < 1e-12 &&
          std::abs(tessera::reduce(t, tessera::Reduce::max) + 2.0 / 22) < 1e-12;
  fill(t, 1.0);
  // [fused]
  // w as a matrix: its rows are the pairs (a, b), its columns the pairs (c, d)
  const auto pairs = w.slice().fused({0, 1}, {2, 3});
  const auto eigenvalues = linalg::eigvalsh(pairs);
  linalg::gemm(1, t.slice().fused({0, 1}, {2, 3}), pairs, 0, r.slice().fused({0, 1}, {2, 3}));
  // [fused]
  right = right && std::abs(eigenvalues.back() - 36 * 0.5) < 1e-12 &&
          tessera::reduce(r, tessera::Reduce::max) == 36 * 0.5;
  // [source]
  // Integrals that are never stored: computed for each patch that the contraction needs
  const linalg::TensorSource<double, 4> integrals(
      {v, v, v, v},
      [](const Patch<4>& patch, const View<double, 4>& into) {
        const OffsetView<double, 4> element(into, patch.lo);
        for_each_point(patch, [&](index_t a, index_t c, index_t b, index_t d) {
          element(a, c, b, d) = std::exp(-static_cast<double>(a + c + b + d));
        });
      },
      "integrals");
  linalg::contract(1.0, t("ijcd"), integrals("acbd"), 0.0, r("ijab"));
  // [source]
  const double sum = (1 - std::exp(-6.0)) / (1 - std::exp(-1.0));
  return right && std::abs(r.load({0, 0, 1, 2}) - std::exp(-3.0) * sum * sum) < 1e-12;
}

bool blocks(const Group& world) {
  // [blocks]
  // Spin orbitals: the first block of each dimension has alpha spin, the second beta spin. t(i, j, a, b)
  // changes its sign if i and j are exchanged, or a and b. Elements that do not conserve spin are zero.
  const std::vector<index_t> occupied{2, 2}, virtuals{5, 5};
  const linalg::BlockTensorOptions<4> options{
      .name = "t", .symmetries = {{{0, 1}, -1}, {{2, 3}, -1}}, .is_stored = [](const Index<4>& block) {
        return block[0] + block[1] == block[2] + block[3];
      }};
  linalg::BlockTensor<double, 4> t(world, {occupied, occupied, virtuals, virtuals}, options),
      r(world, {occupied, occupied, virtuals, virtuals}, options),
      w(world, {virtuals, virtuals, virtuals, virtuals}, options);
  // [blocks]
  // Any numbers with these symmetries
  const auto set = [](linalg::BlockTensor<double, 4>& tensor) {
    tensor.for_each_own_block([&](const Index<4>& block, const View<double, 4>& elements) {
      const Patch<4> patch = tensor.patch(block);
      const OffsetView<double, 4> element(elements, patch.lo);
      for_each_point(patch, [&](index_t i, index_t j, index_t a, index_t b) {
        element(i, j, a, b) = static_cast<double>((i - j) * (a - b));
      });
    });
    tensor.sync();
  };
  set(t), set(w);
  // [block_contract]
  linalg::contract(0.5, t("ijcd"), w("cdab"), 0.0, r("ijab"));
  const double energy = 0.25 * dot(t, r);
  // [block_contract]
  // The same with all elements
  Array<double, 4> all_t(world, t.dims(), {.name = "t"}), all_r(world, r.dims(), {.name = "r"}),
      all_w(world, w.dims(), {.name = "w"});
  t.copy_to(all_t), w.copy_to(all_w);
  linalg::contract(0.5, all_t("ijcd"), all_w("cdab"), 0.0, all_r("ijab"));
  return std::abs(energy - 0.25 * dot(all_t, all_r)) < 1e-9 * std::abs(energy) && energy != 0 &&
         t.stored_size() < all_t.size() / 4;
}

bool tell(const Group& world, std::string_view what, bool right) {
  if (world.rank() == 0) std::cout << what << (right ? ": right\n" : ": WRONG\n");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  // [report]
  const auto report = linalg::backend_report(world);
  if (world.rank() == 0) std::cout << report.text();
  // [report]
  bool right = tell(world, "products", products(world));
  right &= tell(world, "more products", more_products(world));
  right &= tell(world, "tensors", tensors(world));
  right &= tell(world, "block tensors", blocks(world));
  right &= tell(world, "equations", equations(world));
  right &= tell(world, "factors", factors(world));
  right &= tell(world, "eigenvalues", eigenvalues(world));
  return right ? 0 : 1;
}
