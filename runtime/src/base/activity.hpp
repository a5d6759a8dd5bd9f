// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pthread.h>

#include "trace/event_recorder.hpp"

// Records this process's activity for the watchdog (watchdog.hpp): its collective calls and the waits of its
// threads. While no Runtime asks for the record, a call only reads one word.
namespace tessera::detail::activity {

/// ask() starts the record and forget() ends it. With several Runtimes that ask, it ends with the last. @local
void ask();
void forget() noexcept;
bool is_asked() noexcept;

/// Records a collective call of this process; `call` is its text. @local
void called(std::string_view call);

/// The thread that constructs a Wait waits while the object exists.
class Wait {
 public:
  /// `what` must live for ever. `from` is the awaited rank in the world; -1: several, or unknown.
  explicit Wait(const char* what, int from = -1);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  bool noted_;
  trace::WaitTime time_;
};

struct WaitingThread {
  pthread_t thread;
  const char* what;
  int from;
  const Wait* where;  // the wait itself; waits nest, and the outermost comes first
};

struct Snapshot {
  std::uint64_t steps = 0;  // grows with each call and with each wait that begins or ends
  std::uint64_t calls = 0;  // collective calls
  std::string last_call;
  std::vector<WaitingThread> waits;
};

/// @local
Snapshot look();

}  // namespace tessera::detail::activity
