// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>

// The system's functions on files are counted, and can be refused to this process. See system_calls.cpp.
namespace tessera::test {

/// What happened since reset().
struct CountedCalls {
  std::atomic<int> reads = 0, writes = 0;
  std::atomic<std::size_t> largest = 0;  // bytes of a call
  void reset() { reads = 0, writes = 0, largest = 0; }
};
inline CountedCalls calls;

/// What the system refuses or delays.
struct Refusals {
  std::atomic<bool> threads = false, writes = false, reads = false;
  std::atomic<bool> is_partial = false;  // calls move at most 1000 bytes
  std::atomic<bool> holds = false;       // writes wait until it is false again
};
inline Refusals refuse;

}  // namespace tessera::test
