// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "state/clock_exchange.hpp"

#include <algorithm>

#include "mpi/mpi_process.hpp"
#include "mpi/threads.hpp"

namespace tessera::detail {
namespace {

constexpr int flag_tag = 1;
// Before the clock, a message has the number of the set of flags, and the index of the flag.
constexpr std::size_t clock_header = 2;

index_t clock_bytes(const std::vector<std::uint64_t>& words) noexcept {
  return static_cast<index_t>(words.size() * sizeof(std::uint64_t));
}

}  // namespace

void ClockExchange::open(MPI_Comm comm) {
  mpi::barrier(comm);  // making a communicator does not run the agent
  comm_ = mpi::dup(comm);
}

void ClockExchange::close() noexcept {
  if (!comm_) return;
  mpi::cancel(receiving_);
  // MPI may still read a message that nobody has received, so it stays as long as the process.
  static auto& unreceived = *new std::vector<std::vector<std::uint64_t>>;
  for (auto& [words, request] : outgoing_) {
    if (request != MPI_REQUEST_NULL) unreceived.push_back(std::move(words));
  }
  outgoing_.clear();
  comm_.reset();
}

void ClockExchange::everybody() {
  if (!comm_) return;
  order::VectorClock all = order::release_clock();
  mpi::all_reduce(comm_.get(), all.data(), static_cast<index_t>(all.size()), ElementKind::int64, Reduce::max);
  order::merge_clock(all);
}

void ClockExchange::from(int root) {
  if (!comm_) return;
  order::VectorClock roots = mpi::rank(comm_.get()) == root ? order::release_clock() : order::clock();
  mpi::broadcast(comm_.get(), roots.data(), clock_bytes(roots), root);
  order::merge_clock(roots);
}

void ClockExchange::to(int root) {
  if (!comm_) return;
  const order::VectorClock mine = order::release_clock();
  order::VectorClock all(
      mpi::rank(comm_.get()) == root ? mine.size() * static_cast<std::size_t>(mpi::size(comm_.get())) : 0);
  mpi::gather(comm_.get(), mine.data(), all.data(), clock_bytes(mine), root);
  for (std::size_t begin = 0; begin < all.size(); begin += mine.size())
    order::merge_clock(std::span(all).subspan(begin, mine.size()));
}

void ClockExchange::notify(const Threads& threads, int rank, std::uint64_t flags, index_t index,
                           std::uint64_t notice) {
  if (!comm_) return;
  const order::VectorClock sent = order::release_clock_with(notice);
  if (rank == mpi::rank(comm_.get())) {
    const std::scoped_lock lock(mutex_);
    arrived_[{flags, index}].push_back(sent);
    return;
  }
  const NetworkLock network(threads);
  const std::scoped_lock lock(mutex_);
  while (!outgoing_.empty() && mpi::test(outgoing_.front().second)) outgoing_.pop_front();
  std::vector<std::uint64_t> words{flags, static_cast<std::uint64_t>(index)};
  words.insert(words.end(), sent.begin(), sent.end());
  auto& [kept, request] = outgoing_.emplace_back(std::move(words), MPI_REQUEST_NULL);
  request = mpi::isend(comm_.get(), kept.data(), clock_bytes(kept), rank, flag_tag);
}

void ClockExchange::receive_all() {
  for (;;) {
    if (receiving_ == MPI_REQUEST_NULL) {
      incoming_.resize(clock_header + order::clock().size());
      receiving_ = mpi::irecv(comm_.get(), incoming_.data(), clock_bytes(incoming_), mpi::any_source, flag_tag);
    }
    if (!mpi::test(receiving_)) return;
    arrived_[{incoming_[0], static_cast<index_t>(incoming_[1])}].emplace_back(incoming_.begin() + clock_header,
                                                                              incoming_.end());
  }
}

bool ClockExchange::take(const Threads& threads, std::uint64_t flags, index_t index,
                         std::int64_t notifications) {
  if (!comm_) return true;
  const auto most = static_cast<std::size_t>(notifications);
  const auto taken = [&] {
    auto& waiting = arrived_[{flags, index}];
    if (waiting.size() < most) return false;
    for (std::size_t n = 0; n < most; ++n) {
      order::merge_clock(waiting.front());
      waiting.pop_front();
    }
    return true;
  };
  {
    const std::scoped_lock lock(mutex_);
    if (taken()) return true;
  }
  const NetworkLock network(threads);
  const std::scoped_lock lock(mutex_);
  receive_all();
  return taken();
}

}  // namespace tessera::detail
