// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "session.hpp"

/// The sections of the benchmark, each a table of its own. Rank 0 makes the transfers; the others wait, where a
/// row does not say something else.
namespace tessera::benchmark::sweeps {

/// What there is to compare with here.
struct Place {
  bool windows;  ///< MPI has windows over all ranks
  bool armci;    ///< ARMCI runs
  bool served;   ///< a target is served while it makes no calls
};

/// @collective, all of these
void distance(Session& session, const Place& place);
void shapes(Session& session, const Place& place);
void strided_accumulate(Session& session, const Place& place);
void drivers(Session& session, const Place& place);
void registration(Session& session, const Place& place);

}  // namespace tessera::benchmark::sweeps
