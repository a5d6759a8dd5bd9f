// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Measures the Fock build of the Hartree-Fock example on several ranks against one. It starts the example again
// and again, in turns, and reads the time of the Fock builds from the output. A serial program, without MPI.
#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <sys/wait.h>

#include <tessera/runtime/error.hpp>

#include "json.hpp"
#include "table.hpp"

using namespace tessera::benchmark;

namespace {

struct Job {
  std::string launch, program, seconds_label, energy_label;
  double energy;
};

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw tessera::Error("cannot start: " + command);
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw tessera::Error("this failed: " + command + "\n" + text);
  return text;
}

// The first number after the last occurrence of the label.
double number_after(const std::string& text, const std::string& label) {
  const auto place = text.rfind(label);
  const auto number =
      place == std::string::npos ? place : text.find_first_of("-0123456789", place + label.size());
  if (number == std::string::npos)
    throw tessera::Error("no number after \"" + label + "\" in this output:\n" + text);
  return std::strtod(text.c_str() + number, nullptr);
}

double fock_seconds(const Job& job, int ranks) {
  const std::string text = output_of(job.launch + " -n " + std::to_string(ranks) + " " + job.program);
  const double energy = number_after(text, job.energy_label);
  if (!(std::abs(energy - job.energy) < 1e-7))
    throw tessera::Error("the energy is " + std::to_string(energy) + ", but should be " +
                         std::to_string(job.energy));
  return number_after(text, job.seconds_label);
}

// In the order S R R S, then R S S R, as Meter does.
Measurement measure(const Job& job, int ranks, int pairs) {
  std::vector<double> many, one, ratios, controls;
  for (int block = 0; 2 * block < pairs; ++block) {
    std::array<double, 2> on_many{}, on_one{};
    for (int turn = 0; turn < 4; ++turn) {
      const bool outside = turn == 0 || turn == 3, is_many = outside == (block % 2 == 0);
      (is_many ? on_many : on_one)[turn < 2 ? 0 : 1] = fock_seconds(job, is_many ? ranks : 1);
    }
    for (std::size_t half : {0u, 1u}) {
      many.push_back(on_many[half]);
      one.push_back(on_one[half]);
      ratios.push_back(on_one[half] / on_many[half]);
    }
    controls.push_back(on_many[0] / on_many[1]);
    controls.push_back(on_one[0] / on_one[1]);
  }
  return {.time = median_estimate(many),
          .reference = median_estimate(one),
          .ratio = median_estimate(ratios),
          .control = median_estimate(controls)};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The Fock build of the Hartree-Fock example on several ranks against one."};
  Job job{.launch = "mpiexec",
          .program = {},
          .seconds_label = "Fock build",
          .energy_label = "RHF energy",
          .energy = -76.0571140880};
  std::string json, mpi = "MPI";
  int ranks = 2, pairs = 31;
  bool quick = false;
  app.add_option("--program", job.program, "The example with its arguments")->required()->type_name("COMMAND");
  app.add_option("--launch", job.launch, "What starts it, without -n")
      ->type_name("COMMAND")
      ->capture_default_str();
  app.add_option("--seconds-after", job.seconds_label, "What stands before the time of all Fock builds")
      ->type_name("TEXT")
      ->capture_default_str();
  app.add_option("--energy-after", job.energy_label, "What stands before the final energy")
      ->type_name("TEXT")
      ->capture_default_str();
  app.add_option("--energy", job.energy, "The energy that must come out")->capture_default_str();
  app.add_option("--mpi", mpi, "The MPI's name, for the report")->type_name("NAME");
  app.add_option("--ranks", ranks, "How many ranks are compared with one")->capture_default_str();
  app.add_option("--pairs", pairs, "Interleaved pairs of runs")
      ->check(CLI::Range(31, 10000))
      ->capture_default_str();
  app.add_option("--json", json, "Write the report to this file")->type_name("FILE");
  app.add_flag("--quick", quick, "Few runs: shows that it works, not how fast it is");
  CLI11_PARSE(app, argc, argv);
  if (quick) pairs = 3;
  try {
    Report report{environment_here(), {}, {}};
    report.environment.benchmark = "firstlight";
    report.environment.library = "the Hartree-Fock example on " + mpi;
    report.environment.mpi = mpi;
    report.environment.ranks = ranks;
    report.environment.pairs = pairs;
    Table table(stdout);
    table.heading(report.environment);
    report.rows.push_back({.section = "Hartree-Fock, water in cc-pVTZ: all Fock builds of a run",
                           .name = std::to_string(ranks) + " ranks",
                           .reference = "1 rank",
                           .measured = measure(job, ranks, pairs),
                           .target = Target{Goal::at_least, 1.7}});
    table.row(report.rows.back());
    table.ending(report);
    if (!json.empty()) write_json(report, json);
  } catch (const tessera::Error& error) {
    std::cerr << "benchmark_fock: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
