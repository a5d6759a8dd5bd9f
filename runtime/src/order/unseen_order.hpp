// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tessera::detail::order {

/// Notes a call of MPI that may order events and whose order the clocks cannot follow. `lasts`: so may all that
/// comes later. @local
void note_unseen_order(const std::string& call, bool lasts = false);
/// From now on `listener` hears of such calls; null: nobody does. @local
void tell_of_unseen_order(void (*listener)(const std::string& call, bool lasts)) noexcept;
/// The noted calls of this process, with the number of times. @local
std::map<std::string, std::uint64_t> unseen_order();

}  // namespace tessera::detail::order
