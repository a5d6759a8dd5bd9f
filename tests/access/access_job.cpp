// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
// A job that other users try to read, disturb and redirect:
//   access_job hold DIRECTORY    has memory, and accesses that of other ranks, until DIRECTORY/stop is there.
//   While
//                                DIRECTORY/pause is there, it does nothing. DIRECTORY/rank.<n> has the process
//                                id and the address of a secret, DIRECTORY/rounds the number of rounds.
//   access_job write DIRECTORY   writes each kind of file, and prints what became of it
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <unistd.h>

#include <tessera/io/io.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;
namespace fs = std::filesystem;

constexpr std::int64_t secret = 0x5ec2e7;

bool is_there(const Group& world, const fs::path& path) {
  return world.broadcast(world.rank() == 0 ? static_cast<int>(fs::exists(path)) : 0, 0) != 0;
}

// Each round puts a number to the next rank, reads it back, and counts there. Returns how many were wrong.
std::int64_t round(Array<std::int64_t, 1>& words, Array<std::int64_t, 1>& counts, std::int64_t number) {
  const Group& world = words.group();
  const index_t next = (world.rank() + 1) % world.size();
  words.store({2 * next + 1}, number + next);
  words.flush();
  const bool is_right = words.load({2 * next + 1}) == number + next;
  const bool is_counted = counts.fetch_add({next}, 1) == number;
  // Large enough for a mapping of its own, whose file others may look for.
  Segment segment(world, index_t{2} << 20, "round");
  segment.close();
  return static_cast<int>(!is_right) + static_cast<int>(!is_counted);
}

int hold(const Group& world, const fs::path& directory) {
  Array<std::int64_t, 1> words(world, {2 * world.size()}), counts(world, {world.size()});
  fill(words, secret);
  fill(counts, std::int64_t{0});
  std::int64_t mine = secret;
  std::ofstream(directory / ("rank." + std::to_string(world.rank())))
      << getpid() << ' ' << reinterpret_cast<std::uintptr_t>(&mine) << '\n';
  world.barrier();
  std::int64_t rounds = 0, wrong = 0;
  while (!is_there(world, directory / "stop")) {
    if (is_there(world, directory / "pause")) {
      if (world.rank() == 0) std::ofstream(directory / "paused") << "yes\n";
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    wrong += round(words, counts, rounds++);
    if (world.rank() == 0) std::ofstream(directory / "rounds") << rounds << '\n';
  }
  words.sync();
  wrong += static_cast<int>(words.load({2 * world.rank()}) != secret || mine != secret);
  wrong = world.all_reduce(wrong, Reduce::sum);
  if (world.rank() == 0)
    std::printf("%lld rounds, %lld wrong\n", static_cast<long long>(rounds), static_cast<long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

void attempt(const Group& world, const char* what, const std::function<void()>& write) {
  std::string result = "written";
  try {
    write();
  } catch (const Error& error) {
    result = std::string("refused: ") + error.what();
  }
  if (world.rank() == 0) std::printf("%s: %s\n", what, result.c_str());
}

int write(const Group& world, const fs::path& directory) {
  Array<double, 2> a(world, {16, 12}, {.name = "a"});
  fill(a, 1.5);
  attempt(world, "saved.h5", [&] { io::save(directory / "saved.h5", {{"a", a}}); });
  attempt(world, "file.h5", [&] {
    io::File file(world, directory / "file.h5", io::Mode::truncate);
    file.write("a", a);
    file.close();
  });
  attempt(world, "disk.h5", [&] {
    const fs::path path = directory / "disk.h5";
    using Scratch = io::DiskArray<double, 2>;
    Scratch disk = is_there(world, path) ? Scratch(world, path, "a", io::Mode::read_write)
                                         : Scratch(world, path, "a", Extents<2>{16, 12});
    disk.write(a);
    disk.close();
  });
  if (io::has_pictures())
    attempt(world, "picture.png", [&] { io::write_picture(a, directory / "picture.png"); });
  attempt(world, "series.xdmf", [&] {
    io::XdmfSeries series(world, directory / "series.xdmf", io::XdmfGrid<2>{.points = {16, 12}},
                          {.resume = true});
    series.write(1, {{"a", a}});
  });
  for (const char* name : {"probes.csv", "probes.h5"}) {
    attempt(world, name, [&] {
      io::Probes<2> probes(world, directory / name, {{.at = {1, 2}}}, {.fields = {"a"}, .resume = true});
      for (int step = 0; step < 2; ++step) probes.sample(step, a);
      probes.flush();
    });
  }
  attempt(world, "run", [&] {
    io::Checkpoint checkpoint(world, directory / "run", {.keep = 2});
    checkpoint.add("a", a);
    checkpoint.write(1);
    checkpoint.close();
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Runtime runtime(argc, argv);
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "hold") return hold(runtime.world(), argv[2]);
  if (mode == "write") return write(runtime.world(), argv[2]);
  std::fputs("usage: access_job hold|write DIRECTORY\n", stderr);
  return 2;
}
