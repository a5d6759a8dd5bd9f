// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <pthread.h>

// What this process does, for the watchdog (watchdog.hpp): its collective calls and what its threads wait for.
// It costs one look at a word as long as nobody asks.
namespace tessera::detail::activity {

/// Begins, and ends, to write down what happens; as often as there are Runtimes that ask. @local
void ask();
void forget() noexcept;
bool is_asked() noexcept;

/// The text of a collective call that this process makes. @local
void called(std::string_view call);

/// A thread waits as long as one lives.
class Wait {
 public:
  /// `what` lives for ever. `from`: the rank in the world that is waited for; -1: several, or unknown.
  explicit Wait(const char* what, int from = -1);
  ~Wait();
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

 private:
  bool noted_;
};

struct WaitingThread {
  pthread_t thread;
  const char* what;
  int from;
  const Wait* where;  // one waits inside another: the outermost comes first
};

struct Snapshot {
  std::uint64_t steps = 0;  // grows with each call and with each wait that begins or ends
  std::uint64_t calls = 0;  // collective ones
  std::string last_call;
  std::vector<WaitingThread> waits;
};

/// @local
Snapshot look();

}  // namespace tessera::detail::activity
