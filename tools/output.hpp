// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace output {

inline constexpr const char* problem =
    "the output is not complete: standard output cannot be written (is its device full?)";

/// The exit status of a program whose own is `status`: 1 at least if its output could not be written, as on a
/// full device. Then a message is on standard error. @local
inline int status_with_output(const char* program, int status) {
  const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_written) return status;
  std::fprintf(stderr, "%s: %s\n", program, problem);
  return status == 0 ? 1 : status;
}

/// In a handler of what fmt::print throws: throws that sentence instead if standard output is the reason.
/// @local
inline void explain_output(const char* program) {
  if (std::ferror(stdout) != 0) throw std::runtime_error(std::string(program) + ": " + problem);
}

}  // namespace output
