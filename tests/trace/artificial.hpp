// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <utility>

#include "trace_data.hpp"

namespace tessera::trace_tool {

/// A trace in which each rank ran for 10 s. Ranks are dealt to nodes of `per_node`, each a host of its own.
inline Trace artificial(int ranks, int per_node) {
  Trace trace;
  trace.ranks = ranks;
  for (int r = 0; r < ranks; ++r) {
    Process process;
    process.rank = r;
    process.node = r / per_node;
    process.host = "host" + std::to_string(process.node);
    process.seconds = 10.0;
    trace.processes.push_back(std::move(process));
  }
  return trace;
}

}  // namespace tessera::trace_tool
