// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "direct.hpp"

#include <cmath>
#include <numbers>

#include <tessera/elementwise.hpp>

#include "copy_own.hpp"

namespace solvers {

using tessera::index_t;

namespace {

// Wave k of n at cell j, not normalised, and its angle per cell.
struct Wave {
  double angle, value;
};

template <std::size_t N>
Wave wave(const Domain<N>& domain, std::size_t d, index_t n, index_t k, index_t j) {
  constexpr double pi = std::numbers::pi;
  const auto count = static_cast<double>(n), number = static_cast<double>(k);
  const double place = static_cast<double>(j) + 0.5;
  if (domain.periodic[d]) {
    // 1, cos, sin, cos, sin and so on; the last one is a cosine if n is even.
    const double angle = 2 * pi * static_cast<double>((k + 1) / 2) / count;
    const bool is_sine = k > 0 && k % 2 == 0;
    const double phase = angle * static_cast<double>(j);
    return {angle, is_sine ? std::sin(phase) : std::cos(phase)};
  }
  const bool low = domain.ends[d][0] == Condition::dirichlet, high = domain.ends[d][1] == Condition::dirichlet;
  const double angle = pi * (low && high ? number + 1 : low || high ? number + 0.5 : number) / count;
  return {angle, low ? std::sin(angle * place) : std::cos(angle * place)};
}

}  // namespace

template <std::size_t N>
Waves<N>::Waves(const tessera::Extents<N>& dims, const Domain<N>& domain) : dims_(dims) {
  for (std::size_t d = 0; d < N; ++d) {
    const index_t n = dims[d];
    const double weight = 1 / (domain.spacing[d] * domain.spacing[d]);
    for (index_t k = 0; k < n; ++k) {
      double squares = 0;
      for (index_t j = 0; j < n; ++j) {
        const double value = wave(domain, d, n, k, j).value;
        squares += value * value;
      }
      for (index_t j = 0; j < n; ++j) waves_[d].push_back(wave(domain, d, n, k, j).value / std::sqrt(squares));
      eigenvalues_[d].push_back(weight * 4 * std::pow(std::sin(wave(domain, d, n, k, 0).angle / 2), 2));
    }
    line_.resize(std::max(line_.size(), static_cast<std::size_t>(n)));
  }
}

template <std::size_t N>
void Waves<N>::solve(double* values) {
  transform(values, Way::to_waves);
  double* next = values;
  for_each_point(tessera::Patch<N>::whole(dims_), [&](auto... at) {
    const tessera::Index<N> k(std::array{at...});
    double eigenvalue = 0;
    for (std::size_t d = 0; d < N; ++d) eigenvalue += eigenvalues_[d][static_cast<std::size_t>(k[d])];
    *next = eigenvalue > 0 ? *next / eigenvalue : 0;
    ++next;
  });
  transform(values, Way::from_waves);
}

// Multiplies each line along each dimension by the matrix of waves, or by its transpose.
template <std::size_t N>
void Waves<N>::transform(double* values, Way way) {
  index_t stride = 1;
  for (std::size_t d = N; d-- > 0; stride *= dims_[d]) {
    const index_t n = dims_[d];
    const index_t along_k = way == Way::to_waves ? n : 1, along_j = way == Way::to_waves ? 1 : n;
    for (index_t line = 0; line < dims_.size() / n; ++line) {
      double* const first = values + line / stride * stride * n + line % stride;
      for (index_t j = 0; j < n; ++j) line_[static_cast<std::size_t>(j)] = first[j * stride];
      for (index_t k = 0; k < n; ++k) {
        double sum = 0;
        for (index_t j = 0; j < n; ++j)
          sum += waves_[d][static_cast<std::size_t>(k * along_k + j * along_j)] *
                 line_[static_cast<std::size_t>(j)];
        first[k * stride] = sum;
      }
    }
  }
}

template <std::size_t N>
DirectSolver<N>::DirectSolver(const tessera::Group& group, const tessera::Extents<N>& dims,
                              const Domain<N>& domain)
    : own_(group, tessera::Layout<N>::blocked(dims, 1).on_ranks({0}, group.size()), {.name = "coarsest level"}),
      waves_(dims, domain) {}

template <std::size_t N>
void DirectSolver<N>::solve(const tessera::Array<double, N>& f, tessera::Array<double, N>& x) {
  // Without communication, if rank 0 has all cells anyway.
  const auto is_here = [&](const auto& array) { return array.layout().same_distribution(own_.layout()); };
  is_here(f) ? copy_own(f, own_) : copy(f, own_);
  {
    const auto access = own_.local();
    if (access.size() > 0) waves_.solve(access.data());
  }
  is_here(x) ? copy_own(own_, x) : copy(own_, x);
}

template class Waves<2>;
template class Waves<3>;
template class DirectSolver<2>;
template class DirectSolver<3>;

}  // namespace solvers
