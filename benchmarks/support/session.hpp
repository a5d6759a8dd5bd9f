// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/runtime/runtime.hpp>

#include "report.hpp"
#include "sizes.hpp"
#include "table.hpp"

namespace CLI {
class App;
}

namespace tessera::benchmark {

/// The command-line options of every benchmark.
struct Options {
  bool quick = false;     ///< few and short samples: to see whether it works
  std::string json = {};  ///< a file for the report
  int pairs = 31;
  std::string only = {};       ///< only sections whose title holds this
  bool without_peers = false;  ///< what is measured against others is timed alone
  /// What is between the ranks, for the heading of a report.
  std::string topology = {};
  /// The effort of a run that is not quick, with the pairs above. The benchmark sets it.
  Effort full = {};

  Effort effort() const;
};

/// Reads the command line. Rank 0 answers --help and mistakes; the program should then end with the returned
/// status. `add_more` adds options of the benchmark's own. Fewer than 31 pairs may be asked for only if
/// `defaults` has fewer. @local
struct ParsedOptions {
  Options options;
  std::optional<int> exit_status;
};
ParsedOptions parse_options(int argc, char** argv, std::string_view purpose, bool speaks,
                            const std::function<void(CLI::App&)>& add_more = {}, const Options& defaults = {});

/// Adds an option that takes one or several sizes, between commas, of `least` or more. @local
void add_sizes(CLI::App& app, const std::string& name, std::vector<index_t>& sizes, index_t least,
               const std::string& purpose);

/// Ends the run if a result is wrong. @local @throws Error
void require(bool condition, const std::string& what);
/// The same on all ranks, if a result is wrong on one. @collective @throws Error
void require_everywhere(const Group& world, bool condition, const std::string& what);

/// The other ranks wait in Group::barrier, where Tessera's operations find their target. Operations of MPI find
/// theirs in MPI's barrier, which is where ranks wait otherwise. @local
Others waiting(const Group& world);

/// A routine that is to be compared with others.
struct Subject {
  std::string section, name;
  Routine routine;
  double bytes = 0.0;
  Clock clock = Clock::origin;
  Others others = {};
};

/// A routine to compare with, and the target against it. Without a routine it is left out: its library is
/// absent.
struct Reference {
  std::string name;
  Routine routine;
  std::optional<Target> target = {};
  Counts counts = Counts::every_mpi;
  Others others = {};
  std::string remark = {};
};

/// "Faster than the incumbent": the target against other libraries.
inline constexpr Target no_slower{Goal::at_least, 1.0};

/// The target of a program against the same algorithm in MPI: as fast on a node, and nearly so between nodes.
inline Target as_fast_as_mpi(const Group& world) {
  return {Goal::at_least, world.node_count() == 1 ? 1.0 : 0.95};
}

/// A run of a benchmark on all ranks: measures, prints rows as they come, and writes the report.
class Session {
 public:
  /// @collective
  Session(const Runtime& runtime, std::string benchmark, Options options);

  const Group& world() const noexcept { return world_; }
  const Meter& meter() const noexcept { return meter_; }
  /// Whether few and short samples are enough. @local
  bool is_quick() const noexcept { return options_.quick; }
  /// Whether a section is to be run. @local
  bool wants(std::string_view section) const;
  /// The MPI in use: "MPICH", "Open MPI" or "other MPI". @local
  const std::string& mpi() const noexcept { return report_.environment.mpi; }
  /// Measures against each of the references: a row for each. With --without-peers, one row of the subject's
  /// own time. @collective
  void compare(const Subject& subject, const std::vector<Reference>& references);
  /// Adds a row and prints it. @local, alike on every rank
  void add(Row row);
  /// Asks for a geometric mean of the ratios of a section against a reference. @local, alike on every rank
  void ask_for_mean(std::string section, std::string reference, double at_least) {
    report_.mean_targets.push_back({std::move(section), std::move(reference), at_least});
  }
  /// Adds a note below the table. @local, alike on every rank
  void note(std::string text);
  /// Prints the end of the table and writes the file. @local, alike on every rank
  void finish();

 private:
  Group world_;
  Options options_;
  Meter meter_;
  Report report_;
  Table table_;
};

}  // namespace tessera::benchmark
