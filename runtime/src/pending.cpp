// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pending.hpp"

#include <algorithm>
#include <utility>

#include "format.hpp"
#include "progress.hpp"
#include "state.hpp"

namespace tessera {
namespace detail {
namespace {

constexpr std::size_t most_transfers = 64;        // of a process
constexpr index_t most_kept = index_t{32} << 20;  // bytes of their buffers

}  // namespace

void Pending::add(std::unique_ptr<Stage> stage) {
  kept_ += stage->kept();
  stages_.push_back(std::move(stage));
}

Request Pending::launch(std::shared_ptr<Pending> pending) {
  Request request;
  if (pending->stages_.empty()) return request;
  RuntimeState& runtime = pending->runtime_;
  auto& outstanding = runtime.outstanding;
  auto kept = [&] {
    index_t sum = pending->kept_;
    for (const auto& other : outstanding) sum += other->kept_;
    return sum;
  };
  while (!outstanding.empty() && (outstanding.size() >= most_transfers || kept() > most_kept)) {
    const auto oldest = outstanding.front();
    oldest->complete();
  }
  outstanding.push_back(pending);
  runtime.outstanding_count = outstanding.size();
  pending->moving_ = std::any_of(pending->stages_.begin(), pending->stages_.end(),
                                 [](const auto& stage) { return stage->needs_moving(); });
  if (pending->moving_) {
    ++runtime.moving_count;
    if (runtime.progress) runtime.progress->look_after();
  }
  request.parts_.push_back(std::move(pending));
  return request;
}

void Pending::complete() {
  if (agent_ >= 0) return runtime_.progress->courier().wait_for(agent_, [this] { return advance(); });
  if (runtime_.progress) return runtime_.progress->wait_until([this] { return advance(); });
  while (!advance()) {
  }
}

bool Pending::advance() {
  // A stage may wait for room, and the thread that waits moves everything on.
  if (done_ || advancing_) return done_;
  advancing_ = true;
  try {
    std::erase_if(stages_, [](const auto& stage) { return stage->advance(); });
  } catch (...) {
    // It will never be done: the next thread that waits for it is not to wait for ever.
    finish();
    throw;
  }
  advancing_ = false;
  if (!stages_.empty()) return false;
  finish();
  return true;
}

void Pending::abandon() noexcept {
  stages_.clear();
  done_ = true;
}

void Pending::finish() noexcept {
  done_ = true;  // read without the lock: only now may anybody believe it
  auto& outstanding = runtime_.outstanding;
  std::erase_if(outstanding, [this](const auto& other) { return other.get() == this; });
  runtime_.outstanding_count = outstanding.size();
  if (moving_) --runtime_.moving_count;
}

}  // namespace detail

using detail::Pending;

Request::~Request() {
  while (!parts_.empty()) {
    try {
      wait();
    } catch (const std::exception& error) {
      // One that failed is over, and the next operation on its segment fails in the same way. But memory that
      // is about to go must not be written to, and a destructor has nobody to tell.
      Pending& part = *parts_.back();
      if (!part.is_done()) {
        detail::abort_job(
            detail::GroupState::of(part.runtime().world),
            formatted("a request was destroyed while its transfer was under way: {}", error.what()));
      }
      parts_.pop_back();
    }
  }
}

Request& Request::operator=(Request&& other) noexcept {
  Request old(std::move(*this));
  parts_ = std::move(other.parts_);
  other.parts_.clear();
  return *this;
}

void Request::wait() {
  for (; !parts_.empty(); parts_.pop_back()) {
    Pending& part = *parts_.back();
    if (part.is_done()) continue;
    const detail::WindowLock lock(part.runtime());
    part.complete();
  }
}

// Of one that is done, the Runtime may be over.
bool Request::test() {
  std::erase_if(parts_, [](const auto& part) { return part->is_done(); });
  if (parts_.empty()) return true;
  parts_.front()->runtime().poll();
  std::erase_if(parts_, [](const auto& part) {
    if (part->is_done()) return true;
    const detail::WindowLock lock(part->runtime());
    return part->advance();
  });
  return parts_.empty();
}

void Request::detach() && noexcept { parts_.clear(); }

Request& Request::operator+=(Request&& other) {
  for (auto& part : other.parts_) parts_.push_back(std::move(part));
  other.parts_.clear();
  return *this;
}

void wait_all(std::span<Request> requests) {
  for (Request& request : requests) request.wait();
}

}  // namespace tessera
