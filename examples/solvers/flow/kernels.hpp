// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "multigrid/laplacian.hpp"

// The loops of the flow over the block of a rank, on a staggered grid: the velocity on face i across a
// dimension is at the low side of cell i. (Harlow and Welch, Phys. Fluids 8, 1965)
namespace flow {

using tessera::index_t;

template <std::size_t N>
using Values = tessera::OffsetView<double, N>;
template <std::size_t N>
using ConstValues = tessera::OffsetView<const double, N>;
template <std::size_t N>
using Velocity = std::array<ConstValues<N>, N>;

template <std::size_t N>
std::array<index_t, N> strides_of(const ConstValues<N>& values) {
  std::array<index_t, N> strides{};
  for (std::size_t d = 0; d < N; ++d) strides[d] = d == N - 1 ? 1 : values.view().stride(d);
  return strides;
}

template <std::size_t N>
struct MomentumStep {
  std::array<double, N> spacing;
  double viscosity;
  double keep, dt;  ///< q = keep q + dt (what accelerates the fluid)
};

/// Adds up advection and friction of component d in q. Advection is in the form that keeps the energy. @local
template <std::size_t d, std::size_t N>
void advance_momentum(const MomentumStep<N>& step, const Velocity<N>& u, const Values<N>& q,
                      const tessera::Patch<N>& patch) {
  std::array<std::array<index_t, N>, N> strides;
  std::array<double, N> advection, friction;
  for (std::size_t e = 0; e < N; ++e) {
    strides[e] = strides_of<N>(u[e]);
    advection[e] = 0.25 / step.spacing[e];
    friction[e] = step.viscosity / (step.spacing[e] * step.spacing[e]);
  }
  tessera::for_each_row(patch, [&](const tessera::Index<N>& first) {
    std::array<const double*, N> rows;
    for (std::size_t e = 0; e < N; ++e) rows[e] = &u[e][first];
    double* const to = &q[first];
    const index_t count = patch.hi[N - 1] - patch.lo[N - 1];
    for (index_t i = 0; i < count; ++i) {
      const double* const here = rows[d] + i;
      double sum = 0;
      for (std::size_t e = 0; e < N; ++e) {
        const double low = here[-strides[d][e]], high = here[strides[d][e]];
        const double* const through = rows[e] + i;  // at the low edge, and at the cell before it
        const index_t back = -strides[e][d], on = strides[e][e];
        const double in = through[0] + through[back];
        const double out = e == d ? through[on] + through[0] : through[on] + through[on + back];
        sum +=
            advection[e] * (in * (low + *here) - out * (*here + high)) + friction[e] * (high - 2 * *here + low);
      }
      to[i] = step.keep * to[i] + step.dt * sum;
    }
  });
}

/// to += factor from. @local
template <std::size_t N>
void add_multiple(double factor, const ConstValues<N>& from, const Values<N>& to,
                  const tessera::Patch<N>& patch) {
  const index_t count = patch.hi[N - 1] - patch.lo[N - 1];
  tessera::for_each_row(patch, [&](const tessera::Index<N>& first) {
    const double* const source = &from[first];
    double* const target = &to[first];
    for (index_t i = 0; i < count; ++i) target[i] += factor * source[i];
  });
}

/// The divergence of the velocity in a cell. @local
template <std::size_t N>
double divergence(const Velocity<N>& u, const std::array<double, N>& spacing, const tessera::Index<N>& cell) {
  double sum = 0;
  for (std::size_t d = 0; d < N; ++d) {
    tessera::Index<N> next = cell;
    ++next[d];
    sum += (u[d][next] - u[d][cell]) / spacing[d];
  }
  return sum;
}

/// The kinetic energy at the low faces of a cell. @local
template <std::size_t N>
double kinetic_energy(const Velocity<N>& u, const tessera::Index<N>& cell) {
  double sum = 0;
  for (std::size_t d = 0; d < N; ++d) sum += 0.5 * u[d][cell] * u[d][cell];
  return sum;
}

/// The sum of the squares of all derivatives, on the low sides of a cell. @local
template <std::size_t N>
double squared_slopes(const Velocity<N>& u, const std::array<double, N>& spacing,
                      const tessera::Index<N>& cell) {
  double sum = 0;
  for (std::size_t e = 0; e < N; ++e) {
    tessera::Index<N> before = cell;
    --before[e];
    for (std::size_t d = 0; d < N; ++d) {
      const double slope = (u[d][cell] - u[d][before]) / spacing[e];
      sum += slope * slope;
    }
  }
  return sum;
}

/// u -= factor times the difference of p across a face. @local
template <std::size_t N>
void subtract_gradient(double factor, std::size_t d, const ConstValues<N>& p, const Values<N>& u,
                       const tessera::Patch<N>& patch) {
  const index_t count = patch.hi[N - 1] - patch.lo[N - 1], stride = strides_of<N>(p)[d];
  tessera::for_each_row(patch, [&](const tessera::Index<N>& first) {
    const double* const source = &p[first];
    double* const target = &u[first];
    for (index_t i = 0; i < count; ++i) target[i] -= factor * (source[i] - source[i - stride]);
  });
}

}  // namespace flow
