// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mutex>

#include <mpi.h>

// What there is once in a process, as MPI is: the lock of those that call it, and what its waits serve.
namespace tessera::detail::mpi {

/// Threads that call MPI where others may hold it; one, as there is one MPI in a process.
std::recursive_mutex& mutex() noexcept;

/// What a thread does while a collective call waits for the others: nobody may wait without letting his own
/// work.
class Idle {
 public:
  virtual ~Idle() = default;
  virtual void begin() noexcept = 0;
  virtual void serve() = 0;  // again and again
  virtual void end() noexcept = 0;
  /// Whether nobody else serves meanwhile. @local
  virtual bool is_needed() const noexcept = 0;
};
/// A wait here serves all of them, one for each Runtime that needs it; without one, it is in MPI.
/// @local
void while_waiting_serve(Idle& one);
void serve_no_more(Idle& one) noexcept;
/// Serves those that nobody else serves, but one. @local
void serve_others(const Idle& than);
/// A turn of a wait for processes of the same node, which may wait for one on another: serves those, where
/// nobody else does, or gives MPI a chance.
void wait_turn(MPI_Comm comm);
/// Whether such a turn serves others, which nobody else does. @local
bool has_to_serve() noexcept;
/// Whether collective calls serve somebody while they wait. @local
bool is_serving() noexcept;

/// While one lives, this thread serves all; only if is_serving().
class Serving {
 public:
  Serving();
  ~Serving();
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;
  void serve() { all_.serve(); }

 private:
  Idle& all_;
};

/// Serves until done() says so.
template <class Done>
void serve_until(Done&& done) {
  if (done()) return;
  Serving serving;
  do serving.serve();
  while (!done());
}

}  // namespace tessera::detail::mpi
