// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <chrono>

#include <tessera/grid_transfer.hpp>
#include <tessera/halo.hpp>

#include "laplacian.hpp"

namespace solvers {

/// Adds the time until its end to a number of seconds.
class Timed {
 public:
  explicit Timed(double& seconds) : seconds_(seconds) {}
  ~Timed() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

/// One grid of the multigrid: the unknowns x, the right side f and the residual r.
template <std::size_t N>
struct Level {
  /// The restriction reaches `reach` ghost cells of r. @collective
  Level(const tessera::Group& group, const tessera::Layout<N>& layout, const Domain<N>& domain, int reach)
      : boundaries(domain.boundaries()),
        laplacian(domain, layout.dims()),
        x(group, layout, {.name = "x", .ghosts = 1, .periodic = domain.periodic}),
        f(group, layout, {.name = "f"}),
        r(group, layout, {.name = "r", .ghosts = std::max(1, reach), .periodic = domain.periodic}),
        star({halo_of(x, boundaries, {.corners = tessera::Corners::without})}),
        x_box({halo_of(x, boundaries)}),
        r_box({halo_of(r, boundaries)}),
        needs_ghosts(reach > 0) {}

  tessera::Boundaries<double, N> boundaries;
  Laplacian<N> laplacian;
  tessera::Array<double, N> x, f, r;
  tessera::Halo star, x_box, r_box;  // with and without corners
  bool needs_ghosts;                 // of r, for the restriction to the next level
  bool travels = false;              // coarse values, between this level and the next one
  double ghost_seconds = 0, seconds = 0;

  void update(tessera::Halo& halo) {
    const Timed timed(ghost_seconds);
    halo.update();
  }
  /// x = 0, ghost cells too. @local
  void clear() {
    const auto access = x.local_with_ghosts();
    std::fill_n(access.data(), access.size(), 0.0);
  }
  /// Relaxes the cells of one colour after the other, for A x = right. @collective
  void relax(const tessera::Array<double, N>& right, const std::array<int, 2>& colours, double omega) {
    for (const int colour : colours) {
      update(star);
      const auto x_access = x.local_with_ghosts();
      const auto right_access = right.local();
      laplacian.relax(x_access.global(), right_access.global(), x.local_patch(), colour, omega);
    }
  }
  /// r = right - A x. @collective
  void find_residual(const tessera::Array<double, N>& right) {
    update(star);
    const auto x_access = std::as_const(x).local_with_ghosts();
    const auto right_access = right.local();
    const auto r_access = r.local_with_ghosts();
    laplacian.residual(x_access.global(), right_access.global(), r_access.global(), x.local_patch());
  }
};

}  // namespace solvers
