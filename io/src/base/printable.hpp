// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

namespace tessera::io::detail {

/// A text of a file as a terminal may show it, on one line: UTF-8 stays what it is. Control characters, bytes
/// that are no UTF-8, and characters that turn the direction of writing become escapes such as \x1b and \u202e.
/// @local
std::string printable(std::string_view text);

}  // namespace tessera::io::detail
