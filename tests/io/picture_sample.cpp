// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// picture_sample DIRECTORY: writes the pictures and time series that check_pictures.py expects.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>
#include <tessera/runtime/runtime.hpp>

namespace {

using tessera::Array, tessera::Index, tessera::index_t;
namespace io = tessera::io;

void write_pictures(const tessera::Group& world, const std::filesystem::path& directory) {
  if (!io::has_pictures()) return;
  Array<int, 2> field(world, {40, 60});
  for_each_local(field,
                 [](const Index<2>& at, int& x) { x = static_cast<int>((7 * at[0] + 13 * at[1]) % 251); });
  io::write_picture(field, directory / "field.png",
                    {.map = io::ColourMap::grey, .scale_bar = false, .pixels = 1});
  io::write_picture(field, directory / "map.png", {.scale_bar = false, .pixels = 1});
  Array<double, 2> large(world, {2500, 2100});
  for_each_local(large, [](const Index<2>& at, double& x) {
    x = std::sin(0.01 * static_cast<double>(at[0])) * std::cos(0.02 * static_cast<double>(at[1]));
    if (at[0] == at[1] && at[0] % 100 == 0) x = std::numeric_limits<double>::quiet_NaN();
  });
  io::write_picture(large, directory / "large.png", {.title = "large", .unit = "m"});
}

void write_probes(const tessera::Group& world, const std::filesystem::path& directory) {
  Array<double, 2> u(world, {8, 9}), v(world, {8, 9});
  const std::vector<io::Probe<2>> points{
      {.at = {0, 0}, .name = "gr\u00f6\u00dfe, \"a\""}, {.at = {7, 8}}, {.at = {3, 4}}};
  const io::ProbesOptions options{.fields = {"u", "v"}};
  io::Probes<2> text(world, directory / "probes.csv", points, options);
  io::Probes<2> binary(world, directory / "probes.h5", points, options);
  for (int step = 0; step < 5; ++step) {
    for_each_local(u, [&](const Index<2>& at, double& x) { x = static_cast<double>(step + at[0]) / 3; });
    fill(v, step == 3 ? std::numeric_limits<double>::quiet_NaN() : step == 4 ? -INFINITY : 1e300 * step);
    text.sample(0.1 * step, u, v);
    binary.sample(0.1 * step, u, v);
  }
  Array<std::int64_t, 2> whole(world, {8, 9});
  fill(whole, std::numeric_limits<std::int64_t>::min());
  io::Probes<2> integers(world, directory / "integers.hdf5", points, {.buffer = 10});
  for (int step = 0; step < 2000; ++step) integers.sample(step, whole);
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: picture_sample DIRECTORY\n");
    return 2;
  }
  write_pictures(runtime.world(), argv[1]);
  write_probes(runtime.world(), argv[1]);
}
