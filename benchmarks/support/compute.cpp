// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "compute.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tessera::benchmark {

double now() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void compute(index_t steps) noexcept {
  std::uint64_t x = 20061103;
  for (index_t i = 0; i < steps; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));  // each step depends on the one before
  }
}

index_t steps_of(double seconds) {
  constexpr index_t trial = 200'000;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 20; ++i) {
    const double begin = now();
    compute(trial);
    best = std::min(best, now() - begin);
  }
  return static_cast<index_t>(static_cast<double>(trial) * seconds / best) + 1;
}

}  // namespace tessera::benchmark
