// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// Makes a text from a file safe to show on one line of a terminal. UTF-8 stays as it is. Control characters,
/// bytes that are not UTF-8, and characters that change the writing direction become escapes such as \x1b and
/// \u202e.
/// @local
std::string printable(std::string_view text);

}  // namespace tessera
