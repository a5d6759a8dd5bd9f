// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <unistd.h>

namespace tessera::detail {

/// The name of this machine. @local
inline std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "(unknown)";
}

}  // namespace tessera::detail
