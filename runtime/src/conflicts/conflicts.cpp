// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/conflicts.hpp"

#include <tessera/runtime/detail/unchecked.hpp>

namespace tessera::detail::conflicts {
namespace {

Recorder& all() { return Recorder::instance(); }

// Calls f(range, shape) with the bytes of an access at its target: a shape if they are not contiguous, else
// null.
template <class F>
void at_target(const Strided& shape, index_t offset, F&& f) {
  if (shape.levels == 0) return f(ByteRange{offset, offset + shape.run}, nullptr);
  const Footprint where = footprint_of(shape, shape.remote_stride, offset);
  f(where.bounds(), where.levels == 0 ? nullptr : &where);
}

void note_local_side(Act act, std::uint64_t segment, int target, const Strided& shape, const void* local) {
  if (switches::asynchronous == 0 && !all().has_buffers()) return;
  all().note_buffer(act, segment, target,
                    footprint_of(shape, shape.local_stride, reinterpret_cast<index_t>(local)),
                    switches::asynchronous);
}

}  // namespace

void note_transfer(Act act, std::uint64_t segment, int target, index_t offset, const Strided& shape,
                   const void* local) {
  const Ticket ticket = switches::asynchronous;
  const Completes completes = act != Act::get ? Completes::by_flush
                              : ticket != 0   ? Completes::by_ticket
                                              : Completes::at_once;
  at_target(shape, offset, [&](const ByteRange& range, const Footprint* where) {
    all().note({act, segment, target, range, where, completes, ticket});
  });
  if (local != nullptr) note_local_side(act, segment, target, shape, local);
}

void note_update(Act act, std::uint64_t segment, int target, index_t offset, index_t bytes) {
  all().note({act, segment, target, {offset, offset + bytes}, nullptr, Completes::at_once});
  note_use({Means::Is::element, segment, target, offset});
}

void note_in_batch(Act act, std::uint64_t segment, int target, index_t offset, index_t bytes, Ticket batch) {
  all().note({act, segment, target, {offset, offset + bytes}, nullptr, Completes::by_flush_when_sent, batch});
  if (act == Act::update) note_use({Means::Is::element, segment, target, offset});
}

void note_fetch_in_batch(std::uint64_t segment, int target, index_t offset, index_t bytes) {
  all().note({Act::update,
              segment,
              target,
              {offset, offset + bytes},
              nullptr,
              Completes::by_ticket,
              switches::asynchronous});
  note_use({Means::Is::element, segment, target, offset});
}

void note_unsent(Ticket fetch) { all().unsent(fetch); }
void note_sent(Ticket batch) { all().sent(batch); }

void note_put_with_notice(std::uint64_t segment, int target, index_t offset, const Strided& shape,
                          const void* local, std::uint64_t notice) {
  if (shape.bytes() <= 0) return;
  at_target(shape, offset, [&](const ByteRange& range, const Footprint* where) {
    all().note({.act = Act::put,
                .segment = segment,
                .target = target,
                .range = range,
                .shape = where,
                .completes = Completes::by_flush,
                .notice = notice});
  });
  note_local_side(Act::put, segment, target, shape, local);
}

void note_local(Act act, std::uint64_t segment, int target, const std::byte* slice, index_t offset,
                const Strided& shape, Ticket ticket) {
  at_target(shape, offset, [&](const ByteRange& range, const Footprint* where) {
    all().note({act, segment, target, range, where, Completes::by_ticket, ticket, slice});
  });
}

Asynchronous::~Asynchronous() {
  switches::asynchronous = before_;
  if (ticket_ == 0 || is_handed_over_) return;
  try {
    all().complete(ticket_);
  } catch (...) {  // without memory for it, the access counts as not ended
  }
}

void note_unlock(const order::HeldMutex& mutex) { all().unlocked(mutex); }
void note_use(const Means& means) { all().use(means); }

}  // namespace tessera::detail::conflicts

namespace tessera::detail {

Unchecked::Unchecked() noexcept { ++conflicts::switches::internal; }
Unchecked::~Unchecked() { --conflicts::switches::internal; }

KnownAtEntry::KnownAtEntry() {
  if (!order::clocks_on()) return;
  clock_ = order::clock();
  before_ = order::release_as(&clock_);
}
KnownAtEntry::~KnownAtEntry() {
  if (!clock_.empty()) order::release_as(before_);
}

}  // namespace tessera::detail
