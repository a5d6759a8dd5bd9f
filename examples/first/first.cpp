// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdio>

#include <tessera/tessera.hpp>

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const tessera::Group& world = runtime.world();

  tessera::Array<double, 2> a(world, {6, 8}, {.name = "a"});  // its blocks lie on all processes
  for_each_local(a,
                 [](const tessera::Index<2>& at, double& x) { x = static_cast<double>(10 * at[0] + at[1]); });

  tessera::Array<std::int64_t, 1> counter(world, {1}, {.name = "counter"});
  fill(counter, 0);
  a.sync();  // from here on everybody sees what was written

  // A free rank draws the next task. Each task adds 100 to a patch of 2 x 8 elements of any owners.
  tessera::LocalArray<double, 2> hundred({2, 8});
  for (double& x : hundred) x = 100;
  for (auto task = counter.fetch_add({0}, 1); task < 5; task = counter.fetch_add({0}, 1))
    a.acc({{task, 0}, {task + 2, 8}}, hundred);
  a.sync();

  if (world.rank() != 0) return 0;
  const auto middle = a.get({{1, 2}, {5, 6}});  // rows 1 to 4, columns 2 to 5, from all their owners
  for (int i = 0; i < 4; ++i)
    std::printf("%4.0f %4.0f %4.0f %4.0f\n", middle(i, 0), middle(i, 1), middle(i, 2), middle(i, 3));
}
