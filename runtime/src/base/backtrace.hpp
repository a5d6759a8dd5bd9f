// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <pthread.h>

namespace tessera::detail {

/// Lets threads of this process be asked where they are: takes a real-time signal that nobody has a handler
/// for. False if there is none. @local
bool allow_backtraces();

/// Where a thread of this process is, the innermost call first; empty if it does not say within a second. One
/// caller at a time. @local
std::vector<void*> backtrace_of(pthread_t thread);

/// A line for each place: function, file and line where the program has debug information and addr2line is
/// there; else the file that holds it and the place there. @local
std::vector<std::string> describe(const std::vector<void*>& places);

}  // namespace tessera::detail
