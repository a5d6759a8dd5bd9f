// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "progress.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace ccsd {

void Progress::operator()(double share) {
  if (!speaks_ || share <= 0) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::seconds(10)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  fmt::print("  {}: {:.0f} %, about {:.0f} s left\n", name_, 100 * share, seconds * (1 - share) / share);
  std::fflush(stdout);
}

}  // namespace ccsd
