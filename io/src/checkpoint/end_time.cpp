// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/end_time.hpp"

#include <charconv>
#include <cstdint>

namespace tessera::io::detail {

using Clock = std::chrono::system_clock;

std::optional<Clock::time_point> parse_end_time(std::string_view text) {
  std::int64_t seconds = 0;
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, seconds).ptr != end || seconds <= 0) return std::nullopt;
  // A time that the clock cannot represent is no end.
  if (seconds > duration_cast<std::chrono::seconds>(Clock::duration::max()).count()) return std::nullopt;
  return Clock::time_point(std::chrono::seconds(seconds));
}

}  // namespace tessera::io::detail
