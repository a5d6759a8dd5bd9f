// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <pthread.h>

namespace tessera::detail {

/// Prepares backtrace_of(): takes a real-time signal that has no handler yet. False if there is none. @local
bool allow_backtraces();

/// The call stack of a thread of this process, the innermost call first. Empty if the thread does not answer
/// within a second. One caller at a time. @local
std::vector<void*> backtrace_of(pthread_t thread);

/// A line for each place: function, file and line if the program has debug information and addr2line is
/// available. Otherwise it is the file that contains it and the place in that file. @local
std::vector<std::string> describe(const std::vector<void*>& places);

/// The first of these return addresses, the innermost first, that is outside Tessera and the standard library:
/// "main at fock.cpp:118". It looks through functions that were inlined. Without debug information it is the
/// first function outside Tessera, or else an address. @local
std::string describe_caller(const std::vector<void*>& places);

}  // namespace tessera::detail
