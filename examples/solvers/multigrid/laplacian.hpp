// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "domain.hpp"

// The loops of the multigrid over the block of a rank. Each result is the same on any number of ranks.
namespace solvers {

/// The operator -Laplace on 2 N + 1 cells of a grid.
template <std::size_t N>
class Laplacian {
 public:
  using Index = tessera::Index<N>;
  using Patch = tessera::Patch<N>;
  using Values = tessera::OffsetView<double, N>;
  using ConstValues = tessera::OffsetView<const double, N>;

  Laplacian(const Domain<N>& domain, const tessera::Extents<N>& dims) : dims_(dims) {
    for (std::size_t d = 0; d < N; ++d) {
      weights_[d] = 1 / (domain.spacing[d] * domain.spacing[d]);
      diagonal_ += 2 * weights_[d];
      for (std::size_t side = 0; side < 2 && !domain.periodic[d]; ++side)
        walls_[d][side] = domain.ends[d][side] == Condition::neumann ? -weights_[d] : weights_[d];
    }
  }

  /// One half of a red-black relaxation: x += omega (f - A x) / diagonal in the cells of one colour, 0 or 1.
  /// Ghost cells of x are up to date. @local
  void relax(const Values& x, const ConstValues& f, const Patch& block, int colour, double omega) const {
    const auto strides = strides_of(x);
    for_each_row(block, [&](const Index& first) {
      double diagonal = diagonal_;
      tessera::index_t sum = colour;
      for (std::size_t d = 0; d < N; ++d) {
        sum += first[d];
        if (d < N - 1) diagonal += beside_walls(d, first[d]);
      }
      const tessera::index_t begin = first[N - 1], last = dims_[N - 1] - 1;
      double* const u = &x[first] - begin;
      const double* const right = &f[first] - begin;
      const auto update = [&](tessera::index_t i, double factor) {
        u[i] += factor * (right[i] - at(u + i, strides));
      };
      const double factor = omega / diagonal;
      tessera::index_t i = begin + (sum & 1);
      if (i == 0) update(i, omega / (diagonal + walls_[N - 1][0])), i += 2;
      for (const tessera::index_t end = std::min(block.hi[N - 1], last); i < end; i += 2) update(i, factor);
      if (i == last && i < block.hi[N - 1]) update(i, omega / (diagonal + walls_[N - 1][1]));
    });
  }
  /// r = f - A x. @local
  void residual(const ConstValues& x, const ConstValues& f, const Values& r, const Patch& block) const {
    const auto strides = strides_of(x);
    for_each_row(block, [&](const Index& first) {
      const double *const u = &x[first], *const right = &f[first];
      double* const to = &r[first];
      const tessera::index_t count = block.hi[N - 1] - block.lo[N - 1];
      for (tessera::index_t i = 0; i < count; ++i) to[i] = right[i] - at(u + i, strides);
    });
  }
  /// y = A x. @local
  void apply(const ConstValues& x, const Values& y, const Patch& block) const {
    const auto strides = strides_of(x);
    for_each_row(block, [&](const Index& first) {
      const double* const u = &x[first];
      double* const to = &y[first];
      const tessera::index_t count = block.hi[N - 1] - block.lo[N - 1];
      for (tessera::index_t i = 0; i < count; ++i) to[i] = at(u + i, strides);
    });
  }

 private:
  using Strides = std::array<tessera::index_t, N>;

  static Strides strides_of(const ConstValues& x) {
    Strides strides{};
    for (std::size_t d = 0; d < N; ++d) strides[d] = d == N - 1 ? 1 : x.view().stride(d);
    return strides;
  }
  double at(const double* x, const Strides& strides) const {
    double sum = diagonal_ * *x;
    for (std::size_t d = 0; d < N; ++d) sum -= weights_[d] * (x[-strides[d]] + x[strides[d]]);
    return sum;
  }
  // What the mirrored value of a ghost cell adds to the diagonal.
  double beside_walls(std::size_t d, tessera::index_t i) const {
    return (i == 0 ? walls_[d][0] : 0) + (i == dims_[d] - 1 ? walls_[d][1] : 0);
  }

  tessera::Extents<N> dims_;
  std::array<double, N> weights_{};
  double diagonal_ = 0;
  std::array<std::array<double, 2>, N> walls_{};
};

}  // namespace solvers
