// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Arrays in HDF5 files: whole, by patch, step by step. Also arrays that live on disk, fields for ParaView,
// pictures of planes, and time series of points. Each part checks its result. The files are in a temporary
// directory, which is removed at the end, unless a directory is given: files [DIRECTORY]
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>

#include <stdlib.h>

#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

#include "output.hpp"

using tessera::Array, tessera::Extents, tessera::Group, tessera::Index, tessera::index_t, tessera::Layout,
    tessera::LocalArray, tessera::Patch, tessera::Reduce;
namespace io = tessera::io;
using Path = std::filesystem::path;

namespace {

bool arrays(const Group& world, const Path& directory) {
  // [save]
  Array<double, 2> density(world, {300, 200}, {.name = "density"});
  Array<std::complex<float>, 1> wave(world, {1000}, {.name = "wave"});
  fill(density, 1.5), fill(wave, {0, 1});
  const Path path = directory / "state.h5";
  io::save(path, {{"density", density},
                  {"run/wave", wave},                               // in an HDF5 group
                  {"corner", density.slice({{0, 0}, {10, 10}})}});  // a part of an array
  auto again = io::load<double, 2>(world, path, "density");         // a new array, in blocks
  auto tiles = io::load<double, 2>(world, path, "density",          // or in a layout
                                   Layout<2>::block_cyclic({300, 200}, {32, 32}, {{world.size(), 1}}));
  io::load_into(path, "corner", density.slice({{100, 0}, {110, 10}}));  // into a part of an array
  io::load_into(path, "density", {{5, 5}, {15, 15}}, density.slice({{0, 0}, {10, 10}}));  // a patch of the file
  // [save]
  const bool right = reduce(again, Reduce::sum) == 90000 && reduce(tiles, Reduce::min) == 1.5;
  // [convert]
  // Numbers of other types and byte orders are converted to the array's type. A value that it cannot hold is an
  // error.
  Array<std::int32_t, 2> whole(world, {300, 200}, {.name = "whole"});
  try {
    io::load_into(path, "density", whole);
  } catch (
      const io::IoError& error) {  // on every rank: ... values that are no whole numbers for elements of int32
    if (world.rank() == 0) std::cout << error.what() << '\n';
  }
  // [convert]
  return right && reduce(density, Reduce::max) == 1.5;
}

bool patches(const Group& world, const Path& directory) {
  // [patches]
  io::File file(world, directory / "large.h5", io::Mode::create);
  // The dataset is larger than any array in memory: it is created first, then written by patch.
  file.create_dataset<double, 2>("potential", {1000, 400},
                                 {.chunks = {100, 400}, .deflate = 4, .shuffle = true});
  Array<double, 2> slab(world, {100, 400}, {.name = "slab"});
  for (index_t i = 0; i < 1000; i += 100) {
    fill(slab, static_cast<double>(i));
    file.write("potential", {{i, 0}, {i + 100, 400}}, slab);
  }
  file.set_attribute("potential", "unit", "hartree");
  file.set_attribute("", "cell", std::vector<double>{10, 10, 25.5});
  file.close();  // reports errors, which the destructor could not
  // [patches]
  // [read]
  io::File again(world, directory / "large.h5", io::Mode::read);
  Array<double, 1> column(world, {1000}, {.name = "column"});
  Array<double, 2> two(world, {1000, 2}, {.name = "two columns"});
  again.read("potential", {{0, 7}, {1000, 9}}, two);
  for (const io::DatasetInfo& info : again.datasets()) {
    if (world.rank() == 0)
      std::cout << info.name << ": " << info.type << ", " << info.dims.size() << " dimensions\n";
  }
  const std::string unit = again.attribute("potential", "unit").as<std::string>();
  const std::vector<double> cell = again.attribute("", "cell").as_list<double>();
  if (const io::TransferReport& report = again.last_transfer(); !report.collective && world.rank() == 0)
    std::cout << "each rank read for itself: " << report.reason << '\n';
  again.close();
  // [read]
  copy(two.slice().fix(1, 0), column);
  return reduce(column, Reduce::sum) == 450000 && unit == "hartree" && cell.size() == 3;
}

bool steps(const Group& world, const Path& directory) {
  Array<float, 1> energy(world, {50}, {.name = "energy"});
  // [steps]
  io::File file(world, directory / "history.h5", io::Mode::truncate);
  for (int step = 0; step < 5; ++step) {
    fill(energy, static_cast<float>(step));
    file.append("run/energy", energy);  // one more step of an unlimited dimension
    file.set_attribute("run/energy", "time", 0.1 * step);
    file.flush();  // if the program dies later, these steps remain
  }
  file.read_step("run/energy", file.steps("run/energy") - 2, energy);
  // [steps]
  const bool right = file.steps("run/energy") == 5 && reduce(energy, Reduce::max) == 3;
  file.close();
  return right;
}

bool disk(const Group& world, const Path& directory) {
  const index_t n = 40;
  double sum = 0;
  // [disk]
  // Integrals (ij|kl) do not fit in memory; one block of k and l at a time does.
  io::DiskArray<double, 4> integrals(world, directory / "integrals.h5", "ijkl", {n, n, n, n});
  Array<double, 4> next(world, {n, n, 10, n}, {.name = "block"}),
      block(world, {n, n, 10, n}, {.name = "block"});
  const auto section = [&](index_t k) { return Patch<4>{{0, 0, k, 0}, {n, n, k + 10, n}}; };
  io::DiskRequest writing;
  for (index_t k = 0; k < n; k += 10) {
    fill(block, static_cast<double>(k));  // stands for the computation
    writing.wait();
    writing = integrals.write_async(section(k), block);  // goes on while the next block is computed
  }
  writing.wait();
  io::DiskRequest reading = integrals.read_async(section(0), next);
  for (index_t k = 0; k < n; k += 10) {
    reading.wait();
    std::swap(block, next);
    if (k + 10 < n) reading = integrals.read_async(section(k + 10), next);
    sum += reduce(block, Reduce::sum);
  }
  integrals.close();
  // [disk]
  return sum == static_cast<double>(n * n * n * 10 * 60);
}

bool alone(const Group& world, const Path& directory) {
  const index_t n = 30, pairs = n * (n + 1) / 2;
  double sum = 0;
  // [alone]
  // Integrals (ij|kl), one section for each pair i <= j. Ranks take the next pair when they are free.
  io::DiskArray<double, 3> integrals(world, directory / "pairs.h5", "ijkl", {pairs, n, n});
  const auto section = [&](index_t pair) { return Patch<3>::at({pair, 0, 0}, {1, n, n}); };
  LocalArray<double, 3> next({1, n, n}), block({1, n, n});
  io::IndependentDiskRequest writing;
  tessera::Scalars<std::int64_t> counter(world, 1, "next pair");
  for (std::int64_t pair; (pair = counter.fetch_add(0, 0, 1)) < pairs;) {
    std::fill(next.begin(), next.end(), static_cast<double>(pair));  // stands for the computation
    writing.wait();
    std::swap(block, next);
    writing = integrals.write_async(section(pair), block);  // this rank alone; goes on behind the computation
  }
  writing.wait();
  integrals.sync();  // from now on each rank reads what any rank has written
  auto reading = integrals.read_async(section(world.rank()), next);
  for (index_t pair = world.rank(); pair < pairs; pair += world.size()) {
    reading.wait();
    std::swap(block, next);
    if (pair + world.size() < pairs) reading = integrals.read_async(section(pair + world.size()), next);
    sum = std::accumulate(block.begin(), block.end(), sum);
  }
  integrals.close();
  // [alone]
  return world.all_reduce(sum, Reduce::sum) == static_cast<double>(n * n * pairs * (pairs - 1) / 2);
}

bool fields(const Group& world, const Path& directory) {
  Array<double, 3> temperature(world, {8, 12, 16}, {.name = "temperature"});
  Array<float, 3> u(world, {8, 12, 16}, {.name = "u"}), v = u.duplicate("v"), w = u.duplicate("w");
  fill(temperature, 300.0), fill(u, 1.0F), fill(v, 0.0F), fill(w, 0.0F);
  // [fields]
  // ParaView takes the dimensions as z, y, x. It can open run.xmf while the program runs.
  const io::XdmfGrid<3> grid{.points = {8, 12, 16}, .origin = {0, 0, 0}, .spacing = {0.5, 0.1, 0.1}};
  io::XdmfSeries series(world, directory / "run.xmf", grid);
  for (int step = 0; step < 3; ++step)
    series.write(0.25 * step, {{"temperature", temperature}, {"velocity", u, v, w}});
  // [fields]
  const auto found = io::load<float, 4>(world, directory / "run.step000002.h5", "velocity");
  return series.steps() == 3 && reduce(found, Reduce::sum) == 8 * 12 * 16;
}

bool pictures(const Group& world, const Path& directory) {
  if (!io::has_pictures()) return true;  // built without libpng
  Array<double, 3> density(world, {64, 300, 400}, {.name = "density"});
  for_each_local(density, [](const Index<3>& at, double& x) {
    x = std::sin(0.02 * static_cast<double>(at[1])) * std::cos(0.03 * static_cast<double>(at[2]));
  });
  // [pictures]
  const auto plane = density.slice().fix(0, 32);  // a matrix: one plane of the cube
  io::write_picture(plane, directory / "plane.png", {.title = "Density, z = 3.2 m", .unit = "kg/m\u00b3"});
  io::write_picture(plane, directory / "deviation.png",
                    {.range = {{-1, 1}},  // the same colours in each step
                     .map = io::ColourMap::cool_warm,
                     .first_row = io::FirstRow::bottom});
  // [pictures]
  return std::filesystem::exists(directory / "plane.png") &&
         std::filesystem::exists(directory / "deviation.png");
}

bool probes(const Group& world, const Path& directory) {
  Array<double, 2> u(world, {100, 200}, {.name = "u"}), next(world, {100, 200}, {.name = "next"}),
      p(world, {100, 200}, {.name = "p"});
  fill(u, 0.0), fill(p, 1.0);
  // [probes]
  io::Probes<2> probes(world, directory / "probes.csv",
                       {{.at = {50, 10}, .name = "inlet"}, {.at = {50, 190}, .name = "outlet"}},
                       {.fields = {"u", "p"}});
  for (int step = 0; step < 10; ++step) {
    axpby(1.0, u, 0.5, p, next);  // stands for the computation
    std::swap(u, next);
    probes.sample(0.01 * step, u, p);  // one more line, which can be read at once
  }
  // [probes]
  return probes.samples() == 10;
}

bool all_parts(const Group& world, const Path& directory) {
  bool good = true;
  const auto report = [&](const char* part, bool right) {
    if (world.rank() == 0) std::cout << part << ": " << (right ? "right" : "WRONG") << std::endl;
    good = good && right;
  };
  report("arrays", arrays(world, directory));
  report("patches", patches(world, directory));
  report("steps", steps(world, directory));
  report("disk", disk(world, directory));
  report("alone", alone(world, directory));
  report("fields", fields(world, directory));
  report("pictures", pictures(world, directory));
  report("probes", probes(world, directory));
  world.barrier();
  return good;
}

// A new directory for temporary files, of which every rank has the name.
std::string temporary_directory(const Group& world) {
  std::error_code ignored;
  std::string name = (std::filesystem::temp_directory_path(ignored) / "files-XXXXXX").string(), problem;
  if (world.rank() == 0 && mkdtemp(name.data()) == nullptr)
    problem = "the directory " + name + " cannot be made: " + std::strerror(errno) + " (TMPDIR says where)";
  problem = world.agree(problem);
  if (!problem.empty()) throw io::IoError(problem);
  // Ranks may have names of different lengths at first.
  name.resize(static_cast<std::size_t>(world.broadcast(static_cast<index_t>(name.size()), 0)));
  world.broadcast(std::span<char>(name), 0);
  return name;
}

int status_of(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  const bool speaks = world.rank() == 0, is_temporary = argc < 2;
  if (!is_temporary && (argc > 2 || argv[1][0] == '-')) {
    const bool help = argc == 2 && argv[1] == std::string_view("--help");
    if (speaks) (help ? std::cout : std::cerr) << "files [DIRECTORY (a temporary one)]\n" << std::flush;
    return help ? 0 : 2;
  }
  std::string problem;  // the same on every rank, as the errors are
  try {
    const std::string name = is_temporary ? temporary_directory(world) : argv[1];
    const bool good = all_parts(world, name);
    if (is_temporary && speaks) std::filesystem::remove_all(name);
    return good ? 0 : 1;
  } catch (const io::IoError& error) {
    problem = error.what();
  } catch (const tessera::UsageError& error) {
    problem = error.what();
  }
  if (speaks) std::cerr << "files: " << problem << std::endl;
  return 1;
}

}  // namespace

int main(int argc, char** argv) { return output::status_with_output("files", status_of(argc, argv)); }
