// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "work.hpp"

#include <mutex>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <tessera/io/io.hpp>
#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

namespace tessera::test {
namespace {

constexpr index_t n = 24;

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string("wrong: ") + what);
}

void use_elements(const Group& world, int round) {
  Array<double, 2> a(world, {n, n}, {.name = "elements"}), dropped(world, {n, n});
  Array<std::int64_t, 1> counter(world, {world.size()});
  fill(a, 1.0);
  fill(counter, std::int64_t{0});
  std::vector<double> values(static_cast<std::size_t>(n), 2.0), found(values.size());
  const Patch<2> row{{world.rank() % n, 0}, {world.rank() % n + 1, n}};
  const View<double, 2> all(values.data(), {1, n}), back(found.data(), {1, n});
  a.acc(row, all, 3.0);
  a.flush();
  a.get(row, back);
  require(found.front() == 7 && found.back() == 7, "an accumulate, or a get");
  auto request = a.get_async(row, back);
  const Request left = a.put_async(row, back);  // its destructor waits
  request.wait();
  counter.fetch_add({(world.rank() + 1) % world.size()}, round);
  counter.sync();
  require(counter.load({world.rank()}) == round, "a counter");
  {
    auto phase = accumulate_only(a);
    phase.acc(row, all, 1.0);
    phase.end();
  }
  static_cast<void>(read_only(a));  // ends at the next collective call
  a.sync();
  if (round % 2 == 0) a.close();
}

void use_ghosts(const Group& world) {
  Array<float, 2> u(world, {n, n}, {.ghosts = {1, 1}, .periodic = {true, true}});
  fill(u, 2.0F);
  for (int i = 0; i < 2; ++i) u.update_ghosts();
  u.sync();
}

void use_synchronisation(const Group& world) {
  Flags flags(world, 2);
  Mutexes mutexes(world, 1);
  TaskCounter tasks(world, 10);
  Array<std::int64_t, 1> sum(world, {1});
  fill(sum, std::int64_t{0});
  flags.notify((world.rank() + 1) % world.size(), 1);
  flags.wait(1);
  {
    const auto mutex = mutexes[0];
    const std::scoped_lock lock(mutex);
    sum.store({0}, sum.load({0}) + 1);
    sum.flush();
  }
  world.sync();
  while (const auto task = tasks.next()) sum.fetch_add({0}, *task);
  sum.sync();
  require(sum.load({0}) == world.size() + 45, "a sum under a mutex, and of tasks");
  sum.sync();
  mutexes.close();
}

void use_groups(const Group& world, int round) {
  Group half = world.split(world.rank() % 2, -world.rank());
  Array<std::int32_t, 1> part(half, {10 * half.size()});
  fill(part, half.rank() >= 0 ? 3 : 0);
  require(dot(part, part) == 90 * half.size(), "a dot product of a group");
  part.close();
  if (round % 2 == 0) half.close();
}

}  // namespace

void work(const Group& world, int round) {
  use_elements(world, round);
  use_ghosts(world);
  use_synchronisation(world);
  use_groups(world, round);
}

void multiply(const Group& world, int round) {
  Array<double, 2> a(world, {n, n}), b(world, {n, n}), c(world, {n, n});
  fill(a, 2.0);
  fill(b, 0.5);
  linalg::gemm(1.0, a, linalg::transpose(b), 0.0, c);
  require(c.load({n - 1, world.rank() % n}) == static_cast<double>(n), "a product");
  c.sync();
  if (round % 4 != 0) return;
  fill(c, 0.0);
  for_each_local(
      c, [](const Index<2>& i, double& x) { x = i[0] == i[1] ? 2.0 + static_cast<double>(i[0]) : 0.0; });
  const auto [values, vectors] = linalg::eigh(c);
  require(values.front() > 1.9 && values.front() < 2.1, "an eigenvalue");
}

void work_on_files(const Group& world, const std::filesystem::path& directory, int round) {
  Array<double, 2> a(world, {n, n}, {.name = "a"});
  fill(a, static_cast<double>(round));
  io::save(directory / "saved.h5", {{"a", a}});
  const auto loaded = io::load<double, 2>(world, directory / "saved.h5", "a");
  require(loaded.load({1, 2}) == round, "what was saved");
  try {
    io::load<double, 1>(world, directory / "saved.h5", "missing");
    require(false, "a dataset that is missing");
  } catch (const io::IoError&) {  // on all ranks
  }
  {
    io::File file(world, directory / "file.h5", io::Mode::truncate);
    file.append("steps", a);
    file.set_attribute("steps", "round", round);
    if (round % 2 == 0) file.close();  // else the next one closes it
  }
  {
    io::Checkpoint checkpoint(world, directory / "run", {.keep = 2});
    checkpoint.add("a", a);
    checkpoint.write(2 * round);
    checkpoint.write_async(2 * round + 1).wait();
    require(checkpoint.restore().has_value(), "a checkpoint");
    checkpoint.close();
  }
  {
    io::DiskArray<double, 2> disk(world, directory / ("disk" + std::to_string(round) + ".h5"), "a", {n, n});
    disk.write(a);
    disk.read(a);
    disk.close();
  }
  if (world.rank() == 0) std::filesystem::remove(directory / ("disk" + std::to_string(round) + ".h5"));
  io::Probes<2> probes(world, directory / "probes.h5", {{.at = {1, 2}}});
  probes.sample(1, a);
  probes.flush();
  if (io::has_pictures() && round % 4 == 0) io::write_picture(a, directory / "picture.png");
  world.barrier();
}

}  // namespace tessera::test
