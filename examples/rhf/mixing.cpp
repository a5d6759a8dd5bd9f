// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "mixing.hpp"

#include <array>
#include <utility>

#include <libint2/solidharmonics.h>

namespace rhf {
namespace {

using Powers = std::array<int, 3>;

// x^a y^b z^c of one degree, in libint2's order.
std::vector<Powers> monomials(int degree) {
  std::vector<Powers> list;
  for (int a = degree; a >= 0; --a) {
    for (int b = degree - a; b >= 0; --b) list.push_back({a, b, degree - a - b});
  }
  return list;
}

std::size_t number_of(const Powers& p) {
  const int rest = p[1] + p[2];
  return static_cast<std::size_t>(rest * (rest + 1) / 2 + p[2]);
}

// A polynomial of one degree, times a linear form.
std::vector<double> times(const std::vector<double>& polynomial, int degree,
                          const std::array<double, 3>& form) {
  const auto before = monomials(degree);
  std::vector<double> result(monomials(degree + 1).size());
  for (std::size_t k = 0; k < before.size(); ++k) {
    for (std::size_t x = 0; x < 3; ++x) {
      Powers p = before[k];
      ++p[x];
      result[number_of(p)] += polynomial[k] * form[x];
    }
  }
  return result;
}

// The mean of a monomial over the unit sphere, but for a factor that depends on its degree only.
double mean(const Powers& p) {
  double value = 1;
  for (const int power : p) {
    if (power % 2 != 0) return 0;
    for (int k = power - 1; k > 1; k -= 2) value *= k;
  }
  return value;
}

}  // namespace

Mixing Mixing::transposed() const {
  Mixing result = *this;
  for (std::size_t i = 0; i < functions; ++i) {
    for (std::size_t j = 0; j < functions; ++j) result.values[i * functions + j] = values[j * functions + i];
  }
  return result;
}

Mixing shell_mixing(int momentum, bool is_spherical, const SymmetryOperation::Matrix& rotation) {
  const auto all = monomials(momentum);
  const std::size_t n = all.size();
  std::vector<double> cartesian;  // row-major
  for (const Powers& p : all) {
    std::vector<double> image{1};
    int degree = 0;
    for (std::size_t x = 0; x < 3; ++x) {
      // The coordinate x of R^-1 r: a column of R.
      for (int k = 0; k < p[x]; ++k)
        image = times(image, degree++, {rotation[0][x], rotation[1][x], rotation[2][x]});
    }
    cartesian.insert(cartesian.end(), image.begin(), image.end());
  }
  if (!is_spherical) return {n, cartesian};

  // Spherical functions are s = C m for the monomials m. They are orthogonal on the sphere, with one norm.
  const auto functions = static_cast<std::size_t>(2 * momentum + 1);
  std::vector<double> unit(n * n), c(functions * n);
  for (std::size_t i = 0; i < n; ++i) unit[i * n + i] = 1;
  libint2::solidharmonics::transform_inner(1, static_cast<std::size_t>(momentum), n, unit.data(), c.data());
  const auto project = [&](const std::vector<double>& polynomial, std::size_t j) {
    double sum = 0;
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b)
        sum += polynomial[a] * c[j * n + b] *
               mean({all[a][0] + all[b][0], all[a][1] + all[b][1], all[a][2] + all[b][2]});
    }
    return sum;
  };
  std::vector<double> result(functions * functions);
  for (std::size_t i = 0; i < functions; ++i) {
    std::vector<double> image(n);
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) image[b] += c[i * n + a] * cartesian[a * n + b];
    }
    for (std::size_t j = 0; j < functions; ++j) {
      const std::vector<double> s(c.begin() + static_cast<std::ptrdiff_t>(j * n),
                                  c.begin() + static_cast<std::ptrdiff_t>((j + 1) * n));
      result[i * functions + j] = project(image, j) / project(s, j);
    }
  }
  return {functions, std::move(result)};
}

}  // namespace rhf
