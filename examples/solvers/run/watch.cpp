// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "watch.hpp"

#include <fmt/format.h>

namespace solvers {

void report_speed(const tessera::Group& world, const Times& times, double seconds, double updates,
                  std::string_view unit) {
  const double computing = world.all_reduce(times.computing, tessera::Reduce::max);
  const double ghost_cells = world.all_reduce(times.ghost_cells, tessera::Reduce::max);
  if (world.rank() == 0)
    fmt::print("Time {:.3f} s: computing at most {:.3f} s, ghost cells at most {:.3f} s; {:.4g} {}\n", seconds,
               computing, ghost_cells, seconds > 0 ? updates / seconds * 1e-6 : 0, unit);
}

}  // namespace solvers
