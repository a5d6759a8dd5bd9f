// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// Returns when done() is true. Until then it yields the processor, and runs this process's agent if no other
/// thread does (see ProgressMode::poll): the awaited process may need either. @local
template <class Done>
void wait_until(const Group& group, Done&& done);

/// One turn of such a wait. @local
void wait_turn(const Group& group);

template <class Done>
void wait_until(const Group& group, Done&& done) {
  while (!done()) wait_turn(group);
}

}  // namespace tessera::detail
