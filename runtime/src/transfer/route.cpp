// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfer/route.hpp"

#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {

Path route(const SegmentState& segment, int rank, Verb verb, index_t run, Amount amount) noexcept {
  if (is_direct(segment, segment.address(rank), verb)) return Path::node;
  if (segment.domain() == AtomicDomain::mpi) return Path::window;
  const bool moves = verb == Verb::put || verb == Verb::get;
  if (!moves || segment.use() == Use::scalars || !segment.region().has_window()) return Path::agent;
  if (segment.method() == TransferMethod::automatic)
    return segment.group().runtime().path_choice().by_window(verb, run, amount) ? Path::window : Path::agent;
  return segment.method() == TransferMethod::packed ? Path::agent : Path::window;
}

}  // namespace tessera::detail
