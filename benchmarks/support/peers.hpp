// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>

#include <tessera/runtime/runtime.hpp>

#include "ga_peer.hpp"
#include "session.hpp"

namespace tessera::benchmark {

/// Whether MPI has windows over all ranks. Open MPI has none between hosts. @collective
bool has_windows(const Group& world);

/// The libraries to compare with, as far as they work here.
struct Peers {
  bool windows;
  std::unique_ptr<ga_peer::Library> global_arrays;  // null where it cannot run
};
/// Starts them, and notes what there is not. `scratch` as in ga_peer::Library. @collective
Peers start_peers(Session& session, const Runtime& runtime, std::int64_t scratch = 0);

}  // namespace tessera::benchmark
