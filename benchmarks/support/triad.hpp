// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "measure.hpp"
#include "plain_memory.hpp"

namespace tessera::benchmark {

/// a = b + s c, the triad of STREAM (McCalpin 1995): 32 bytes of traffic for each element, as a cache reads a
/// line before it writes.
class Triad {
 public:
  static constexpr double bytes = 32;

  explicit Triad(std::size_t elements) : a_(elements), b_(elements), c_(elements) {}
  void operator()() {
    double* __restrict a = a_.data();
    const double* __restrict b = b_.data(), * __restrict c = c_.data();
    for (std::size_t i = 0; i < a_.size(); ++i) a[i] = b[i] + 0.5 * c[i];
    keep(a);
  }

 private:
  PlainMemory a_, b_, c_;
};

}  // namespace tessera::benchmark
