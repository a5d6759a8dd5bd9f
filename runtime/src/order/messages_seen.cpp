// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/messages_seen.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "order/unseen_order.hpp"

namespace tessera::detail::order {
namespace {

// Clocks that are on their way, with the memory that they are in.
struct ClocksUnderWay {
  std::mutex mutex;
  std::deque<std::pair<VectorClock, MPI_Request>> list;
};
ClocksUnderWay& clocks_under_way() {
  static auto* one = new ClocksUnderWay;
  return *one;
}

int components_of(const VectorClock& clock) noexcept { return static_cast<int>(clock.size()); }

}  // namespace

void send_clock(Shadow& shadow, int rank, int tag) {
  ClocksUnderWay& under_way = clocks_under_way();
  const std::scoped_lock lock(under_way.mutex);
  for (int sent = 1; !under_way.list.empty() && sent != 0;) {
    PMPI_Test(&under_way.list.front().second, &sent, MPI_STATUS_IGNORE);
    if (sent != 0) under_way.list.pop_front();
  }
  auto& [clock, request] = under_way.list.emplace_back(release_clock(), MPI_REQUEST_NULL);
  PMPI_Isend(clock.data(), components_of(clock), MPI_UINT64_T, rank, tag, shadow.comm(), &request);
}

Receive::Receive(std::shared_ptr<Shadow> shadow, int source, int tag)
    : shadow_(std::move(shadow)), source_(source), tag_(tag) {
  const std::scoped_lock lock(shadow_->mutex);
  const auto& open = shadow_->open;
  const bool is_known = source != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
  if (is_known &&
      std::none_of(open.begin(), open.end(), [&](const Receive* one) { return one->could_match(source, tag); }))
    post(source, tag);
  else
    shadow_->open.push_back(this);
}

Receive::~Receive() { leave_lists(); }

bool Receive::could_match(int source, int tag) const noexcept {
  const auto meets = [](int a, int b, int any) { return a == b || a == any || b == any; };
  return meets(source_, source, MPI_ANY_SOURCE) && meets(tag_, tag, MPI_ANY_TAG);
}

void Receive::leave_lists() noexcept {
  const std::scoped_lock lock(shadow_->mutex);
  shadow_->open.remove(this);
  shadow_->posted.remove(this);
}

// The clock that has come for the next receive of that source and tag.
std::list<ClockReceive>::iterator Receive::kept_of(Shadow& shadow, int source, int tag) {
  return std::find_if(shadow.kept.begin(), shadow.kept.end(),
                      [&](const ClockReceive& one) { return one.is_of(source, tag); });
}

void Receive::post(int source, int tag) {
  is_posted_ = true;
  const auto first = kept_of(*shadow_, source, tag);
  if (first == shadow_->kept.end()) {
    clock_ = ClockReceive(shadow_->comm(), source, tag);
  } else {
    clock_ = std::move(*first);
    shadow_->kept.erase(first);
  }
  shadow_->posted.push_back(this);
}

void Receive::arrived(const MPI_Status& status) noexcept {
  has_arrived_ = true;
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  is_cancelled_ = cancelled != 0;
  if (is_cancelled_) return;
  source_ = status.MPI_SOURCE;
  tag_ = status.MPI_TAG;
}

// Only for a receive that is matched or cancelled, so that it completes.
void Receive::await_message() noexcept {
  MPI_Status status;
  for (int done = 0; !has_arrived_ && real_ != MPI_REQUEST_NULL;) {
    PMPI_Request_get_status(real_, &done, &status);
    if (done != 0) arrived(status);
  }
}

// A later receive has got a message that this one could have matched, so this one is matched.
void Receive::resolve() {
  await_message();
  const bool is_known = source_ != MPI_ANY_SOURCE && tag_ != MPI_ANY_TAG;
  if (is_known && !is_cancelled_) {
    resolve_before(*shadow_, this, source_, tag_);
    post(source_, tag_);
  }
  shadow_->open.remove(this);
}

// Later receives of the same source and tag each take the clock of the one before them. The last one's is not
// needed now.
void Receive::give_up_clock() {
  auto& posted = shadow_->posted;
  const auto own = std::find(posted.begin(), posted.end(), this);
  if (own == posted.end()) return;
  for (auto later = std::next(own); later != posted.end(); ++later) {
    if ((*later)->clock_.is_of(clock_.source(), clock_.tag())) std::swap(clock_, (*later)->clock_);
  }
  posted.erase(own);
  if (!clock_.cancel()) shadow_->kept.push_front(std::move(clock_));
}

// A message of that source with that tag has come to a later receive.
void Receive::drop_cancelled(Shadow& shadow, int source, int tag) {
  const auto is_one = [&](Receive* one) { return one->is_cancelling_ && one->clock_.is_of(source, tag); };
  const auto all = shadow.posted;
  for (Receive* const one : all) {
    if (!is_one(one)) continue;
    one->await_message();
    if (one->is_cancelled_) one->give_up_clock();
  }
}

void Receive::freed() {
  const std::scoped_lock lock(shadow_->mutex);
  if (is_cancelling_) await_message();
  if (is_cancelled_) return give_up_clock();
  if (!is_posted_ && has_arrived_) resolve();
  if (!is_posted_) return note_unseen_order("MPI_Request_free of a receive whose message is not known", true);
  drop_cancelled(*shadow_, clock_.source(), clock_.tag());  // which may leave theirs to this one
  shadow_->unwanted.push_back(std::move(clock_));
}

void Receive::resolve_before(Shadow& shadow, const Receive* last, int source, int tag) {
  for (auto next = shadow.open.begin(); next != shadow.open.end() && *next != last;) {
    Receive* const one = *next;
    if (!one->could_match(source, tag)) {
      ++next;
      continue;
    }
    one->resolve();  // changes the list
    next = shadow.open.begin();
  }
}

void Receive::finish() {
  {
    const std::scoped_lock lock(shadow_->mutex);
    if (!is_posted_ && !is_cancelled_) resolve();
    if (is_cancelled_)
      give_up_clock();
    else
      drop_cancelled(*shadow_, source_, tag_);
    leave_lists();
  }
  if (!is_cancelled_) clock_.finish();
}

// Receives that were posted earlier and could match the message have got others, or are cancelled.
void Receive::settle_earlier(Shadow& shadow, int source, int tag) {
  resolve_before(shadow, nullptr, source, tag);
  drop_cancelled(shadow, source, tag);
}

void take_clock(const std::shared_ptr<Shadow>& shadow, int source, int tag) {
  {
    const std::scoped_lock lock(shadow->mutex);
    Receive::settle_earlier(*shadow, source, tag);
  }
  Receive(shadow, source, tag).finish();
}

void peek_clock(Shadow& shadow, MPI_Comm comm, int source, int tag) {
  const std::scoped_lock lock(shadow.mutex);
  Receive::settle_earlier(shadow, source, tag);
  auto clock = Receive::kept_of(shadow, source, tag);
  for (int is_there = 1, has_come = 0; clock == shadow.kept.end() && is_there != 0;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    PMPI_Improbe(source, tag, shadow.comm(), &has_come, &message, MPI_STATUS_IGNORE);
    if (has_come != 0)
      clock = shadow.kept.emplace(clock, &message, source, tag);
    else
      PMPI_Iprobe(source, tag, comm, &is_there, MPI_STATUS_IGNORE);
  }
  if (clock != shadow.kept.end()) clock->peek();
}

}  // namespace tessera::detail::order
