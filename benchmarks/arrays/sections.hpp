// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include "session.hpp"

/// The sections of the benchmark, each a table of its own.
namespace tessera::benchmark::arrays {

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
void several_fields(Session& session, const Place& place);
void hiding(Session& session, const Place& place);
void delay(Session& session, const Place& place);
void elementwise(Session& session, const Place& place);
void creation(Session& session, const Place& place);
void lists(Session& session, const Place& place);
void epochs(Session& session, const Place& place);
void tasks(Session& session, const Place& place);

}  // namespace tessera::benchmark::arrays
