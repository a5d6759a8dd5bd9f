// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// Returns when done() says so. Until then it serves this process's agent where nobody else does (see
/// ProgressMode::poll), and gives the processor away: the process waited for may need either. @local
template <class Done>
void wait_until(const Group& group, Done&& done);

/// One turn of it. @local
void wait_turn(const Group& group);

template <class Done>
void wait_until(const Group& group, Done&& done) {
  while (!done()) wait_turn(group);
}

}  // namespace tessera::detail
