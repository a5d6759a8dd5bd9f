// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <stdexcept>
#include <string>
#include <vector>

#include <tessera/io/checkpoint.hpp>
#include <tessera/io/load.hpp>
#include <tessera/io/save.hpp>
#include <tessera/linalg/gemm.hpp>
#include <tessera/tessera.hpp>

#include "work.hpp"

namespace tessera::test {
namespace {

// The sum of 0, 1, ..., n - 1.
double sum_below(index_t n) { return static_cast<double>(n * (n - 1) / 2); }

// a(i, j) = 20 i + j
void number_elements(Array<double, 2>& a) {
  for_each_local(a, [](const Index<2>& at, double& x) { x = static_cast<double>(20 * at[0] + at[1]); });
  a.sync();
}

void patches(const Group& world) {
  Array<double, 2> a(world, {30, 20}, {.name = "a", .ghosts = 1, .periodic = true});
  number_elements(a);
  require(reduce(a, Reduce::sum) == sum_below(600), "reduce");
  const auto part = a.get({{3, 2}, {28, 19}});
  require(part(0, 0) == 62 && part(24, 16) == 558, "get of a patch");
  a.update_ghosts();
  a.sync();
  const std::vector<double> ones(17 * 25, 1.0);
  {
    auto phase = accumulate_only(a);
    phase.acc({{3, 2}, {28, 19}}, part, 2.0);
  }
  a.sync();
  require(a.load({3, 2}) == 62 * (1 + 2.0 * world.size()) && a.load({0, 19}) == 19, "acc in an epoch");
  Array<double, 2> b(world, Layout<2>::block_cyclic({20, 30}, {4, 3}, {.shape = {world.size(), 1}}),
                     {.name = "b"});
  transpose(a, b);
  require(b.load({2, 3}) == a.load({3, 2}), "transpose");
  require(dot(b, b) == dot(a, a), "dot");
}

void lists(const Group& world) {
  Array<std::int64_t, 1> counts(world, {97}, {.name = "counts"});
  fill(counts, 0);
  std::vector<Index<1>> where;
  for (index_t i = 0; i < 50; ++i) where.push_back({i * i % 97});
  const std::vector<std::int64_t> ones(where.size(), 1);
  counts.scatter_acc(where, ones);
  counts.sync();
  require(reduce(counts, Reduce::sum) == 50 * world.size(), "scatter_acc");
}

void product(const Group& world) {
  Array<double, 2> a(world, {24, 24}, {.name = "left"}), b = a.duplicate("right"), c = a.duplicate("product");
  fill(a, 2.0);
  fill(b, 3.0);
  linalg::gemm(1.0, a, b, 0.0, c);
  require(c.load({23, 0}) == 144 && reduce(c, Reduce::sum) == 144.0 * 24 * 24, "gemm");
}

}  // namespace

void work_with_arrays(const Group& world) {
  patches(world);
  lists(world);
  product(world);
}

void work_with_files(const Group& world, const std::filesystem::path& directory) {
  Array<double, 2> a(world, {30, 20}, {.name = "a"});
  number_elements(a);
  std::int64_t step = 7;
  {
    io::Checkpoint checkpoint(world, directory / "work");
    checkpoint.add("a", a);
    checkpoint.add("step", step);
    checkpoint.write(7);
    scale(a, 2.0);
    auto pending = checkpoint.write_async(8);
    fill(a, 0.0);
    pending.wait();
    step = 0;
    const auto restored = checkpoint.restore();
    require(restored.has_value(), "restore");
    for (const auto& [file, reason] : restored->skipped)
      throw std::runtime_error("a checkpoint was not restored, " + file.string() + ": " + reason);
    require(restored->step == 8 && step == 7, "restore");
    require(reduce(a, Reduce::sum) == 2 * sum_below(600), "a restored array");
    checkpoint.close();
  }
  io::save(directory / "saved.h5", "a", a);
  const auto loaded = io::load<double, 2>(world, directory / "saved.h5", "a");
  require(reduce(loaded, Reduce::sum) == 2 * sum_below(600), "a loaded array");
}

}  // namespace tessera::test
