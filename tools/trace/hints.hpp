// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include "trace_data.hpp"

namespace tessera::trace_tool {

struct Hint {
  std::string rule;  // one word
  std::string text;  // what was measured, and what to try
};

/// What a trace suggests, by the rules in hints.cpp. @local
std::vector<Hint> hints(const Trace& trace);

}  // namespace tessera::trace_tool
