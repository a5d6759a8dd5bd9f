// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace tessera::detail {

/// A collective call, as members compare it and the watchdog shows it.
struct CollectiveCall {
  std::string name;
  std::uint64_t fingerprint = 0;  // of the arguments
  std::string arguments = {};     // as text
};

/// The number of observers of this process's collective calls. While there are none, no call is described, as
/// that would take longer than a short call itself.
extern std::atomic<int> call_watchers;

}  // namespace tessera::detail
