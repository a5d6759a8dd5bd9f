// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera::io::detail {

/// Identifies a process uniquely. Its number can be reused, but not with the same start in the same boot of the
/// host. All @local.
struct ProcessName {
  std::string host;
  long pid = 0;
  unsigned long long start = 0;  // in clock ticks since the boot
  std::string boot, date;

  static ProcessName of_this();
  /// Nothing unless `text` is what text() of some process gives.
  static std::optional<ProcessName> parse(std::string_view text);
  std::string text() const;
  bool is_on_this_host() const;
  /// Whether the process may still live. False only if it is known to have ended.
  bool may_live() const;
};

}  // namespace tessera::io::detail
