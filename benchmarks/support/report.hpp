// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace tessera::benchmark {

/// Which run's verdict counts when the same benchmark has run on several MPIs.
enum class Counts { every_mpi, where_reference_is_fastest };

/// One line of a benchmark's table.
struct Row {
  std::string section;
  std::string name;
  /// What it was compared with; empty if with nothing.
  std::string reference = {};
  Measurement measured = {};
  /// Bytes of elements that a call moves; 0 if a rate has no meaning.
  double bytes = 0.0;
  std::optional<Target> target = {};
  Counts counts = Counts::every_mpi;
  /// A remark, such as which of several routines the reference was.
  std::string remark = {};

  Verdict verdict() const noexcept;
  /// What the verdict is about, with its 95 % interval: a share, a ratio, or a time that has a target.
  std::string result() const;
};

/// What must be known to repeat a run.
struct Environment {
  std::string benchmark;
  std::string library;        ///< Tessera, MPI, ranks and nodes
  std::string mpi;            ///< "MPICH", "Open MPI" or "other MPI"
  std::string topology = {};  ///< what is between the ranks; empty if it does not matter
  std::string processor;
  int cores = 0;
  int ranks = 0;
  int pairs = 0;
  std::string date;

  /// The heading of this run's column: the MPI, or the MPI and the topology. @local
  std::string title() const { return topology.empty() ? mpi : mpi + ", " + topology; }
};

/// The target for the geometric mean of the ratios of a section against a reference.
struct MeanTarget {
  std::string section, reference;
  double at_least;
};

/// The whole report of a run.
struct Report {
  Environment environment;
  std::vector<Row> rows;
  /// Notes below the table: what could not be measured, and why.
  std::vector<std::string> notes = {};
  std::vector<MeanTarget> mean_targets = {};
};

/// The geometric mean and the worst cell of the rows of a section that have the same reference.
struct Summary {
  std::string section, reference;
  double mean;
  const Row* worst;
  bool by_target;                       ///< only rows with a target for the ratio count, because some have one
  std::optional<double> at_least = {};  ///< the target for the mean

  /// ": 0.95 or more: met", or nothing. @local
  std::string judgement() const;
};
/// One for each section and reference with two rows or more, in their order. @local
std::vector<Summary> summaries(const Report& report);

/// The processor's name and the number of cores of this machine, and today's date. @local
Environment environment_here();

/// Three digits and a unit, such as "41.2 us", "4.73 GB/s", "0.97 [0.95, 0.99]", "2 MiB". @local
std::string format_seconds(double seconds);
std::string format_rate(double bytes_per_second);
std::string format_ratio(const Estimate& ratio);
std::string format_ratio(double ratio);
std::string format_bytes(index_t bytes);
/// "12.3 % [12.1, 12.4]"
std::string format_share(const Estimate& share);
/// "ratio 0.8 or more", "at most 50 ns", "at most 25 ns more", "90 % or more", "at most 1 %". @local
std::string format_target(const Target& target);

}  // namespace tessera::benchmark
