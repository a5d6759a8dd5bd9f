// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "trace/event_log.hpp"

namespace tessera::detail::trace {

void EventLog::start(std::size_t capacity) {
  const std::lock_guard lock(mutex_);
  events_.clear();
  events_.reserve(capacity);
  capacity_ = capacity;
  seen_ = 0;
  every_ = 1;
}

void EventLog::add(const Event& event) {
  const std::lock_guard lock(mutex_);
  if (events_.size() == capacity_) {
    const std::size_t left = events_.size() / 2;
    for (std::size_t i = 0; i < left; ++i) events_[i] = events_[2 * i];
    events_.resize(left);
    every_ = 2 * every_;
  }
  if (events_.size() < capacity_) events_.push_back(event);
}

EventLog::Contents EventLog::contents() const {
  const std::lock_guard lock(mutex_);
  return {events_, seen_, every_};
}

}  // namespace tessera::detail::trace
