// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "table.hpp"

#include <fmt/format.h>

namespace tessera::benchmark {
namespace {

constexpr const char* columns = "{:<44} {:>8} {:>10}  {:<32} {:>8}  {:<22} {:<20} {}\n";

std::string rate_of(const Row& row) {
  return row.bytes > 0.0 ? format_rate(row.bytes / row.measured.time.value) : "";
}

}  // namespace

void Table::heading(const Environment& environment) {
  fmt::print(out_, "{}: {}{}{}; {}, {} cores; {}\n", environment.benchmark, environment.topology,
             environment.topology.empty() ? "" : ": ", environment.library, environment.processor,
             environment.cores, environment.date);
  fmt::print(
      out_,
      "Medians of {} interleaved pairs, in brackets the 95 % interval; ratio: speed relative to the reference; "
      "A/A: each against itself.\n",
      environment.pairs);
  fmt::print(out_, columns, "", "time", "rate", "reference", "its time", "ratio", "A/A", "target");
}

void Table::row(const Row& row) {
  if (row.section != section_) {
    section_ = row.section;
    fmt::print(out_, "{}\n", section_);
  }
  const Measurement& m = row.measured;
  std::string target;
  if (row.target) target = format_target(*row.target) + ": " + to_string(row.verdict());
  if (!row.remark.empty()) target += (row.target ? " (" : "(") + row.remark + ")";
  fmt::print(out_, columns, "  " + row.name, format_seconds(m.time.value), rate_of(row), row.reference,
             m.reference ? format_seconds(m.reference->value) : "", row.result(),
             m.control ? format_ratio(*m.control) : "", target);
  std::fflush(out_);
}

void Table::ending(const Report& report) {
  for (const Summary& of : summaries(report)) {
    fmt::print(out_, "{}, against {}{}: geometric mean {}{}, worst {} ({})\n", of.section, of.reference,
               of.by_target ? ", where there is a target" : "", format_ratio(of.mean), of.judgement(),
               format_ratio(of.worst->measured.ratio->value), of.worst->name);
  }
  for (const std::string& note : report.notes) fmt::print(out_, "Note: {}\n", note);
}

}  // namespace tessera::benchmark
