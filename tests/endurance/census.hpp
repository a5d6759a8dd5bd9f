// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test {

/// What a process holds at one moment.
struct Sample {
  double seconds = 0;
  std::vector<std::int64_t> counts;     // in the order of Census::names()
  std::int64_t heap = 0, resident = 0;  // bytes that malloc gave; bytes in memory that are not shared
};

/// Samples of what this process holds: descriptors, mappings, threads, names in /dev/shm, objects of MPI,
/// bytes.
class Census {
 public:
  /// The names of what is counted. @local
  static std::vector<std::string> names();
  /// @local
  void take(double seconds);
  /// Whatever grew, as one line each: a count whose least value in the last third of the samples is above its
  /// most in the first third, for mappings by more than 3; bytes of the heap and in memory that grew by more
  /// than this from the first third to the last, by their medians. Samples of a program's warm-up should not be
  /// taken. @local
  std::vector<std::string> growth(std::int64_t heap, std::int64_t resident) const;
  /// One line: first and last values. @local
  std::string summary() const;
  std::size_t size() const noexcept { return samples_.size(); }

 private:
  std::vector<Sample> samples_;
};

}  // namespace tessera::test
