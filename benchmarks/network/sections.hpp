// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "ends.hpp"
#include "session.hpp"

/// The sections of the benchmark. Rank 0 measures; every row says what the target does meanwhile.
namespace tessera::benchmark::network {

/// @collective, all of these
void contiguous(Session& session, Ends& ends);
void messages(Session& session, Ends& ends);
void strided(Session& session, Ends& ends);
void accumulate(Session& session, Ends& ends);
void batches(Session& session, Ends& ends);
void vectors(Session& session, Ends& ends);
void latencies(Session& session, Ends& ends);
void load(Session& session, Ends& ends);
/// If `judged`, it has a target. This makes sense only if the network is slower than the processors that feed
/// it.
void overlap(Session& session, Ends& ends, bool judged);
/// The same.
void both_ways(Session& session, Ends& ends, bool judged);
void exchange(Session& session, Ends& ends);
void buffers(Session& session, Ends& ends);
void incumbent(Session& session, Ends& ends);

}  // namespace tessera::benchmark::network
