// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Fourier transforms of distributed arrays: waves along one dimension, and a Poisson equation on a periodic
// grid. Each part checks its result.
#include <cmath>
#include <complex>
#include <iostream>
#include <numbers>
#include <string_view>

#include <tessera/fft/fft.hpp>
#include <tessera/tessera.hpp>

using tessera::Array, tessera::Group, tessera::Index, tessera::index_t;
namespace fft = tessera::fft;

namespace {

constexpr double pi = std::numbers::pi;

bool waves(const Group& world) {
  // [waves]
  using Complex = std::complex<double>;
  // Row i is a wave of i periods. The plan transforms each row by itself, in place.
  fft::Transform<Complex, 2> transform(world, {8, 60}, {.dimensions = {1}});
  Array<Complex, 2> a(world, transform.dims(), {.name = "a"});
  for_each_local(a, [](const Index<2>& at, Complex& x) {
    x = std::polar(1.0, 2 * pi * static_cast<double>(at[0] * at[1]) / 60);
  });
  transform.forward(a);  // now a(i, k) is 60 if k is i, and 0 otherwise
  // [waves]
  double error = 0;
  for_each_local(a, [&](const Index<2>& at, const Complex& x) {
    error = std::max(error, std::abs(x - (at[0] == at[1] ? 60.0 : 0.0)));
  });
  return world.all_reduce(error, tessera::Reduce::max) < 1e-12;
}

// A function of the positions, and minus its Laplacian.
double solution(double x, double y, double z) { return std::sin(x) * std::cos(2 * y) + std::cos(3 * z); }
double source(double x, double y, double z) { return 5 * std::sin(x) * std::cos(2 * y) + 9 * std::cos(3 * z); }

bool poisson(const Group& world) {
  const index_t n = 24;
  const double step = 2 * pi / static_cast<double>(n);
  const auto place = [&](index_t i) { return step * static_cast<double>(i); };
  // [poisson]
  // Solves -Laplace(u) = f on a periodic cube of n x n x n points with edges of 2 pi.
  fft::Transform<double, 3> transform(world, {n, n, n}, {.effort = fft::Effort::measure});
  Array<double, 3> u(world, transform.dims(), {.name = "u"});
  Array<std::complex<double>, 3> spectrum(world, transform.spectrum_dims(), {.name = "spectrum"});
  for_each_local(u,
                 [&](const Index<3>& at, double& f) { f = source(place(at[0]), place(at[1]), place(at[2])); });
  transform.forward(u, spectrum);
  // The upper half of the indices stands for negative frequencies.
  const auto frequency = [n](index_t k) { return static_cast<double>(k <= n / 2 ? k : k - n); };
  for_each_local(spectrum, [&](const Index<3>& k, std::complex<double>& value) {
    const double square =
        std::pow(frequency(k[0]), 2) + std::pow(frequency(k[1]), 2) + std::pow(frequency(k[2]), 2);
    value = square == 0 ? 0 : value / square;
  });
  transform.backward(spectrum, u);  // divides by n * n * n
  // [poisson]
  double error = 0;
  for_each_local(u, [&](const Index<3>& at, const double& value) {
    error = std::max(error, std::abs(value - solution(place(at[0]), place(at[1]), place(at[2]))));
  });
  return world.all_reduce(error, tessera::Reduce::max) < 1e-12;
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  bool all = true;
  const auto report = [&](std::string_view part, bool right) {
    all = all && right;
    if (world.rank() == 0) std::cout << part << ": " << (right ? "right" : "wrong") << '\n';
  };
  report("waves", waves(world));
  report("Poisson equation", poisson(world));
  return all ? 0 : 1;
}
