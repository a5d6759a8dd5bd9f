// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event_recorder.hpp"

// The text of a trace file: Chrome's trace event format, with the sums under "tessera".
namespace tessera::detail::trace {

/// The clock of a process against rank 0's, once measured. Rank 0's clock shows `offset` nanoseconds more, with
/// an error of at most half of `round_trip`.
struct ClockReading {
  std::int64_t at = 0;  // by the process's own clock
  std::int64_t offset = 0, round_trip = 0;
};

/// A process, and how its clock is translated to rank 0's.
struct TraceOrigin {
  int rank = 0, node = 0;
  std::string host;
  std::int64_t begin = 0;             // of the trace, by rank 0's clock
  std::vector<ClockReading> clock{};  // at the start, and at the end

  /// Nanoseconds since the beginning of the trace. Between the readings the offset is interpolated.
  std::int64_t since_begin(std::int64_t own) const noexcept;
};

/// A string of JSON, in quotes. Bytes that are not UTF-8 become U+FFFD. @local
std::string json_string(std::string_view text);

/// The events of a process, separated by commas. @local
std::string events_text(const EventRecorder::Recording& all, const TraceOrigin& origin);
/// The sums of a process, as a JSON object. @local
std::string sums_text(const EventRecorder::Recording& all, const TraceOrigin& origin, std::int64_t end);

/// What stands before the events of all processes, between these and the sums, and at the end. @local
std::string file_begin();
std::string file_middle(int ranks, std::uint64_t job, bool is_complete);
std::string file_end();

}  // namespace tessera::detail::trace
