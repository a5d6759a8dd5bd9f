// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <fstream>
#include <string>

#include <tessera/runtime/types.hpp>

namespace tessera::test {

/// The bytes of memory available on this machine, which all ranks share; 0 if the system does not say. @local
inline index_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    if (word != "MemAvailable:") continue;
    index_t kilobytes = 0;
    file >> kilobytes;
    return kilobytes << 10;
  }
  return 0;
}

}  // namespace tessera::test
