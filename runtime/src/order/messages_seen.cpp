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
  is_listed_ = !is_posted_;
  if (is_listed_) shadow_->open.push_back(this);
}

Receive::~Receive() {
  leave_list();
  if (clocks_ == MPI_REQUEST_NULL) return;
  PMPI_Cancel(&clocks_);
  PMPI_Wait(&clocks_, MPI_STATUS_IGNORE);
}

bool Receive::could_match(int source, int tag) const noexcept {
  const auto meets = [](int a, int b, int any) { return a == b || a == any || b == any; };
  return meets(source_, source, MPI_ANY_SOURCE) && meets(tag_, tag, MPI_ANY_TAG);
}

void Receive::leave_list() noexcept {
  if (!is_listed_) return;
  const std::scoped_lock lock(shadow_->mutex);
  shadow_->open.remove(this);
  is_listed_ = false;
}

void Receive::post(int source, int tag) {
  is_posted_ = true;
  clock_.resize(clock().size());
  PMPI_Irecv(clock_.data(), components_of(clock_), MPI_UINT64_T, source, tag, shadow_->comm(), &clocks_);
}

void Receive::arrived(const MPI_Status& status) noexcept {
  has_arrived_ = true;
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  is_cancelled_ = cancelled != 0;
  source_ = status.MPI_SOURCE;
  tag_ = status.MPI_TAG;
}

// A later receive has got a message that this one could have matched, so this one is matched and will complete.
void Receive::resolve() {
  MPI_Status status;
  for (int done = 0; !has_arrived_ && real_ != MPI_REQUEST_NULL;) {
    PMPI_Request_get_status(real_, &done, &status);
    if (done != 0) arrived(status);
  }
  const bool is_known = source_ != MPI_ANY_SOURCE && tag_ != MPI_ANY_TAG;
  if (is_known && !is_cancelled_) {
    resolve_before(*shadow_, this, source_, tag_);
    post(source_, tag_);
  }
  leave_list();
}

void Receive::match() {
  if (is_posted_) return;
  const std::scoped_lock lock(shadow_->mutex);
  has_arrived_ = true;
  resolve();
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
  if (is_cancelled_) {
    leave_list();
    if (clocks_ == MPI_REQUEST_NULL) return;
    MPI_Status status;
    int cancelled = 0;
    PMPI_Cancel(&clocks_);
    PMPI_Wait(&clocks_, &status);
    PMPI_Test_cancelled(&status, &cancelled);
    if (cancelled == 0) note_unseen_order("MPI_Cancel of a receive whose message was on its way");
    return;
  }
  if (!is_posted_) {
    const std::scoped_lock lock(shadow_->mutex);
    resolve();
  }
  if (clocks_ == MPI_REQUEST_NULL) return;
  PMPI_Wait(&clocks_, MPI_STATUS_IGNORE);
  merge_clock(clock_);
}

void take_clock(const std::shared_ptr<Shadow>& shadow, int source, int tag) {
  {
    const std::scoped_lock lock(shadow->mutex);
    Receive::resolve_before(*shadow, nullptr, source, tag);
  }
  VectorClock clock(order::clock().size());
  PMPI_Recv(clock.data(), components_of(clock), MPI_UINT64_T, source, tag, shadow->comm(), MPI_STATUS_IGNORE);
  merge_clock(clock);
}

}  // namespace tessera::detail::order
