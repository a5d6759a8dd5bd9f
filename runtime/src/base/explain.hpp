// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <string>

namespace tessera::detail {

/// One sentence for a user. The standard library's exceptions say neither what was refused nor what to try.
/// @local
std::string explain(const std::exception& error);
/// The same for the exception that is being handled. @local
std::string explain_current_exception();

}  // namespace tessera::detail
