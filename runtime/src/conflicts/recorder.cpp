// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "conflicts/recorder.hpp"

#include <algorithm>
#include <cstdio>

#include "format.hpp"

namespace tessera::detail::conflicts {

Recorder& Recorder::instance() {
  // Threads and static objects may use it while the process ends.
  static auto* one = new Recorder;
  return *one;
}

void Recorder::start(int world_rank, index_t limit) {
  const std::lock_guard lock(mutex_);
  world_rank_ = world_rank;
  limit_ = limit;
  dropped_ = 0;
  reported_buffers_.clear();
  uses_.clear();
}

namespace {

index_t memory_of(const order::VectorClock& clock) noexcept {
  return static_cast<index_t>(sizeof(order::VectorClock) + clock.size() * sizeof clock[0]);
}

}  // namespace

// The clock changes only when the process synchronises, so accesses between share one copy.
const std::shared_ptr<const order::VectorClock>& Recorder::now() {
  const std::uint64_t version = order::clock_version();
  if (version != clock_version_) {
    order::VectorClock all = order::clock();
    // The own component says nothing about others: without it, more accesses share the copy.
    all[static_cast<std::size_t>(world_rank_)] = 0;
    if (clock_ == nullptr || *clock_ != all) {
      clock_memory_ += memory_of(all);
      clock_ = {new order::VectorClock(std::move(all)), [this](const order::VectorClock* clock) {
                  clock_memory_ -= memory_of(*clock);
                  delete clock;
                }};
    }
    clock_version_ = version;
  }
  if (const std::uint64_t stamp = order::stamp(); stamp != stamp_ || version != recent_version_) {
    stamp_ = stamp;
    recent_version_ = version;
    forget_recent();
    alike_.clear();
  }
  return clock_;
}

Recorder::Shared Recorder::new_access(const Alike& alike) const {
  auto access = std::make_shared<Access>();
  access->segment = alike.segment;
  access->target = alike.target;
  access->author = world_rank_;
  access->act = alike.act;
  access->site = alike.site;
  access->is_async = alike.is_async;
  access->is_in_batch = alike.batch != 0;
  access->notice = alike.notice;
  access->begun = alike.begun;
  access->seen = clock_;
  access->mutexes = alike.mutexes;
  return access;
}

Recorder::Recent& Recorder::recent(const Alike& alike) noexcept {
  const std::size_t place =
      5 * alike.site + 3 * static_cast<std::size_t>(alike.target) + static_cast<std::size_t>(alike.act);
  return recent_[place % recent_.size()];
}

bool Recorder::Recent::is(const Alike& alike) const noexcept {
  return access != nullptr && site == alike.site && target == alike.target && act == alike.act &&
         segment == alike.segment && is_async == alike.is_async &&
         completes_by_flush == alike.completes_by_flush && batch == alike.batch && notice == alike.notice &&
         alike.mutexes.empty();
}

Access& Recorder::access_like(const Alike& alike) {
  const auto [found, is_new] = alike_.try_emplace(alike);
  if (is_new) {
    const Shared access = found->second = new_access(alike);
    if (alike.batch != 0)
      unsent_[alike.batch].push_back(access);
    else
      (alike.completes_by_flush ? incomplete_ : accesses_).push_back(access);
    memory_ += access->bytes_of_memory();
  }
  return *found->second;
}

template <class Where>
void Recorder::add_to(Access& access, const Where& where) {
  const index_t before = access.bytes_of_memory();
  access.add(where);
  memory_ += access.bytes_of_memory() - before;
}

void Recorder::note(const Noted& noted) {
  const std::lock_guard lock(mutex_);
  const auto& seen = now();
  const bool is_in_batch = noted.completes == Completes::by_flush_when_sent,
             is_local = noted.act == Act::read_locally || noted.act == Act::write_locally;
  Alike alike{noted.segment,
              noted.target,
              noted.act,
              sites_.here(),
              stamp_,
              seen.get(),
              noted.ticket != 0 && !is_local && !is_in_batch && noted.act != Act::update,
              noted.completes == Completes::by_flush,
              is_in_batch ? noted.ticket : 0,
              noted.notice,
              order::held_mutexes()};
  ++moment_;
  if (noted.completes == Completes::by_ticket) {
    const Shared access = new_access(alike);
    access->last_begun = moment_;
    noted.shape == nullptr ? access->add(noted.range) : access->add(*noted.shape);
    memory_ += access->bytes_of_memory();
    Open open{access, noted.slice};
    open.writes = noted.act == Act::write_locally;
    if (open.writes) open.contents = hash_of(open.where(), noted.slice);
    tickets_[noted.ticket].push_back(open);
  } else {
    Recent& known = recent(alike);
    Access& access = known.is(alike) ? *known.access : access_like(alike);
    if (alike.mutexes.empty()) {
      known = {&access,
               alike.segment,
               alike.target,
               alike.site,
               alike.act,
               alike.is_async,
               alike.completes_by_flush,
               alike.batch,
               alike.notice};
    }
    noted.shape == nullptr ? add_to(access, noted.range) : add_to(access, *noted.shape);
    access.last_begun = moment_;
    if (noted.completes == Completes::at_once) complete_now(access);
  }
  keep_within_limit();
}

void Recorder::keep_within_limit() {
  if (memory() <= limit_) return;
  if (dropped_ == 0) {
    std::fputs(
        formatted(
            "Tessera: rank {} has recorded more accesses than fit into its limit, and forgets the oldest; "
            "conflicts with these are not found (TESSERA_DEBUG=conflicts:1G sets another limit)\n",
            world_rank_)
            .c_str(),
        stderr);
  }
  // These keep accesses, and their clocks.
  forget_recent();
  alike_.clear();
  // Some room is made, so that not every access drops one.
  while (!accesses_.empty() && memory() > limit_ - limit_ / 8) {
    memory_ -= accesses_.front()->bytes_of_memory();
    accesses_.pop_front();
    ++dropped_;
  }
  while (!incomplete_.empty() && memory() > limit_) {
    memory_ -= incomplete_.front()->bytes_of_memory();
    incomplete_.pop_front();
    ++dropped_;
  }
}

Ticket Recorder::new_ticket() {
  const std::lock_guard lock(mutex_);
  return ++last_ticket_;
}

void Recorder::complete_now(Access& access) const noexcept {
  if (access.completed == 0) access.first_completed = moment_;
  access.completed = stamp_;
}

// Without a synchronisation since it began, an access is like those that were kept before.
void Recorder::keep(const Shared& access, bool completes_by_flush) {
  auto& kept = completes_by_flush ? incomplete_ : accesses_;
  if (access->seen != clock_ || access->begun != stamp_) return kept.push_back(access);
  const auto [found, is_new] = alike_.try_emplace(
      {access->segment, access->target, access->act, access->site, access->begun, access->seen.get(),
       access->is_async, completes_by_flush, 0, access->notice, access->mutexes},
      access);
  if (is_new) return kept.push_back(access);
  memory_ -= access->bytes_of_memory();
  Access& alike = *found->second;
  alike.last_begun = std::max(alike.last_begun, access->last_begun);
  if (!completes_by_flush) complete_now(alike);
  add_to(alike, *access);
}

void Recorder::finish(const Shared& access) {
  ++moment_;
  complete_now(*access);
  keep(access, false);
}

void Recorder::use(const Means& means) {
  const std::lock_guard lock(mutex_);
  const auto& seen = now();
  uses_.add(means, world_rank_, {++moment_, stamp_, seen});
}

void Recorder::use_call(const std::string& call, bool lasts) {
  const std::lock_guard lock(mutex_);
  const auto& seen = now();
  uses_.add_call(call, lasts, world_rank_, {++moment_, stamp_, seen});
}

void Recorder::add(std::uint64_t segment, SegmentFacts facts) {
  const std::lock_guard lock(mutex_);
  segments_[segment] = std::move(facts);
}

void Recorder::describe(std::uint64_t segment,
                        std::function<std::string(int rank, const std::vector<ByteRange>& runs)> describe) {
  const std::lock_guard lock(mutex_);
  if (const auto found = segments_.find(segment); found != segments_.end())
    found->second.describe = std::move(describe);
}

void Recorder::forget(std::uint64_t segment) {
  const std::lock_guard lock(mutex_);
  const auto drop = [&](const Shared& access) {
    if (access->segment != segment) return false;
    memory_ -= access->bytes_of_memory();
    return true;
  };
  std::erase_if(accesses_, drop);
  std::erase_if(incomplete_, drop);
  for (auto& [ticket, accesses] : unsent_) std::erase_if(accesses, drop);
  for (auto& [ticket, accesses] : tickets_)
    std::erase_if(accesses, [&](const Open& open) {
      return open.is_suspended ? open.access->segment == segment : drop(open.access);
    });
  forget_recent();
  std::erase_if(alike_, [&](const auto& one) { return one.first.segment == segment; });
  buffers_.release([&](const auto& buffer) { return buffer.segment == segment; },
                   [&](const auto& buffer, Misuse misuse) { report_buffer(buffer, misuse); });
  has_buffers_ = !buffers_.is_empty();
  segments_.erase(segment);
}

const SegmentFacts* Recorder::facts(std::uint64_t segment) const {
  const std::lock_guard lock(mutex_);
  const auto found = segments_.find(segment);
  return found == segments_.end() ? nullptr : &found->second;
}

std::vector<std::shared_ptr<Access>> Recorder::take(std::uint64_t group) {
  const std::lock_guard lock(mutex_);
  std::vector<Shared> taken;
  const auto take = [&](const Shared& access) {
    if (!is_of(group, access->segment)) return false;
    memory_ -= access->bytes_of_memory();
    access->compress();
    taken.push_back(access);
    if (access->completed == 0) memory_ += access->bytes_of_memory();
    return access->completed != 0;
  };
  std::erase_if(accesses_, take);
  for (const Shared& access : incomplete_) take(access);
  for (const auto& [ticket, accesses] : unsent_) {
    for (const Shared& access : accesses) take(access);
  }
  for (auto& [ticket, accesses] : tickets_) {
    for (const Open& open : accesses) {
      if (open.is_suspended) continue;
      const std::size_t before = taken.size();
      take(open.access);
      if (taken.size() == before || open.has_changed()) continue;
      taken.back() = std::make_shared<Access>(*open.access);
      taken.back()->act = Act::read_locally;
    }
  }
  forget_recent();
  alike_.clear();
  return taken;
}

std::string Recorder::text_of(const Means& means) const {
  const auto found = segments_.find(means.segment);
  const std::string name =
      found == segments_.end() ? "a closed segment" : formatted("\"{}\"", found->second.name);
  const bool is_any = means.place < 0;
  switch (means.is) {
    case Means::Is::mutex:
      return is_any ? formatted("mutexes of {}", name) : formatted("mutex {} of {}", means.place, name);
    case Means::Is::scalar:
      return is_any ? formatted("scalars of {}", name)
                    : formatted("a scalar of {} at rank {} (byte {})", name, means.rank, means.place);
    case Means::Is::element:
      return is_any ? formatted("atomic operations on elements of {}", name)
                    : formatted("atomic operations on an element of {} at rank {} (byte {})", name, means.rank,
                                means.place);
    case Means::Is::call:
      break;
  }
  return {};
}

std::vector<UnseenUse> Recorder::uses() {
  const std::lock_guard lock(mutex_);
  return uses_.all([&](const Means& means) { return text_of(means); });
}

bool Recorder::holds_accesses() const {
  const std::lock_guard lock(mutex_);
  return !accesses_.empty();
}

void Recorder::forget_uses() {
  const std::lock_guard lock(mutex_);
  uses_.forget();
}

const std::string& Recorder::text(Site site) {
  const std::lock_guard lock(mutex_);
  return sites_.text(site);
}

std::uint64_t Recorder::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace tessera::detail::conflicts
