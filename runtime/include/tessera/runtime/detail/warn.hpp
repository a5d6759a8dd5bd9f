// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

namespace tessera::detail {

/// Prints a sentence on this process's standard error, unless TESSERA_WARNINGS is off. @local
void warn(std::string_view sentence);

}  // namespace tessera::detail
