// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

/// The sections of the benchmark, each a table of its own. Measurements that need another rank are left out if
/// there is none.
namespace tessera::benchmark::onesided {

/// @collective, all of these
void latency_and_bandwidth(Session& session);
void strided_runs(Session& session);
void patches(Session& session);
void vectors(Session& session);
void single_elements(Session& session);
void single_updates(Session& session);
void contention(Session& session);
void synchronisation(Session& session);
void mutexes(Session& session);
void memory(Session& session);

/// The rank whose memory rank 0 works on.
struct Side {
  int rank;
  std::string name;
};
/// Rank 0's own side, and the last rank's if that is another rank. @local
std::vector<Side> sides(const Group& world);

}  // namespace tessera::benchmark::onesided
