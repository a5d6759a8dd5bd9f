// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tessera::trace_tool {

using Json = nlohmann::ordered_json;

/// Operations of one kind, by one path, from one rank to another.
struct Cell {
  std::string array;
  int source = 0, target = 0;
  std::string path, operation;
  std::uint64_t operations = 0, bytes = 0;
  double seconds = 0.0;
};

/// The calls of a phase or wait on one rank; `self` and `waits` are of phases only.
struct Times {
  std::string name;
  std::uint64_t calls = 0;
  double seconds = 0.0, self = 0.0, waits = 0.0;
};

struct Process {
  int rank = 0, node = 0;
  std::string host;
  double seconds = 0.0;  // that it was recorded
  std::vector<Times> phases, waits;
  double clock_error = 0.0;      // seconds, at most
  std::uint64_t operations = 0;  // that were seen
  std::uint64_t every = 1;       // one in so many operations is on the timeline
};

/// A bar of the timeline; `target` is -1 unless it is an operation.
struct Bar {
  int rank = 0, thread = 0;
  char kind = 'p';  // phase, wait or operation
  std::string name, array, path;
  int target = -1;
  std::uint64_t bytes = 0;
  double begin = 0.0, duration = 0.0;  // microseconds
};

struct Trace {
  int ranks = 0;
  std::string job;  // empty if the files do not say it
  bool is_complete = true;
  std::vector<Process> processes;  // by rank
  std::vector<Cell> cells;
  std::vector<Bar> bars;

  const Process* process(int rank) const noexcept;
  /// The longest time of a process.
  double seconds() const noexcept;
};

/// Adds what one file has. @throws std::runtime_error if it is not a trace of Tessera, or is of another job
void add(Trace& trace, const Json& file);
/// Reads some files: a trace, or what the ranks of a killed job have left.
/// @throws std::runtime_error with the file's name
Trace read(const std::vector<std::string>& files);

}  // namespace tessera::trace_tool
