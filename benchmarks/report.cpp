// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// benchmark_report FILE...: makes one Markdown table of the reports that a benchmark wrote on several MPIs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include <tessera/runtime/error.hpp>

#include "json.hpp"
#include "table.hpp"

namespace {

using tessera::benchmark::Report;
using tessera::benchmark::Row;

// By what is taken from others, else by the ratio to the reference, else by the time.
bool is_worse(const Row& one, const Row& other) {
  const auto share = [](const Row& row) { return row.measured.share ? row.measured.share->value : 0.0; };
  if (share(one) != share(other)) return share(one) > share(other);
  if (one.measured.ratio && other.measured.ratio)
    return one.measured.ratio->value < other.measured.ratio->value;
  return one.measured.time.value > other.measured.time.value;
}

// Of a row that several launches have, keeps the worst.
void keep_worst(Report& all, const Report& launch) {
  for (const Row& row : launch.rows) {
    const auto same = std::find_if(all.rows.begin(), all.rows.end(), [&](const Row& other) {
      return other.section == row.section && other.name == row.name && other.reference == row.reference;
    });
    if (same == all.rows.end()) {
      all.rows.push_back(row);
    } else if (is_worse(row, *same)) {
      *same = row;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Makes one Markdown table of the reports that a benchmark wrote on several MPIs."};
  std::vector<std::string> files;
  bool worst = false;
  app.add_flag("--worst", worst,
               "Reports of the same MPI and topology are launches: each row is that of the worst");
  app.add_option("FILE", files, "Reports, from --json; those of the same MPI and topology are joined")
      ->required();
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<tessera::benchmark::Report> reports;
    for (const std::string& file : files) {
      auto report = tessera::benchmark::read_json(file);
      const auto same = std::find_if(reports.begin(), reports.end(), [&](const auto& other) {
        return other.environment.title() == report.environment.title();
      });
      if (same == reports.end()) {
        reports.push_back(std::move(report));
      } else if (worst) {
        keep_worst(*same, report);
      } else {
        same->rows.insert(same->rows.end(), report.rows.begin(), report.rows.end());
        same->mean_targets.insert(same->mean_targets.end(), report.mean_targets.begin(),
                                  report.mean_targets.end());
        same->notes.insert(same->notes.end(), report.notes.begin(), report.notes.end());
      }
    }
    std::cout << tessera::benchmark::markdown(reports);
  } catch (const tessera::Error& error) {
    std::cerr << "benchmark_report: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
