// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera::detail::order {

/// Notes a call of MPI that may order events and whose order the clocks cannot follow. @local
void note_unseen_order(const std::string& call);
/// The noted calls of this process, with the number of times. If there are some, a conflict that the clocks
/// find may be none. @local
std::map<std::string, std::uint64_t> unseen_order();

}  // namespace tessera::detail::order
