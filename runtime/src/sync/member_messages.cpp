// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/detail/member_messages.hpp>

#include "base/activity.hpp"
#include "base/give_way.hpp"
#include "mpi/mpi.hpp"
#include "mpi/mpi_process.hpp"
#include "mpi/threads.hpp"
#include "order/clock.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"
#include "sync/waiting.hpp"

namespace tessera::detail {
namespace {

// Clocks travel beside messages as they do beside flags, whose sets have small numbers.
std::uint64_t clock_set(Channel channel) noexcept {
  return ~std::uint64_t{0} - static_cast<std::uint64_t>(channel);
}

}  // namespace

MemberMessages::MemberMessages(const Group& group) : group_(&GroupState::of(group)), comm_(group_->beside()) {}

// Memory that MPI still reads or writes is about to go.
MemberMessages::~MemberMessages() {
  for (MPI_Request& request : requests_) mpi::complete(request);
}

void MemberMessages::receive(int from, Channel channel, void* data, index_t bytes) {
  const NetworkLock network(group_->runtime().threads());
  mpi::in_messages(bytes, [&](index_t begin, index_t length) {
    requests_.push_back(
        mpi::irecv(comm_, static_cast<std::byte*>(data) + begin, length, from, static_cast<int>(channel)));
  });
  if (bytes > 0 && order::clocks_on()) senders_.emplace_back(from, channel);
}

void MemberMessages::send(int to, Channel channel, const void* data, index_t bytes, Pace pace) {
  const Threads& threads = group_->runtime().threads();
  if (bytes > 0 && order::clocks_on())
    group_->clocks().notify(threads, to, clock_set(channel), group_->rank(), 0);
  const NetworkLock network(threads);
  // If the last message is being received, so are those before it (MPI standard 3.5).
  mpi::in_messages(bytes, [&](index_t begin, index_t length) {
    const auto* const first = static_cast<const std::byte*>(data) + begin;
    const bool waits = pace == Pace::received && begin + length == bytes;
    requests_.push_back(
        (waits ? mpi::issend : mpi::isend)(comm_, first, length, to, static_cast<int>(channel)));
  });
}

// They were sent before the messages, so they come without the help of other ranks.
void MemberMessages::take_clocks() {
  for (const auto& [from, channel] : senders_) {
    while (!group_->clocks().take(group_->runtime().threads(), clock_set(channel), from, 1)) {
      keep_mpi_going(*group_);
      give_way();
    }
  }
  senders_.clear();
}

bool MemberMessages::test() {
  if (requests_.empty()) return true;
  {
    const NetworkLock network(group_->runtime().threads());
    if (!mpi::test_all(requests_)) return false;
  }
  take_clocks();
  return true;
}

// Other threads get their turns meanwhile, as another process may wait for them.
void MemberMessages::wait() {
  if (requests_.empty()) return;
  const activity::Wait waits("messages of other members");
  if (mpi::is_serving()) return mpi::serve_until([&] { return test(); });
  mpi::wait_all(requests_);
  take_clocks();
}

// Connections keep so much. Of longer data, an agent takes longer to move it than a computation saves.
bool MemberMessages::leaves_at_once(index_t bytes) noexcept { return bytes <= index_t{256} << 10; }

}  // namespace tessera::detail
