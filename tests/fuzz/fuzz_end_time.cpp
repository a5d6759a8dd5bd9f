// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "checkpoint/end_time.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using std::chrono::duration_cast, std::chrono::seconds;
  const std::string text = tessera::fuzz::text_of(data, size);
  const auto end = tessera::io::detail::parse_end_time(text);
  if (!end) return 0;
  const auto since = duration_cast<seconds>(end->time_since_epoch()).count();
  tessera::fuzz::require(since > 0, "a job ends after 1970");
  const std::string digits = std::to_string(since);
  tessera::fuzz::require(text.ends_with(digits), "the end of a job is kept");
  return 0;
}
