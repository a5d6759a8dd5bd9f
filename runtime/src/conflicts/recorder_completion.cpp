// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/recorder.hpp"

// The part of Recorder for what completes accesses, and for synchronisations while local accesses are open. A
// program may have thousands of segments and of accesses, so a call for a whole group looks at each access
// once.
namespace tessera::detail::conflicts {

// A local access has one range or one shape.
Footprint Recorder::Open::where() const noexcept {
  return access->shapes.empty() ? footprint_of(access->ranges.front()) : access->shapes.front();
}

bool Recorder::Open::has_changed() const noexcept {
  return slice == nullptr || access->act != Act::write_locally || hash_of(where(), slice) != contents;
}

bool Recorder::is_of(std::uint64_t group, std::uint64_t segment) const {
  const auto found = segments_.find(segment);
  return found != segments_.end() && (group == 0 || found->second.group == group);
}

void Recorder::complete(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  buffers_.release(ticket, [&](const auto& buffer, Misuse misuse) { report_buffer(buffer, misuse); });
  has_buffers_ = !buffers_.is_empty();
  const auto found = tickets_.find(ticket);
  if (found == tickets_.end()) return;
  now();
  for (const Open& open : found->second) {
    if (open.is_suspended) continue;
    if (!open.has_changed()) open.access->act = Act::read_locally;
    finish(open.access);
  }
  tickets_.erase(found);
  keep_within_limit();
}

void Recorder::unsent(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (const auto fetches = tickets_.find(ticket); fetches != tickets_.end()) {
    for (Open& open : fetches->second) open.is_unsent = true;
  }
}

void Recorder::sent(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (const auto fetches = tickets_.find(ticket); fetches != tickets_.end()) {
    for (Open& open : fetches->second) open.is_unsent = false;
  }
  const auto found = unsent_.find(ticket);
  if (found == unsent_.end()) return;
  now();
  forget_recent();
  std::erase_if(alike_, [&](const auto& one) { return one.first.batch == ticket; });
  for (const Shared& access : found->second) keep(access, true);
  unsent_.erase(found);
}

template <class IsMeant>
void Recorder::flush_those(const IsMeant& is_meant) {
  const std::lock_guard lock(mutex_);
  now();
  const auto is_flushed = [&](const Access& access) { return is_meant(access.segment, access.target); };
  // Later accesses are not complete, so they are no longer like these.
  forget_recent();
  std::erase_if(alike_,
                [&](const auto& one) { return one.first.completes_by_flush && is_flushed(*one.second); });
  const auto move = [&](const Shared& access) {
    if (!is_flushed(*access)) return false;
    finish(access);
    return true;
  };
  std::erase_if(incomplete_, move);
  buffers_.release([&](const auto& buffer) { return is_meant(buffer.segment, buffer.target); },
                   [&](const auto& buffer, Misuse misuse) { report_buffer(buffer, misuse); });
  has_buffers_ = !buffers_.is_empty();
  // A flush completes gets, too, but does not end a local access.
  for (auto& [ticket, accesses] : tickets_)
    std::erase_if(accesses, [&](const Open& open) {
      return open.slice == nullptr && !open.is_unsent && move(open.access);
    });
}

void Recorder::flush(std::uint64_t segment, int target) {
  flush_those([&](std::uint64_t one, int rank) { return one == segment && (target < 0 || rank == target); });
}

void Recorder::flush_all(std::uint64_t group) {
  flush_those([&](std::uint64_t one, int /*rank*/) { return is_of(group, one); });
}

void Recorder::unlocked(const order::HeldMutex& mutex) {
  const std::lock_guard lock(mutex_);
  for (auto& [ticket, accesses] : tickets_) {
    for (Open& open : accesses) {
      if (open.slice != nullptr || open.is_unsent) std::erase(open.access->mutexes, mutex);
    }
  }
  for (auto& [ticket, accesses] : unsent_) {
    for (const Shared& access : accesses) std::erase(access->mutexes, mutex);
  }
  // What comes under the mutex again is not like these.
  if (!unsent_.empty()) std::erase_if(alike_, [](const auto& one) { return one.first.batch != 0; });
}

template <class IsMeant>
void Recorder::suspend_those(const IsMeant& is_meant) {
  const std::lock_guard lock(mutex_);
  now();
  for (auto& [ticket, accesses] : tickets_) {
    for (Open& open : accesses) {
      if (open.slice == nullptr || open.is_suspended || !is_meant(open.access->segment)) continue;
      if (!open.has_changed()) open.access->act = Act::read_locally;
      finish(open.access);
      open.is_suspended = true;
    }
  }
}

void Recorder::suspend(std::uint64_t segment) {
  suspend_those([&](std::uint64_t one) { return one == segment; });
}
void Recorder::suspend_all(std::uint64_t group) {
  suspend_those([&](std::uint64_t one) { return is_of(group, one); });
}

template <class IsMeant>
void Recorder::resume_those(const IsMeant& is_meant) {
  const std::lock_guard lock(mutex_);
  now();
  for (auto& [ticket, accesses] : tickets_) {
    for (Open& open : accesses) {
      if (open.slice == nullptr || !is_meant(open.access->segment)) continue;
      const Access& before = *open.access;
      const Footprint where = open.where();
      // Ghost cells were changed by the call, and not by an access that began meanwhile.
      if (open.writes) open.contents = hash_of(where, open.slice);
      if (!open.is_suspended) continue;
      const Shared access =
          new_access({before.segment, before.target, open.writes ? Act::write_locally : Act::read_locally,
                      before.site, stamp_, clock_.get(), false, false, 0, before.notice, before.mutexes});
      access->last_begun = ++moment_;
      access->add(where);
      memory_ += access->bytes_of_memory();
      open.access = access;
      open.is_suspended = false;
    }
  }
}

void Recorder::resume(std::uint64_t segment) {
  resume_those([&](std::uint64_t one) { return one == segment; });
}
void Recorder::resume_all(std::uint64_t group) {
  resume_those([&](std::uint64_t one) { return is_of(group, one); });
}

}  // namespace tessera::detail::conflicts
