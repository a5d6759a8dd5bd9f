// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "manufactured.hpp"

#include <cmath>
#include <numbers>

namespace poisson {

using solvers::Condition;

template <std::size_t N>
solvers::Domain<N> Manufactured<N>::domain(const tessera::Extents<N>& cells) const {
  solvers::Domain<N> domain;
  for (std::size_t d = 0; d < N; ++d) {
    domain.spacing[d] = 1 / static_cast<double>(cells[d]);
    domain.periodic[d] = walls_ == Walls::periodic;
    const Condition high = walls_ == Walls::neumann ? Condition::neumann : Condition::dirichlet;
    domain.ends[d] = {walls_ == Walls::dirichlet ? Condition::dirichlet : Condition::neumann, high};
  }
  return domain;
}

template <std::size_t N>
double Manufactured<N>::solution(const std::array<double, N>& at) const {
  double product = 1;
  for (const double x : at) product *= factor(x).value;
  return product;
}

template <std::size_t N>
double Manufactured<N>::right_side(const std::array<double, N>& at) const {
  double sum = 0;
  for (std::size_t d = 0; d < N; ++d) {
    double product = -1;
    for (std::size_t e = 0; e < N; ++e)
      product *= e == d ? factor(at[e]).second_derivative : factor(at[e]).value;
    sum += product;
  }
  return sum;
}

template <std::size_t N>
typename Manufactured<N>::Factor Manufactured<N>::factor(double x) const {
  constexpr double pi = std::numbers::pi;
  const bool is_sine = walls_ == Walls::dirichlet || walls_ == Walls::periodic;
  const double first = walls_ == Walls::mixed ? pi / 2 : walls_ == Walls::periodic ? 2 * pi : pi;
  Factor sum{0, 0};
  for (const double amplitude : {1.0, 0.25}) {
    const double k = amplitude == 1 ? first : 3 * first;
    const double wave = amplitude * (is_sine ? std::sin(k * x) : std::cos(k * x));
    sum.value += wave;
    sum.second_derivative -= k * k * wave;
  }
  return sum;
}

template class Manufactured<2>;
template class Manufactured<3>;

}  // namespace poisson
