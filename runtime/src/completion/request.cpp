// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/request.hpp>

#include <exception>
#include <utility>

#include "completion/outstanding.hpp"
#include "format.hpp"
#include "mpi/terminate.hpp"

namespace tessera {

using detail::Pending;

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
    if (part.is_done()) continue;
    const detail::NetworkLock lock(part.queue().threads());
    part.queue().complete(part);
  }
}

// Done parts are dropped first: their Runtime may have ended.
bool Request::test() {
  std::erase_if(parts_, [](const auto& part) { return part->is_done(); });
  if (parts_.empty()) return true;
  parts_.front()->queue().poll();
  std::erase_if(parts_, [](const auto& part) {
    if (part->is_done()) return true;
    const detail::NetworkLock lock(part->queue().threads());
    return part->queue().advance(*part);
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
