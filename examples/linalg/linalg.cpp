// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Matrix routines on arrays of any layout, and on parts of them: products, equations, factors, eigenvalues.
// Each part checks its result.
#include <cmath>
#include <iostream>
#include <string_view>

#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

using tessera::Array, tessera::Extents, tessera::Group, tessera::Index, tessera::index_t, tessera::Layout;
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
                     {.name = "b"});  // as ScaLAPACK's
  Array<double, 2> c(world, {200, 100}, {.name = "c"});
  fill(a, 1.0), fill(b, 2.0), fill(c, 3.0);
  linalg::gemm(0.5, linalg::transpose(a), b, 1.0, c);  // c = 0.5 a^T b + c
  // Parts of arrays: the upper left corner of c becomes the product of others.
  linalg::gemm(1.0, a.slice({{0, 0}, {10, 20}}), b.slice({{0, 0}, {20, 30}}), 0.0, c.slice({{0, 0}, {10, 30}}));
  // [gemm]
  const bool right = tessera::reduce(c.slice({{0, 0}, {10, 30}}), tessera::Reduce::min) == 40 &&
                     tessera::reduce(c.slice({{10, 0}, {200, 100}}), tessera::Reduce::max) == 303;
  world.sync();
  return right;
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
  const double condition = linalg::condition(a);  // digits that solve() may lose: its logarithm
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

void tell(const Group& world, std::string_view what, bool right) {
  if (world.rank() == 0) std::cout << what << (right ? ": right\n" : ": WRONG\n");
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  // [report]
  const auto report = linalg::backend_report(world);
  if (world.rank() == 0) std::cout << report.text();
  // [report]
  tell(world, "products", products(world));
  tell(world, "equations", equations(world));
  tell(world, "factors", factors(world));
  return 0;
}
