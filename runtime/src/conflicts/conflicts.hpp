// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/runtime/strided.hpp>

#include "conflicts/recorder.hpp"

// What the runtime tells the checker of conflicts (TESSERA_DEBUG=conflicts). All calls are @local, and only
// made while `on`.
namespace tessera::detail::conflicts {

namespace switches {
// Changes only while the Runtime starts or ends.
inline std::atomic<bool> on{false};
// With another model, a shared library would call a function for each use.
inline thread_local int internal __attribute__((tls_model("initial-exec"))) = 0;
inline thread_local Ticket asynchronous = 0;
}  // namespace switches

/// Whether accesses are checked.
inline bool on() noexcept { return switches::on.load(std::memory_order_relaxed); }
/// Whether accesses to a segment are to be noted, by its number among checked segments.
inline bool notes(std::uint64_t segment) noexcept { return on() && segment != 0 && switches::internal == 0; }

/// While it lives, accesses of this thread are asynchronous: they and their buffers end with the ticket.
class Asynchronous {
 public:
  Asynchronous() : before_(switches::asynchronous) {
    if (on()) switches::asynchronous = ticket_ = Recorder::instance().new_ticket();
  }
  Asynchronous(const Asynchronous&) = delete;
  Asynchronous& operator=(const Asynchronous&) = delete;
  /// An operation that has thrown is over.
  ~Asynchronous();
  /// For the request that will end the accesses; 0 if nothing is noted.
  Ticket hand_over() noexcept {
    is_handed_over_ = true;
    return ticket_;
  }

 private:
  Ticket before_, ticket_ = 0;
  bool is_handed_over_ = false;
};

/// A transfer between a slice and local memory.
void note_transfer(Act act, std::uint64_t segment, int target, index_t offset, const Strided& shape,
                   const void* local);
/// A read-modify-write of one element.
void note_update(Act act, std::uint64_t segment, int target, index_t offset, index_t bytes);
/// An operation of a batch that fetches nothing; its ticket is for note_sent().
void note_in_batch(Act act, std::uint64_t segment, int target, index_t offset, index_t bytes, Ticket batch);
/// An update of a batch that fetches; it is Asynchronous.
void note_fetch_in_batch(std::uint64_t segment, int target, index_t offset, index_t bytes);
/// What fetches under this ticket is of a batch: it too is completed by no flush before note_sent().
void note_unsent(Ticket fetch);
/// The batch is sent: from now on flushes complete its operations.
void note_sent(Ticket batch);
/// A put that is complete for whoever has heard of its notice (order/clock.hpp), and for all others after a
/// flush.
void note_put_with_notice(std::uint64_t segment, int target, index_t offset, const Strided& shape,
                          const void* local, std::uint64_t notice);
/// An access by loads and stores, which ends with the ticket. `slice` is the target's. An access for writing
/// that has changed nothing counts as one for reading.
void note_local(Act act, std::uint64_t segment, int target, const std::byte* slice, index_t offset,
                const Strided& shape, Ticket ticket);
/// The release of a mutex: it protects local accesses that go on no longer.
void note_unlock(const order::HeldMutex& mutex);
/// The use of something that may order processes without the clocks.
void note_use(const Means& means);

}  // namespace tessera::detail::conflicts
