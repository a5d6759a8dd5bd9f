// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "completion/outstanding.hpp"

#include <algorithm>

#include "conflicts/recorder.hpp"
#include "mpi/terminate.hpp"

namespace tessera::detail {
namespace {

constexpr std::size_t max_transfers = 64;        // of a process
constexpr index_t max_kept = index_t{32} << 20;  // bytes of their buffers

}  // namespace

void Outstanding::abandon() noexcept {
  for (const Launched& one : queue_) one.pending->abandon();
}

bool Outstanding::are_too_many() const noexcept {
  index_t kept = 0;
  for (const Launched& one : queue_) kept += one.pending->kept();
  return queue_.size() > max_transfers || kept > max_kept;
}

Request Outstanding::launch(std::shared_ptr<Pending> pending, Returns returns) {
  Request request;
  if (pending->is_empty()) return request;
  pending->enter(*this);
  const bool moves = pending->needs_moving();
  queue_.push_back({pending, moves});
  count_ = queue_.size();
  if (moves) {
    ++moving_;
    if (attendant_ != nullptr && returns == Returns::early) attendant_->look_after();
  }
  request.parts_.push_back(std::move(pending));
  // The new one is already in the queue, and so moves on meanwhile: the oldest may wait for an agent's buffers
  // that it holds.
  while (queue_.size() > 1 && are_too_many()) {
    const auto oldest = queue_.front().pending;
    complete(*oldest);
  }
  return request;
}

void Outstanding::add_ticket(Request& request, std::uint64_t ticket, bool has_begun) {
  if (ticket == 0) return;
  const bool is_done = has_begun && std::all_of(request.parts_.begin(), request.parts_.end(),
                                                [](const auto& part) { return part->is_done(); });
  conflicts::Recorder::instance().launched(ticket, is_done);
  auto access = std::make_shared<Pending>();
  access->has_ticket(ticket);
  access->abandon();  // there is nothing to wait for
  request.parts_.push_back(std::move(access));
}

void Outstanding::remove(const Pending& one) noexcept {
  const auto found = std::find_if(queue_.begin(), queue_.end(),
                                  [&](const Launched& other) { return other.pending.get() == &one; });
  if (found == queue_.end()) return;
  if (found->moves) --moving_;
  queue_.erase(found);
  count_ = queue_.size();
}

bool Outstanding::advance(Pending& one) {
  try {
    if (!one.advance()) return false;
  } catch (...) {
    remove(one);
    throw;
  }
  remove(one);
  return true;
}

// An error of another's transfer must not end the wait of this thread, which may have memory at MPI, nor be
// lost.
bool Outstanding::advance_all() noexcept try {
  const std::size_t before = queue_.size();
  for (std::size_t i = 0; i < queue_.size();) {
    const auto pending = queue_[i].pending;  // a copy: advance() removes a done one from the queue
    if (!advance(*pending)) ++i;
  }
  return queue_.size() != before;
} catch (...) {
  abort_by_current_exception("an asynchronous transfer failed: ");
}

void Outstanding::complete(Pending& one) {
  const auto done = [&] { return advance(one); };
  if (attendant_ != nullptr) return attendant_->wait_for(one.agent(), done);
  while (!done()) {
  }
}

}  // namespace tessera::detail
