// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// benchmark_report FILE...: makes one Markdown table of the reports that a benchmark wrote on several MPIs.
#include <CLI/CLI.hpp>
#include <iostream>

#include <tessera/runtime/error.hpp>

#include "json.hpp"
#include "table.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Makes one Markdown table of the reports that a benchmark wrote on several MPIs."};
  std::vector<std::string> files;
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
