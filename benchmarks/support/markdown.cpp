// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "table.hpp"

namespace tessera::benchmark {
namespace {

bool same_line(const Row& a, const Row& b) {
  return a.section == b.section && a.name == b.name && a.reference == b.reference;
}

// The lines of all reports, each once, in the order of the first report that has it.
std::vector<Row> all_lines(const std::vector<Report>& reports) {
  std::vector<Row> lines;
  for (const Report& report : reports) {
    for (const Row& row : report.rows) {
      const auto same = [&](const Row& line) { return same_line(line, row); };
      if (std::none_of(lines.begin(), lines.end(), same)) lines.push_back(row);
    }
  }
  std::vector<std::string> sections;
  for (const Row& line : lines) {
    if (std::find(sections.begin(), sections.end(), line.section) == sections.end())
      sections.push_back(line.section);
  }
  std::stable_sort(lines.begin(), lines.end(), [&](const Row& a, const Row& b) {
    return std::find(sections.begin(), sections.end(), a.section) <
           std::find(sections.begin(), sections.end(), b.section);
  });
  return lines;
}

const Row* find(const Report& report, const Row& line) {
  const auto found = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const Row& row) { return same_line(row, line); });
  return found == report.rows.end() ? nullptr : &*found;
}

std::string cells(const Row* row) {
  if (row == nullptr) return " | |";
  const Measurement& m = row->measured;
  std::string time = format_seconds(m.time.value);
  if (row->bytes > 0.0) time += ", " + format_rate(row->bytes / m.time.value);
  if (row->target && row->target->goal == Goal::at_most_more && m.excess)
    time += fmt::format(" ({} more)", format_seconds(m.excess->value));
  std::string ratio = row->result();
  if (!row->remark.empty()) ratio += fmt::format(" ({})", row->remark);
  if (m.control && !measurable(*m.control)) ratio += fmt::format(" (A/A {})", format_ratio(*m.control));
  return fmt::format(" {} | {} |", time, ratio);
}

void append_lines(std::string& text, const std::vector<Report>& reports) {
  std::string section;
  for (const Row& line : all_lines(reports)) {
    if (line.section != section) {
      section = line.section;
      text += fmt::format("| **{}** |{}\n", section, fmt::format("{:|>{}}", "", 2 * reports.size() + 3));
    }
    text += fmt::format("| {} | {} |", line.name, line.reference);
    std::vector<Row> rows;
    std::optional<Target> target;  // an MPI may have none
    for (const Report& report : reports) {
      const Row* row = find(report, line);
      text += cells(row);
      if (row == nullptr) continue;
      rows.push_back(*row);
      if (!target) target = row->target;
    }
    text += fmt::format(" {} | {} |\n", target ? format_target(*target) : "", to_string(overall_verdict(rows)));
  }
}

// For each section and reference the geometric mean of the ratios and the worst, MPI by MPI.
void append_summaries(std::string& text, const std::vector<Report>& reports) {
  std::vector<std::vector<Summary>> all;
  std::vector<Summary> lines;
  const auto same = [](const Summary& line) {
    return [&line](const Summary& other) {
      return other.section == line.section && other.reference == line.reference;
    };
  };
  for (const Report& report : reports) {
    for (const Summary& summary : all.emplace_back(summaries(report))) {
      if (std::none_of(lines.begin(), lines.end(), same(summary))) lines.push_back(summary);
    }
  }
  if (lines.empty()) return;
  text += "\n| ratios: geometric mean; worst | reference |";
  for (const Report& report : reports) text += fmt::format(" {} |", report.environment.title());
  text += "\n|---|---|";
  for (std::size_t i = 0; i < reports.size(); ++i) text += "---|";
  text += '\n';
  for (const Summary& line : lines) {
    text += fmt::format("| {} | {}{} |", line.section, line.reference, line.by_target ? ", with a target" : "");
    for (const std::vector<Summary>& summaries : all) {
      const auto found = std::find_if(summaries.begin(), summaries.end(), same(line));
      if (found != summaries.end())
        text += fmt::format(" {}{}; {} ({})", format_ratio(found->mean), found->judgement(),
                            format_ratio(found->worst->measured.ratio->value), found->worst->name);
      text += " |";
    }
    text += '\n';
  }
}

}  // namespace

Verdict overall_verdict(const std::vector<Row>& rows) noexcept {
  const auto has_target = [](const Row& row) { return row.target.has_value(); };
  if (std::none_of(rows.begin(), rows.end(), has_target)) return Verdict::none;
  if (rows.front().counts == Counts::where_reference_is_fastest) {
    const Row* best = nullptr;
    for (const Row& row : rows) {
      if (!row.measured.reference) continue;
      if (best == nullptr || row.measured.reference->value < best->measured.reference->value) best = &row;
    }
    return best == nullptr ? Verdict::not_measurable : best->verdict();
  }
  Verdict verdict = Verdict::met;
  for (const Row& row : rows) {
    if (row.verdict() == Verdict::missed) return Verdict::missed;
    if (row.verdict() == Verdict::not_measurable) verdict = Verdict::not_measurable;
  }
  return verdict;
}

std::string markdown(const std::vector<Report>& reports) {
  if (reports.empty()) return {};
  const Environment& first = reports.front().environment;
  std::string text = fmt::format("{}, {} cores; {} ranks; medians of {} interleaved pairs; {}.\n\n",
                                 first.processor, first.cores, first.ranks, first.pairs, first.date);
  for (const Report& report : reports)
    text += fmt::format("- {}: {}\n", report.environment.title(), report.environment.library);
  text += "\n| operation | reference |";
  for (const Report& report : reports) text += fmt::format(" {0} | {0}: ratio |", report.environment.title());
  text += " target | reached |\n|---|---|";
  for (std::size_t i = 0; i < reports.size(); ++i) text += "---|---|";
  text += "---|---|\n";
  append_lines(text, reports);
  append_summaries(text, reports);

  std::set<std::string> notes;
  for (const Report& report : reports) {
    for (const std::string& note : report.notes) {
      if (notes.insert(note).second) text += fmt::format("\n{}\n", note);
    }
  }
  return text;
}

}  // namespace tessera::benchmark
