// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "hints.hpp"
#include "trace_data.hpp"

namespace tessera::trace_tool {

/// The page that shows a trace: one HTML file that loads nothing else. @local
std::string page(const Trace& trace, const std::vector<Hint>& hints);

}  // namespace tessera::trace_tool
