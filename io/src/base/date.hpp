// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <ctime>
#include <string>

namespace tessera::io::detail {

/// Date and time in UTC, in ISO 8601 format: 2024-12-31T23:59:59Z. @local
inline std::string date_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
  return text.data();
}

}  // namespace tessera::io::detail
