// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <utility>

#include <tessera/io/disk_array.hpp>
#include <tessera/io/picture.hpp>
#include <tessera/io/probes.hpp>

// Each part alone must not compile (tests/tools/does-not-compile). Without them the file compiles.
namespace {

using namespace tessera;

struct Pair {
  double a, b;
};

[[maybe_unused]] void misuse(Array<double, 2>& a, Array<float, 2>& floats, Array<double, 3>& cube,
                             Array<std::complex<double>, 2>& complex, Array<Pair, 2>& pairs,
                             io::Probes<2>& probes, io::DiskArray<double, 2>& disk,
                             LocalArray<double, 2>& local, LocalArray<float, 2>& local_floats) {
  io::write_picture(a, "a.png");
  io::write_picture(cube.slice().fix(0, 1), "a.png", {.map = io::ColourMap::cool_warm});
  probes.sample(0, a);
  probes.sample(0, a, cube.slice().fix(0, 1));
  disk.write({{0, 0}, {1, 1}}, std::as_const(local));
  disk.read({{0, 0}, {1, 1}}, local);
#if MISUSE == 1  // no matching function for call to 'write_picture
  io::write_picture(cube, "a.png");
#elif MISUSE == 2  // no matching function for call to 'write_picture
  io::write_picture(complex, "a.png");
#elif MISUSE == 3  // no matching function for call to 'write_picture
  io::write_picture(pairs, "a.png");
#elif MISUSE == 4  // no matching function for call to
  probes.sample(0, cube);
#elif MISUSE == 5  // no matching function for call to
  probes.sample(0, complex);
#elif MISUSE == 6  // no matching function for call to
  probes.sample(0, a, floats);
#elif MISUSE == 7  // no matching function for call to
  probes.sample(0);
#elif MISUSE == 8  // no matching function for call to
  disk.read({{0, 0}, {1, 1}}, std::as_const(local));
#elif MISUSE == 9  // no matching function for call to
  disk.write({{0, 0}, {1, 1}}, local_floats);
#endif
  (void)local_floats;
  (void)floats, (void)complex, (void)pairs;
}

}  // namespace
