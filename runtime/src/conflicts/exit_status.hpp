// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::detail::conflicts {

/// Remembers how the process ends. Called before tell_by_exit_status(). @local
void watch_exit_status();
/// If the program ends well, the process ends with this status instead of 0. All that the program has asked to
/// be done at its end is done before. @local
void tell_by_exit_status(int status) noexcept;

}  // namespace tessera::detail::conflicts
