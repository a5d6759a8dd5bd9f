// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// The memory that matrix routines need beside their operands. It is the growth of a process's resident memory
// to its peak, in the process where it is largest.
#include <malloc.h>

#include <fstream>
#include <string>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/linalg.hpp>
#include <tessera/reductions.hpp>

#include "sections.hpp"

namespace tessera::benchmark::linalg {
namespace {

// In KiB, from /proc/self/status.
index_t status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key + ":", 0) == 0) return std::stoll(line.substr(key.size() + 1));
  }
  return 0;
}

template <class F>
index_t peak_growth(const Group& world, F&& f) {
  malloc_trim(0);                                 // otherwise memory freed before would be reused
  std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak to the present size
  world.barrier();
  const index_t before = status("VmRSS");
  f();
  const index_t growth = std::max<index_t>(0, status("VmHWM") - before);
  return world.all_reduce(growth, Reduce::max);
}

}  // namespace

void memory(Session& session) {
  constexpr const char* section = "memory beside the operands";
  if (!session.wants(section)) return;
  const Group& world = session.world();
  const index_t n = session.is_quick() ? 200 : 2000;
  const double matrix = static_cast<double>(n * n) * 8 / 1048576;
  const auto tell = [&](const std::string& what, index_t kibibytes) {
    std::string text = std::to_string(static_cast<double>(kibibytes) / 1024);
    session.note(std::string(section) + ": " + what + ", " + text.substr(0, text.find('.') + 2) + " MiB");
  };
  const auto layouts = {
      std::pair{"blocks", Layout<2>::blocked({n, n}, world.size())},
      std::pair{"tiles of 64", Layout<2>::tiled({n, n}, {64, 64}, {.shape = {world.size(), 1}})}};
  for (const auto& [name, layout] : layouts) {
    Array<double, 2> a(world, layout), b(world, layout), c(world, layout);
    fill(a, 1.0), fill(b, 1.0), fill(c, 0.0);
    // Reading maps every page into every process of the node, so that this does not count below.
    for (const auto* array : {&a, &b, &c}) static_cast<void>(array->get(Patch<2>::whole(array->dims())));
    world.sync();
    // The first call allocates what MPI and BLAS keep for themselves.
    tessera::linalg::gemm(1.0, a, b, 0.0, c);
    const std::string title = std::to_string(n) + " x " + std::to_string(n) + " doubles (" +
                              std::to_string(static_cast<int>(matrix)) + " MiB), " + name;
    tell("gemm, " + title, peak_growth(world, [&] { tessera::linalg::gemm(1.0, a, b, 0.0, c); }));
    tell("syrk, " + title, peak_growth(world, [&] { tessera::linalg::syrk(1.0, a, 0.0, c); }));
    for_each_local(a, [](const Index<2>& at, double& x) { x = at[0] == at[1] ? 4 : 1e-3; });
    a.sync();
    tell("solve, " + title, peak_growth(world, [&] { tessera::linalg::solve(a, b); }));
    tell("eigh, with its result, " + title, peak_growth(world, [&] { tessera::linalg::eigh(a); }));
    c.close(), b.close(), a.close();
  }
}

}  // namespace tessera::benchmark::linalg
