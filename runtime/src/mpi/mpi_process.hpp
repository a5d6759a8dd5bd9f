// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <mutex>

#include <mpi.h>

// Parts that exist once in a process, as MPI does: the lock for calls of MPI, and the work that waits do.
namespace tessera::detail::mpi {

/// Held by threads that call MPI while other threads may want to. There is one, as there is one MPI in a
/// process.
std::recursive_mutex& mutex() noexcept;

/// Work that a thread does while a collective call waits for other processes. A waiting process must still make
/// progress for them.
class Idle {
 public:
  virtual ~Idle() = default;
  virtual void begin() noexcept = 0;
  virtual void serve() = 0;  // called repeatedly
  virtual void end() noexcept = 0;
  /// Whether no other thread serves meanwhile. @local
  virtual bool is_needed() const noexcept = 0;
};
/// Adds an Idle that every wait here serves; there is one for each Runtime that needs it. Without any, a wait
/// blocks in MPI.
/// @local
void while_waiting_serve(Idle& one);
void serve_no_more(Idle& one) noexcept;
/// Serves every Idle that no other thread serves, except `than`. @local
void serve_others(const Idle& than);
/// One turn of a wait for processes of the same node, which may in turn wait for a process on another node. It
/// serves if has_to_serve(); otherwise it lets MPI make progress.
void wait_turn(MPI_Comm comm);
/// Whether such a turn has to serve, because no other thread does. @local
bool has_to_serve() noexcept;
/// Whether collective calls have anything to serve while they wait. @local
bool is_serving() noexcept;

/// While it exists, this thread serves every Idle. Only if is_serving().
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

/// Serves until done() is true.
template <class Done>
void serve_until(Done&& done) {
  if (done()) return;
  Serving serving;
  do serving.serve();
  while (!done());
}

}  // namespace tessera::detail::mpi
