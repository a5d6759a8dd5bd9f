// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "scratch.hpp"
#include "session.hpp"

/// The sections of the benchmark.
namespace tessera::benchmark::io {

/// The parameters of all sections.
struct Plan {
  const Scratch& scratch;
  index_t bytes;   ///< of the arrays that are moved as a whole
  Effort effort;   ///< as many rounds as pairs are asked for
  bool overwrite;  ///< whether the plain program writes over its last file
};

/// Writing and reading one array in several layouts. @collective, as all of these
void whole(Session& session, const Plan& plan);
/// Many small arrays against one.
void many(Session& session, const Plan& plan);
/// The time that a computation loses to a checkpoint behind it.
void behind(Session& session, const Plan& plan);

}  // namespace tessera::benchmark::io
