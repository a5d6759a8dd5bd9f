// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "triple.hpp"

#include <algorithm>

#include "blas.hpp"

namespace ccsd {

using namespace tessera;

namespace {

using Block = View<double, 2>;
using ConstBlock = View<const double, 2>;

}  // namespace

Triple::Triple(const Space& space, const View<const double, 2>& singles)
    : space_(space), singles_(singles), virtuals_(space.virtuals) {
  w_.resize(static_cast<std::size_t>(virtuals_ * virtuals_ * virtuals_));
}

double Triple::energy(const std::array<index_t, 3>& orbitals, const Factors& factors) {
  std::fill(w_.begin(), w_.end(), 0.0);
  add_products(factors);
  const double all = sum(orbitals, factors);
  const auto& [i, j, k] = orbitals;
  return i == j || j == k ? all : 2 * all;
}

// w(a, b, c) of i, j, k is the sum over the six orders of the pairs (i, a), (j, b), (k, c) of products
// x(a, b, c) = sum over d of one(a, b, d) two(d, c), where `one` is of the first orbital, and `two` of the
// others. Each product is added where its order has a, b and c in w.
void Triple::add_products(const Factors& factors) {
  const index_t v = virtuals_, m = space_.size(), v2 = v * v;
  const auto& [one, two] = factors;
  double* w = w_.data();
  const auto pair = [&](std::size_t x, std::size_t y) { return ConstBlock(two[x][y], {m, v}); };
  const auto turned = [&](std::size_t x, std::size_t y) { return ConstBlock(two[x][y], {v, m}, {1, v}); };
  // i j k: (a b) x c; j k i: the result is c x ... of x(b, c, a)
  add_product(ConstBlock(one[0], {v2, m}), pair(1, 2), Block(w, {v2, v}));
  add_product(turned(2, 0), ConstBlock(one[1], {m, v2}, {1, m}), Block(w, {v, v2}));
  for (index_t a = 0; a < v; ++a) {
    const Block plane(w + a * v2, {v, v});           // b x c
    const Block across(w + a * v, {v, v}, {v2, 1});  // a x c, where the loop is over b
    const index_t row = a * v * m, column = a * m;
    add_product(turned(2, 1), ConstBlock(one[0] + row, {m, v}, {1, m}), plane);          // i k j: x(a, c, b)
    add_product(ConstBlock(one[1] + column, {v, m}, {v * m, 1}), pair(0, 2), plane);     // j i k: x(b, a, c)
    add_product(turned(0, 1), ConstBlock(one[2] + column, {m, v}, {1, v * m}), plane);   // k i j: x(c, a, b)
    add_product(turned(1, 0), ConstBlock(one[2] + column, {m, v}, {1, v * m}), across);  // k j i: x(c, b, a)
  }
}

// The sum over a >= b >= c, each with the six orders of a, b, c.
double Triple::sum(const std::array<index_t, 3>& orbitals, const Factors& factors) const {
  const index_t v = virtuals_, m = space_.size();
  const auto& [i, j, k] = orbitals;
  const auto e = space_.energies.data();
  const double* e_virtual = e + space_.occupied;
  const double e_occupied = e[i] + e[j] + e[k];
  const ConstBlock jk(factors.two[1][2] + m * v, {v, v}), ik(factors.two[0][2] + m * v, {v, v}),
      ij(factors.two[0][1] + m * v, {v, v});
  const View<const double, 3> w(w_.data(), {v, v, v});
  const auto disconnected = [&](index_t a, index_t b, index_t c) {
    return singles_(i, a) * jk(b, c) + singles_(j, b) * ik(a, c) + singles_(k, c) * ij(a, b);
  };
  double all = 0;
  for (index_t a = 0; a < v; ++a) {
    for (index_t b = 0; b <= a; ++b) {
      for (index_t c = 0; c <= b; ++c) {
        if (a == c) continue;  // no connected triple has three times the same orbital
        // Even orders, then odd ones.
        const std::array<double, 6> x{w(a, b, c), w(b, c, a), w(c, a, b), w(c, b, a), w(a, c, b), w(b, a, c)};
        const std::array<double, 6> y{x[0] + disconnected(a, b, c), x[1] + disconnected(b, c, a),
                                      x[2] + disconnected(c, a, b), x[3] + disconnected(c, b, a),
                                      x[4] + disconnected(a, c, b), x[5] + disconnected(b, a, c)};
        const double even = x[0] + x[1] + x[2], odd = x[3] + x[4] + x[5];
        double sum = 0;
        for (std::size_t n = 0; n < 3; ++n) {
          sum += y[n] * (3 * x[n] + even - 2 * odd);
          sum += y[n + 3] * (3 * x[n + 3] + odd - 2 * even);
        }
        const double denominator = e_occupied - e_virtual[a] - e_virtual[b] - e_virtual[c];
        all += sum / denominator * (a == b || b == c ? 0.5 : 1);
      }
    }
  }
  return all;
}

}  // namespace ccsd
