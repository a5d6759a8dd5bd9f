// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include "session.hpp"

/// The sections of the benchmark, each a table of its own.
namespace tessera::benchmark::arrays {

inline constexpr index_t kib = 1024, mib = 1024 * kib, element = sizeof(double);

/// Where the ranks are, and what there is to compare with.
struct Place {
  bool one_node;
  bool windows;        ///< whether MPI has windows over all ranks
  bool global_arrays;  ///< whether the library runs
};

/// @collective, all of these
void patches(Session& session, const Place& place);
void locate(Session& session, const Place& place);
void redistribution(Session& session, const Place& place);
void transposition(Session& session, const Place& place);
void permuted(Session& session, const Place& place);
void ghosts(Session& session, const Place& place);
void delay(Session& session, const Place& place);
void elementwise(Session& session, const Place& place);
void creation(Session& session, const Place& place);
void lists(Session& session, const Place& place);
void epochs(Session& session, const Place& place);
void tasks(Session& session, const Place& place);

/// The other ranks wait in Group::barrier, where Tessera's operations find their target. @local
inline Others waiting(const Group& world) {
  return {.wait = [&world] { world.barrier(); }};
}

/// Ends the run on all ranks if a result is wrong on one. @collective
inline void require_everywhere(const Group& world, bool right, const std::string& what) {
  require(world.all_reduce(right ? 1 : 0, Reduce::min) == 1, what);
}

}  // namespace tessera::benchmark::arrays
