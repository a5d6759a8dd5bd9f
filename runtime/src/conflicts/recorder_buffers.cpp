// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/recorder.hpp"

// The part of Recorder for the local memory of asynchronous transfers.
namespace tessera::detail::conflicts {

void Recorder::note_buffer(Act act, std::uint64_t segment, int target, const Footprint& memory, Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (buffers_.is_empty() && ticket == 0) return;
  auto* other = buffers_.find(act, memory);
  if (other != nullptr && (ticket == 0 || other->ticket != ticket)) {
    report_buffer(*other, act == Act::get ? Misuse::filled : Misuse::read);
    other->is_reported = true;
  }
  if (ticket == 0) return;
  buffers_.add({memory, act, sites_.here(), ticket, segment, target});
  has_buffers_ = true;
}

void Recorder::report_buffer(const BuffersInFlight::FlyingBuffer& buffer, Misuse misuse) {
  const Site site = sites_.here();
  const auto found = segments_.find(buffer.segment);
  if (reported_buffers_.emplace(buffer.site, site).second && found != segments_.end())
    buffer_conflicts_.push_back({found->second.name, buffer.act, buffer.site, misuse, site});
}

void Recorder::launched(Ticket ticket, bool is_done) {
  const std::lock_guard lock(mutex_);
  buffers_.launched(ticket, is_done);
}

void Recorder::allocated(const void* memory, index_t bytes) {
  const std::lock_guard lock(mutex_);
  allocated_[memory] = bytes;
}

void Recorder::freed(const void* memory) {
  index_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = allocated_.find(memory);
    if (found == allocated_.end()) return;
    bytes = found->second;
    allocated_.erase(found);
  }
  const auto low = reinterpret_cast<index_t>(memory);
  freed({low, low + bytes});
}

void Recorder::freed(const ByteRange& memory) {
  const std::lock_guard lock(mutex_);
  buffers_.freed(memory, [&](BuffersInFlight::FlyingBuffer& buffer) {
    report_buffer(buffer, Misuse::freed);
    buffer.is_reported = true;
  });
}

std::vector<BufferConflict> Recorder::take_buffer_conflicts() {
  const std::lock_guard lock(mutex_);
  return std::exchange(buffer_conflicts_, {});
}

bool Recorder::has_buffer_conflicts() const {
  const std::lock_guard lock(mutex_);
  return !buffer_conflicts_.empty();
}

}  // namespace tessera::detail::conflicts
