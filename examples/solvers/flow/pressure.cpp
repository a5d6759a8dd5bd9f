// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pressure.hpp"

#include <cmath>
#include <numbers>

#include "run/run.hpp"

#ifdef SOLVERS_WITH_FFT
#include <complex>

#include <tessera/fft/fft.hpp>
#endif

namespace flow {

namespace {

template <std::size_t N>
class ByMultigrid final : public PressureSolver<N> {
 public:
  using typename PressureSolver<N>::Array;
  ByMultigrid(const tessera::Group& world, const tessera::Layout<N>& cells, const Problem<N>& problem)
      : multigrid_(world, cells, problem.pressure_domain()) {}

  void solve(const Array& f, Array& p, double residual) override {
    const auto result = multigrid_.solve(f, p, {.relative = 0, .absolute = residual});
    ++solutions_;
    cycles_ += result.cycles();
    if (!result.converged())
      throw solvers::SolverError("the pressure did not converge: " + result.description());
  }
  std::string description() const override {
    return fmt::format("multigrid on {} levels, {:.1f} cycles for each solution", multigrid_.levels(),
                       static_cast<double>(cycles_) / std::max(1, solutions_));
  }
  double ghost_seconds() const override { return multigrid_.ghost_seconds(); }

 private:
  solvers::Multigrid<N> multigrid_;
  int solutions_ = 0, cycles_ = 0;
};

#ifdef SOLVERS_WITH_FFT
// Divides by the eigenvalues of the differences, so that the divergence is 0 but for rounding errors.
template <std::size_t N>
class ByFourier final : public PressureSolver<N> {
 public:
  using typename PressureSolver<N>::Array;
  ByFourier(const tessera::Group& world, const Problem<N>& problem)
      : transform_(world, problem.cells),
        spectrum_(world, transform_.spectrum_dims(), {.name = "spectrum of the pressure"}) {
    for (std::size_t d = 0; d < N; ++d) {
      for (index_t k = 0; k < problem.cells[d]; ++k) {
        const double angle = std::numbers::pi * static_cast<double>(k) / static_cast<double>(problem.cells[d]);
        eigenvalues_[d].push_back(std::pow(2 * std::sin(angle) / problem.spacing[d], 2));
      }
    }
  }

  void solve(const Array& f, Array& p, double) override {
    transform_.forward(f, spectrum_);
    for_each_local(spectrum_, [&](const tessera::Index<N>& k, std::complex<double>& value) {
      double eigenvalue = 0;
      for (std::size_t d = 0; d < N; ++d) eigenvalue += eigenvalues_[d][static_cast<std::size_t>(k[d])];
      value = eigenvalue > 0 ? value / eigenvalue : 0;
    });
    transform_.backward(spectrum_, p);
  }
  std::string description() const override { return "Fourier transforms"; }
  double ghost_seconds() const override { return 0; }

 private:
  tessera::fft::Transform<double, N> transform_;
  tessera::Array<std::complex<double>, N> spectrum_;
  std::array<std::vector<double>, N> eigenvalues_;
};
#endif

}  // namespace

bool has_fourier() noexcept {
#ifdef SOLVERS_WITH_FFT
  return true;
#else
  return false;
#endif
}

template <std::size_t N>
std::unique_ptr<PressureSolver<N>> PressureSolver<N>::make(const tessera::Group& world,
                                                           const tessera::Layout<N>& cells,
                                                           const Problem<N>& problem, PressureMethod method) {
  if (method == PressureMethod::fourier && !(has_fourier() && problem.is_periodic())) {
    throw solvers::SolverError(
        has_fourier() ? "Fourier transforms need a flow that is periodic in all dimensions; take the multigrid"
                      : "this program was built without tessera::fft; take the multigrid");
  }
#ifdef SOLVERS_WITH_FFT
  if (method != PressureMethod::multigrid && problem.is_periodic())
    return std::make_unique<ByFourier<N>>(world, problem);
#endif
  return std::make_unique<ByMultigrid<N>>(world, cells, problem);
}

template class PressureSolver<2>;
template class PressureSolver<3>;

}  // namespace flow
