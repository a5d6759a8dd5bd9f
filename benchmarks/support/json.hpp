// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include "report.hpp"

namespace tessera::benchmark {

/// Writes a report to a file, through a temporary name. Times in seconds; an estimate is [value, low, high].
/// @local @throws Error if it cannot be written.
void write_json(const Report& report, const std::string& path);

/// Reads what write_json wrote. @local @throws Error if there is no such file, or it is not such a report.
Report read_json(const std::string& path);

}  // namespace tessera::benchmark
