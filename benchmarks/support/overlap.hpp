// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>

#include "session.hpp"

namespace tessera::benchmark {

/// A transfer in two calls of rank 0, and what the other ranks do meanwhile.
struct Halves {
  std::function<void()> start, finish;
  Others others = {};
};

/// How much of a transfer computation hides. Rank 0 starts the transfer, computes for `factor` times as long as
/// the transfer takes alone, and finishes it. The time is that of all three; the reference is that of the
/// transfer alone. The share is (transfer + computation - both together) / transfer. @collective
Measurement measure_overlap(const Session& session, const Halves& transfer, double factor);

}  // namespace tessera::benchmark
