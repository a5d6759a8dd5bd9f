// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "report.hpp"

namespace tessera::benchmark {

/// Prints a report line by line while it is made, for a terminal. @local
class Table {
 public:
  explicit Table(std::FILE* out) : out_(out) {}
  void heading(const Environment& environment);
  /// Begins a new section if the row's section differs from the last one's.
  void row(const Row& row);
  /// The means of the sections that have several ratios, then the notes.
  void ending(const Report& report);

 private:
  std::FILE* out_;
  std::string section_;
};

/// A Markdown table of the reports of one benchmark on several MPIs. It has a line for each measurement, two
/// columns for each MPI, and the target with the verdict on all of them. @local
std::string markdown(const std::vector<Report>& reports);

/// The verdict on all MPIs: the one where the reference is fastest, or the worst of all, as the row says.
/// @local
Verdict overall_verdict(const std::vector<Row>& rows) noexcept;

}  // namespace tessera::benchmark
