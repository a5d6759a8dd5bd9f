// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "pending.hpp"

#include <algorithm>
#include <utility>

#include "state.hpp"

namespace tessera {
namespace detail {
namespace {

constexpr std::size_t most_requests = 256;          // of one transfer
constexpr std::size_t most_transfers = 64;          // of a process
constexpr index_t most_staged = index_t{32} << 20;  // bytes of their buffers

}  // namespace

void Pending::add(MPI_Request request) {
  if (requests_.size() == most_requests) mpi::wait_all(requests_);
  requests_.push_back(request);
}

std::byte* Pending::stage(index_t bytes) {
  staged_ += bytes;
  return buffers_.emplace_back(new std::byte[static_cast<std::size_t>(bytes)]).get();
}

Request Pending::launch(std::shared_ptr<Pending> pending) {
  Request request;
  if (pending->is_empty()) return request;
  auto& outstanding = pending->runtime_.outstanding;
  index_t staged = pending->staged_;
  for (const auto& other : outstanding) staged += other->staged_;
  while (!outstanding.empty() && (outstanding.size() >= most_transfers || staged > most_staged)) {
    const auto oldest = outstanding.front();
    staged -= oldest->staged_;
    oldest->complete();
  }
  outstanding.push_back(pending);
  request.parts_.push_back(std::move(pending));
  return request;
}

void Pending::complete() {
  if (done_) return;
  mpi::wait_all(requests_);
  finish();
}

bool Pending::test() {
  if (!done_ && mpi::test_all(requests_)) finish();
  return done_;
}

void Pending::finish() {
  for (const auto& action : actions_) action();
  actions_.clear();
  buffers_.clear();
  done_ = true;  // read without the lock: only now may anybody believe it
  std::erase_if(runtime_.outstanding, [this](const auto& other) { return other.get() == this; });
}

}  // namespace detail

using detail::Pending;

Request::~Request() {
  try {
    wait();
  } catch (...) {  // a destructor has nobody to tell; the next operation on the segment fails in the same way
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

bool Request::test() {
  std::erase_if(parts_, [](const auto& part) {
    if (part->is_done()) return true;
    const detail::WindowLock lock(part->runtime());
    return part->test();
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
