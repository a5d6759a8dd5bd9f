// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <cstdio>

#include <tessera/tessera.hpp>

#ifdef WITH_linalg
#include <tessera/linalg/eigh.hpp>
#include <tessera/linalg/gemm.hpp>
#endif
#ifdef WITH_fft
#include <tessera/fft/fft.hpp>
#endif
#ifdef WITH_io
#include <tessera/io/save.hpp>
#endif

namespace {

// Rank 1 reads what rank 0 has written, after a message of MPI. TESSERA_DEBUG=conflicts finds the order only if
// it sees the message.
void read_after_a_message(const tessera::Group& world) {
  tessera::Array<double, 1> a(world, {16}, {.name = "ordered by a message"});
  tessera::fill(a, 0.5);
  if (world.rank() == 0) {
    a.store({3}, 1.0);
    a.flush();
    MPI_Send(nullptr, 0, MPI_INT, 1, 0, world.mpi_comm());
  }
  if (world.rank() == 1) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 0, world.mpi_comm(), MPI_STATUS_IGNORE);
    static_cast<void>(a.load({3}));
  }
  a.sync();
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();
  if (world.size() > 1) read_after_a_message(world);
  tessera::Array<double, 2> a(world, {6, 6}, {.name = "a"});
  tessera::fill(a, 0.5);
  double expected = 18.0;
#ifdef WITH_fft
  tessera::fft::Transform<double, 2> transform(world, a.dims());
  tessera::Array<std::complex<double>, 2> spectrum(world, transform.spectrum_dims(), {.name = "spectrum"});
  transform.forward(a, spectrum);
  if (std::abs(spectrum.load({0, 0}) - expected) > 1e-12) return 1;
#endif
#ifdef WITH_linalg
  // With ELPA's library, where Tessera was built with it.
  if (std::abs(tessera::linalg::eigvalsh(a).back() - 3.0) > 1e-12) return 1;
  tessera::Array<double, 2> b = a.duplicate("b");
  tessera::linalg::gemm(1.0, a, a, 0.0, b);
  tessera::copy(b, a);
  expected = 54.0;
#endif
#ifdef WITH_io
  if (argc > 1) tessera::io::save(argv[1], "a", a);
#endif
  const double sum = tessera::reduce(a, tessera::Reduce::sum);
  if (world.rank() == 0) std::printf("Tessera %s, %d ranks, sum %g\n", tessera::version(), world.size(), sum);
  return sum == expected ? 0 : 1;
}
