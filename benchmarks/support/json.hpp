// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <iosfwd>
#include <string>

#include "report.hpp"

namespace tessera::benchmark {

/// Writes a report to a file, through a temporary name. Times in seconds; an estimate is [value, low, high].
/// @local @throws Error if it cannot be written.
void write_json(const Report& report, const std::string& path);

/// Reads what write_json wrote. @local @throws Error if there is no such file, or it is not such a report.
Report read_json(const std::string& path);

/// The text that write_json writes. @local
std::string report_text(const Report& report);

/// Reads such a text. `name` is the file's name in messages. @local @throws Error if it is no such report.
Report parse_report(std::istream& in, const std::string& name);

}  // namespace tessera::benchmark
