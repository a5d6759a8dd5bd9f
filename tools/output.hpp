// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdio>

namespace output {

/// The exit status of a program whose own is `status`: 1 at least if its output could not be written, as on a
/// full device. Then a message is on standard error. @local
inline int status_with_output(const char* program, int status) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written) return status;
  std::fprintf(stderr,
               "%s: the output is not complete: standard output cannot be written (is its device full?)\n",
               program);
  return status == 0 ? 1 : status;
}

}  // namespace output
