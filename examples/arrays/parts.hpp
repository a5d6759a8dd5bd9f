// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdio>
#include <initializer_list>

#include <tessera/runtime/group.hpp>

/// A part of a tour. `run` returns on each rank whether its result was right there.
struct Part {
  const char* name;
  bool (*run)(const tessera::Group&);
};

/// Runs all parts, prints the results on rank 0, and returns the exit status for main.
inline int run_parts(const tessera::Group& world, std::initializer_list<Part> parts) {
  bool right = true;
  for (const Part& part : parts) {
    const bool good = world.all_reduce<std::int32_t>(part.run(world) ? 1 : 0, tessera::Reduce::min) == 1;
    if (world.rank() == 0) std::printf("%-40s %s\n", part.name, good ? "right" : "WRONG");
    right = right && good;
  }
  return right ? 0 : 1;
}
