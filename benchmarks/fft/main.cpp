// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Fourier transforms of cubes of complex numbers, natural order in and out, against FFTW over MPI and against
// the least work that a transform has.
#include <CLI/CLI.hpp>
#include <cmath>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/fft/fft.hpp>
#include <tessera/runtime/runtime.hpp>

#include "peers.hpp"
#include "session.hpp"

namespace tessera::benchmark::fft {
namespace {

Complex value(const Index<3>& at) {
  const index_t number = (at[0] * 7919 + at[1] * 104729 + at[2] * 1299709) % 1000003;
  return {static_cast<double>(number % 1009) / 1009 - 0.5, static_cast<double>(number % 997) / 997 - 0.5};
}

class Program {
 public:
  explicit Program(Session& session) : session_(session), world_(session.world()) {}

  void measure(index_t n) {
    const auto slabs = Layout<3>::blocked({n, n, n}, world_.size(), {.grid = {{world_.size(), 1, 1}}});
    Array<Complex, 3> space(world_, slabs, {.name = "space"}), spectrum(world_, slabs, {.name = "spectrum"});
    tessera::fft::Transform<Complex, 3> transform(world_, space.dims(),
                                                  {.effort = tessera::fft::Effort::measure});
    transform.tune(space, spectrum);
    for_each_local(space, [](const Index<3>& at, Complex& x) { x = value(at); });
    space.sync();
    transform.forward(space, spectrum);

    std::vector<Reference> references;
    const auto against = [&](SlabTransform& peer, const char* name, const Target& target) {
      const Index<3> begin{peer.first(), 0, 0};
      std::span<Complex> planes = peer.planes();
      for (std::size_t i = 0; i < planes.size(); ++i) {
        const auto k = static_cast<index_t>(i);
        planes[i] = value({begin[0] + k / (n * n), k / n % n, k % n});
      }
      references.push_back({name, repeat([&peer] { peer.forward(); }), target});
    };
    const auto peer = fftw_mpi(world_, n);
    if (peer) {
      against(*peer, "FFTW over MPI", no_slower);
      peer->forward();
      check(spectrum, *peer, n);
    }
    const auto least = least_work(world_, n);
    if (least) against(*least, "serial FFTW and two bare MPI_Alltoall", Target{Goal::at_least, 1 / 1.15});
    session_.compare({.section = "forward transforms of complex cubes, natural order",
                      .name = std::to_string(n) + "^3",
                      .routine = repeat([&] { transform.forward(space, spectrum); }),
                      .clock = Clock::joint,
                      .others = waiting(world_)},
                     references);
    space.close();
    spectrum.close();
  }

 private:
  // Both spectra are the same but for rounding.
  void check(const Array<Complex, 3>& spectrum, const SlabTransform& peer, index_t n) {
    const double scale = std::sqrt(static_cast<double>(n * n * n));
    double largest = 0;
    const std::span<const Complex> other = peer.spectrum();
    LocalArray<Complex, 3> own({static_cast<index_t>(other.size()) / (n * n), n, n});
    spectrum.get({{peer.first(), 0, 0}, {peer.first() + own.extents()[0], n, n}}, own);
    for (std::size_t i = 0; i < other.size(); ++i) {
      const auto k = static_cast<index_t>(i);
      largest = std::max(largest, std::abs(own(k / (n * n), k / n % n, k % n) - other[i]));
    }
    require_everywhere(world_, largest < 1e-12 * scale, "the spectrum of FFTW over MPI is another");
  }

  Session& session_;
  const Group& world_;
};

}  // namespace
}  // namespace tessera::benchmark::fft

int main(int argc, char** argv) {
  using namespace tessera::benchmark;
  tessera::Runtime runtime(argc, argv);
  std::vector<tessera::index_t> sizes;
  auto parsed = parse_options(
      argc, argv, "Fourier transforms of cubes.", runtime.world().rank() == 0, [&](CLI::App& app) {
        add_sizes(app, "--sizes", sizes, 1, "Edges of the cubes (64,128,240,256; with --quick 32)");
      });
  if (parsed.exit_status) return *parsed.exit_status;
  if (sizes.empty())
    sizes = parsed.options.quick ? std::vector<tessera::index_t>{32}
                                 : std::vector<tessera::index_t>{64, 128, 240, 256};
  parsed.options.full = {.sample_seconds = 20e-3, .comparison_seconds = 60.0};
  Session session(runtime, "fft", parsed.options);
  tessera::benchmark::fft::Program program(session);
  for (const tessera::index_t n : sizes) program.measure(n);
  session.note("Plans are made with FFTW_MEASURE on both sides; the time of planning is not included.");
  session.finish();
  return 0;
}
