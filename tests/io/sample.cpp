// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// io_sample FILE: writes the arrays that check_readers.py expects. Beside it, it writes FILE.steps with the
// features of an open file, and run.xmf with steps for ParaView.
#include <complex>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>
#include <tessera/runtime/runtime.hpp>

namespace {

struct Colour {
  unsigned char red, green, blue;
};

template <class T>
void set(tessera::Array<T, 2>& array, T (*value)(double)) {
  const auto dims = array.dims();
  tessera::for_each_local(array, [&](const tessera::Index<2>& at, T& x) {
    x = value(static_cast<double>(at[0] * dims[1] + at[1]));
  });
}

// A file with the features of an open file.
void write_steps(const std::string& path, tessera::Array<double, 2>& float64,
                 tessera::Array<std::complex<float>, 2>& complex64) {
  using tessera::io::File;
  File file(float64.group(), path, tessera::io::Mode::create);
  file.create_dataset<double, 2>("packed", float64.dims(), {.chunks = {2, 3}, .deflate = 6, .shuffle = true});
  file.write("packed", float64);
  for (int step = 0; step < 3; ++step) {
    file.append("run/steps", complex64);
    file.set_attribute("run/steps", "last", step);
  }
  file.set_attribute("", "title", "gr\u00f6\u00dfe");
  file.set_attribute("run", "times", std::vector<double>{0.5, 1.5, 2.5});
  file.set_attribute("run", "words", std::vector<std::string>{"a", "bc"});
  file.close();
}

// Steps for ParaView.
void write_series(const std::filesystem::path& directory, tessera::Array<double, 2>& float64) {
  using tessera::io::XdmfGrid, tessera::io::XdmfSeries;
  const tessera::Group& world = float64.group();
  XdmfSeries flat(world, directory / "flat.xmf",
                  XdmfGrid<2>{.points = float64.dims(), .origin = {1, 2}, .spacing = {0.5, 0.25}});
  tessera::Array<float, 2> cells(world, {4, 2});
  set<float>(cells, [](double n) { return static_cast<float>(n); });
  for (int step = 0; step < 3; ++step)
    flat.write(0.1 * step, {{"T", float64}, {"p", cells}, {"u", float64, float64}});
  XdmfSeries solid(world, directory / "solid.xmf", XdmfGrid<3>{{2, 3, 4}});
  tessera::Array<double, 3> u(world, {2, 3, 4});
  tessera::Array<float, 4> v(world, {2, 3, 4, 3});
  fill(u, 1.0);
  fill(v, 2.0F);
  solid.write(1e-9, {{"u", u, u, u}, {"v", v}, {"n", u}});
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: io_sample FILE\n");
    return 2;
  }
  const tessera::Group& world = runtime.world();
  const tessera::Extents<2> dims{5, 3};
  tessera::Array<std::int32_t, 2> int32(world, dims);
  tessera::Array<std::int64_t, 2> int64(world, dims);
  tessera::Array<float, 2> float32(world, dims);
  tessera::Array<double, 2> float64(
      world, tessera::Layout<2>::block_cyclic(dims, {2, 1}, {{1, world.size()}}, world.size()));
  tessera::Array<std::complex<float>, 2> complex64(world, dims);
  tessera::Array<std::complex<double>, 2> complex128(
      world, tessera::Layout<2>::blocked(dims, world.size()).with_storage(tessera::StorageOrder::column_major));
  tessera::Array<Colour, 2> colours(world, dims);
  tessera::Array<double, 1> empty(world, {0});
  set<std::int32_t>(int32, [](double n) { return static_cast<std::int32_t>(7 - 3 * n); });
  set<std::int64_t>(int64, [](double n) { return static_cast<std::int64_t>(7 - 3 * n) << 40; });
  set<float>(float32, [](double n) { return static_cast<float>(n / 4); });
  set<double>(float64, [](double n) { return n / 3; });
  set<std::complex<float>>(complex64,
                           [](double n) { return std::complex<float>(static_cast<float>(n), -2.5F); });
  set<std::complex<double>>(complex128, [](double n) { return std::complex<double>(n / 3, 1 - n); });
  set<Colour>(colours, [](double n) {
    const auto level = static_cast<unsigned char>(n);
    return Colour{level, static_cast<unsigned char>(level + 100), static_cast<unsigned char>(255 - level)};
  });
  tessera::io::save(argv[1], {{"int32", int32},
                              {"int64", int64},
                              {"float32", float32},
                              {"float64", float64},
                              {"complex64", complex64},
                              {"complex128", complex128},
                              {"deep/colours", colours},
                              {"empty", empty}});
  tessera::io::save(std::string(argv[1]) + ".slice", "slice",
                    float64.slice({{1, 0}, {5, 3}}, {2, 2}).transposed());
  write_steps(std::string(argv[1]) + ".steps", float64, complex64);
  tessera::io::DiskArray<std::int64_t, 2> disk(world, std::string(argv[1]) + ".disk", "tensor", dims);
  disk.write(int64);
  disk.close();
  // Each rank writes some rows alone.
  tessera::io::DiskArray<double, 2> chunked(world, std::string(argv[1]) + ".disk", "deep/chunked", {20, 7},
                                            {.chunks = {6, 4}});
  tessera::LocalArray<double, 2> row({1, 7});
  for (tessera::index_t i = world.rank(); i < 20; i += world.size()) {
    for (tessera::index_t j = 0; j < 7; ++j) row(0, j) = static_cast<double>(7 * i + j);
    chunked.write({{i, 0}, {i + 1, 7}}, row);
  }
  chunked.close();
  write_series(std::filesystem::path(argv[1]).parent_path(), float64);
}
