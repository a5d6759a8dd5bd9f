// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include "json.hpp"

namespace tessera::info {

/// The facts as plain text. @local
std::string text_of(const Json& facts);

/// The trials, and the seconds that they took, as plain text. @local
std::string text_of_trials(const Json& trials, double seconds);

}  // namespace tessera::info
