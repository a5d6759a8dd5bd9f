// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "session.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include <tessera/runtime/error.hpp>

#include "json.hpp"

namespace tessera::benchmark {
namespace {

const char* mpi_name() noexcept {
#if defined(OPEN_MPI)
  return "Open MPI";
#elif defined(MPICH)
  return "MPICH";
#else
  return "other MPI";
#endif
}

}  // namespace

Effort Options::effort() const {
  if (quick)
    return {.pairs = 5, .sample_seconds = 5e-6, .joint_sample_seconds = 1e-4, .comparison_seconds = 0.1};
  Effort effort = full;
  effort.pairs = pairs;
  return effort;
}

void add_sizes(CLI::App& app, const std::string& name, std::vector<index_t>& sizes, index_t least,
               const std::string& purpose) {
  app.add_option(name, sizes, purpose)
      ->delimiter(',')
      ->check(CLI::Range(least, index_t{1} << 15))
      ->type_name("N,...");
}

ParsedOptions parse_options(int argc, char** argv, std::string_view purpose, bool speaks,
                            const std::function<void(CLI::App&)>& add_more, const Options& defaults) {
  ParsedOptions parsed{defaults, {}};
  Options& options = parsed.options;
  CLI::App app{std::string(purpose)};
  app.add_option("--json", options.json, "Write the report to this file")->type_name("FILE");
  app.add_option("--pairs", options.pairs, "Interleaved pairs of samples for each measurement")
      ->type_name("N")
      ->check(CLI::Range(std::min(31, defaults.pairs), 100000))
      ->capture_default_str();
  app.add_option("--only", options.only, "Run only the sections whose title holds this")->type_name("TEXT");
  app.add_option("--topology", options.topology, "What is between the ranks, for the report")
      ->type_name("TEXT");
  app.add_flag("--quick", options.quick, "Few and short samples: shows that it works, not how fast it is");
  app.add_flag("--without-peers", options.without_peers,
               "Where it compares Tessera with others, only the times of Tessera");
  if (add_more) add_more(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& outcome) {
    std::ostringstream unheard;
    parsed.exit_status = app.exit(outcome, speaks ? std::cout : unheard,
                                  speaks ? std::cerr : static_cast<std::ostream&>(unheard));
  }
  return parsed;
}

void require(bool condition, const std::string& what) {
  if (!condition) throw Error(what + ": wrong values (a benchmark of wrong results says nothing)");
}

void require_everywhere(const Group& world, bool condition, const std::string& what) {
  require(world.all_reduce(condition ? 1 : 0, Reduce::min) == 1, what);
}

Others waiting(const Group& world) {
  return {.wait = [&world] { world.barrier(); }};
}

Session::Session(const Runtime& runtime, std::string benchmark, Options options)
    : world_(runtime.world()),
      options_(std::move(options)),
      meter_(world_, options_.effort()),
      report_{environment_here(), {}, {}, {}},
      table_(stdout) {
  Environment& environment = report_.environment;
  environment.benchmark = std::move(benchmark);
  environment.library = runtime.description();
  environment.mpi = mpi_name();
  environment.topology = options_.topology;
  environment.ranks = world_.size();
  environment.pairs = options_.effort().pairs;
  if (options_.quick) note("A quick run: fewer pairs, and only two of calls that take long.");
  if (world_.rank() == 0) table_.heading(environment);
}

bool Session::wants(std::string_view section) const {
  return section.find(options_.only) != std::string_view::npos;
}

void Session::compare(const Subject& subject, const std::vector<Reference>& references) {
  if (options_.without_peers) {
    add({.section = subject.section,
         .name = subject.name,
         .measured = meter_.time({subject.routine, subject.others}, subject.clock),
         .bytes = subject.bytes});
    return;
  }
  for (const Reference& reference : references) {
    if (!reference.routine) continue;
    add({.section = subject.section,
         .name = subject.name,
         .reference = reference.name,
         .measured = meter_.compare({subject.routine, subject.others}, {reference.routine, reference.others},
                                    subject.clock),
         .bytes = subject.bytes,
         .target = reference.target,
         .counts = reference.counts,
         .remark = reference.remark});
  }
}

void Session::add(Row row) {
  if (world_.rank() == 0) table_.row(row);
  report_.rows.push_back(std::move(row));
}

void Session::note(std::string text) { report_.notes.push_back(std::move(text)); }

void Session::finish() {
  if (world_.rank() != 0) return;
  table_.ending(report_);
  if (!options_.json.empty()) write_json(report_, options_.json);
}

}  // namespace tessera::benchmark
