// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/tracked.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "order/unseen_order.hpp"

namespace tessera::detail::order {
namespace {

// MPI may give one handle to several requests that are complete at once.
struct TrackedRequests {
  std::mutex mutex;
  std::multimap<MPI_Request, std::shared_ptr<Tracked>> list;
  std::map<MPI_Request, std::function<void()>> starts;
};
TrackedRequests& tracked_requests() {
  static auto* one = new TrackedRequests;
  return *one;
}

}  // namespace

void track(MPI_Request request, std::shared_ptr<Tracked> tracked) {
  const std::scoped_lock lock(tracked_requests().mutex);
  tracked_requests().list.emplace(request, std::move(tracked));
}

namespace {

// Outside the lock, its functions may be called.
std::shared_ptr<Tracked> found(MPI_Request request, bool is_taken) noexcept {
  const std::scoped_lock lock(tracked_requests().mutex);
  auto& list = tracked_requests().list;
  const auto place = list.find(request);
  if (place == list.end()) return nullptr;
  auto tracked = place->second;
  if (is_taken) list.erase(place);
  return tracked;
}

}  // namespace

void cancelling(MPI_Request request) noexcept {
  if (const auto tracked = found(request, false)) tracked->cancelling();
}

void untrack(MPI_Request request) {
  if (const auto tracked = found(request, true)) tracked->freed();
}

void untrack_all() noexcept {
  const std::scoped_lock lock(tracked_requests().mutex);
  tracked_requests().list.clear();
  tracked_requests().starts.clear();
}

void set_start(MPI_Request request, std::function<void()> start) {
  const std::scoped_lock lock(tracked_requests().mutex);
  tracked_requests().starts[request] = std::move(start);
}

void started(MPI_Request request) {
  std::function<void()> start;
  bool is_known = false;
  {
    const std::scoped_lock lock(tracked_requests().mutex);
    const auto found = tracked_requests().starts.find(request);
    is_known = found != tracked_requests().starts.end();
    if (is_known) start = found->second;
  }
  if (!is_known) note_unseen_order("MPI_Start of a request that was made before the Runtime");
  if (start) start();
}

void forget_start(MPI_Request request) noexcept {
  const std::scoped_lock lock(tracked_requests().mutex);
  tracked_requests().starts.erase(request);
}

Completion::Completion(std::span<const MPI_Request> requests) {
  const std::scoped_lock lock(tracked_requests().mutex);
  const auto& list = tracked_requests().list;
  has_some_ = !list.empty() && std::any_of(requests.begin(), requests.end(),
                                           [&](MPI_Request request) { return list.count(request) > 0; });
  if (has_some_) requests_.assign(requests.begin(), requests.end());
}

void Completion::completed(int i, const MPI_Status& status) {
  if (!has_some_) return;
  std::shared_ptr<Tracked> tracked;
  {
    const std::scoped_lock lock(tracked_requests().mutex);
    auto& list = tracked_requests().list;
    const auto found = list.find(requests_[static_cast<std::size_t>(i)]);
    if (found == list.end()) return;
    tracked = std::move(found->second);
    list.erase(found);
  }
  tracked->arrived(status);
  done_.push_back(std::move(tracked));
}

void Completion::finish() {
  for (const auto& one : done_) one->finish();
  done_.clear();
}

}  // namespace tessera::detail::order
