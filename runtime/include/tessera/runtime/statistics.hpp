// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include <tessera/runtime/types.hpp>

namespace tessera {

/// The kinds under which one-sided operations are counted. `atomic` is every read-modify-write of a single
/// value, and every operation on Scalars.
enum class Operation : std::uint8_t { put, get, accumulate, atomic };
/// How an operation reached its target: loads and stores on the node, MPI's window, or the agent of the target.
/// Data that a collective call sends to a process which waits for it goes in a message, and counts as a put.
enum class Path : std::uint8_t { node, window, agent, message };

inline constexpr std::size_t operation_count = 4, path_count = 4;

/// "put", "node" and so on. @local
const char* to_string(Operation operation) noexcept;
const char* to_string(Path path) noexcept;

/// Operations of one kind by one path.
struct Traffic {
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;
  /// Time inside the calls. One in 256 operations below 256 KiB is timed and counts 256 times, so this is an
  /// estimate for them.
  double seconds = 0.0;

  Traffic& operator+=(const Traffic& other) noexcept;
};

/// The one-sided operations that this process has made: on one segment, or on all.
struct Statistics {
  using Table = std::array<std::array<Traffic, operation_count>, path_count>;
  Table total{};
  /// How often a target on another node was asked whether earlier operations are done. Flush and sync ask, and
  /// other calls if the order of operations requires it.
  std::uint64_t flushes = 0;
  /// By target rank in the segment's group, for the targets used. Empty for the sum over all segments.
  std::map<int, Table> targets;

  /// Adds the totals, but not the targets: their ranks mean something else in another segment.
  Statistics& operator+=(const Statistics& other) noexcept;
  const Traffic& of(Path path, Operation operation) const noexcept {
    return total[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)];
  }
  /// A readable table, one line for each path and operation that occurred. @local
  std::string text() const;
};

}  // namespace tessera
