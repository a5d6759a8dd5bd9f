// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/request.hpp>

#include <algorithm>
#include <exception>
#include <utility>

#include "completion/outstanding.hpp"
#include "conflicts/conflicts.hpp"
#include "format.hpp"
#include "mpi/terminate.hpp"

namespace tessera {

using detail::Pending;

namespace {

// A checked access ends when its request is waited for, even if its transfer was done before.
void end_access(const Pending& part) {
  if (part.ticket() != 0 && detail::conflicts::on())
    detail::conflicts::Recorder::instance().complete(part.ticket());
}

}  // namespace

Request::~Request() {
  while (!parts_.empty()) {
    try {
      wait();
    } catch (const std::exception& error) {
      // A failed transfer is over, and the next operation on its segment fails in the same way. But one that is
      // under way may still write to memory that is about to go, and a destructor cannot report that.
      if (!parts_.back()->is_done()) {
        detail::abort_job(
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
    end_access(part);
    if (part.is_done()) continue;
    const detail::NetworkLock lock(part.queue().threads());
    part.queue().complete(part);
  }
}

// Done parts are dropped first: their Runtime may have ended.
bool Request::test() {
  std::vector<std::shared_ptr<Pending>> checked;
  std::erase_if(parts_, [&](const auto& part) {
    if (part->ticket() != 0) checked.push_back(part);
    return part->is_done();
  });
  if (parts_.empty()) {
    for (const auto& part : checked) end_access(*part);
    return true;
  }
  parts_.insert(parts_.end(), checked.begin(), checked.end());
  parts_.front()->queue().poll();
  const auto is_checked = [](const auto& part) { return part->ticket() != 0; };
  std::erase_if(parts_, [&](const auto& part) {
    if (is_checked(part)) return false;
    if (part->is_done()) return true;
    const detail::NetworkLock lock(part->queue().threads());
    return part->queue().advance(*part);
  });
  if (!std::all_of(parts_.begin(), parts_.end(), is_checked)) return false;
  for (const auto& part : parts_) end_access(*part);
  parts_.clear();
  return true;
}

void Request::detach() && noexcept { parts_.clear(); }

// Parts that are done are dropped before more memory is taken, as there may be one for each row of an array.
Request& Request::operator+=(Request&& other) {
  if (parts_.size() + other.parts_.size() > parts_.capacity())
    std::erase_if(parts_, [](const auto& part) { return part->ticket() == 0 && part->is_done(); });
  for (auto& part : other.parts_) parts_.push_back(std::move(part));
  other.parts_.clear();
  return *this;
}

void wait_all(std::span<Request> requests) {
  for (Request& request : requests) request.wait();
}

}  // namespace tessera
