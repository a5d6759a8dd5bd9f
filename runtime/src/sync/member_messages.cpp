// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/detail/member_messages.hpp>

#include <algorithm>

#include "base/activity.hpp"
#include "mpi/mpi.hpp"
#include "mpi/mpi_process.hpp"
#include "mpi/threads.hpp"
#include "state/group_state.hpp"
#include "state/runtime_state.hpp"

namespace tessera::detail {
namespace {

// MPI asks the receiver before it sends a long message. That takes longer than so many short ones.
constexpr index_t most_unasked = 6 * mpi::eager_bytes;

// Calls move(first byte, bytes) for each message.
template <class Move>
void in_messages(index_t bytes, Move&& move) {
  const index_t most = bytes <= most_unasked ? mpi::eager_bytes : mpi::max_bytes;
  for (index_t done = 0; done < bytes; done += most) move(done, std::min(bytes - done, most));
}

}  // namespace

MemberMessages::MemberMessages(const Group& group)
    : comm_(GroupState::of(group).between_members()), threads_(&GroupState::of(group).runtime().threads()) {}

// Memory that MPI still reads or writes is about to go.
MemberMessages::~MemberMessages() {
  for (MPI_Request& request : requests_) mpi::complete(request);
}

void MemberMessages::receive(int from, Channel channel, void* data, index_t bytes) {
  const NetworkLock network(*threads_);
  in_messages(bytes, [&](index_t begin, index_t length) {
    requests_.push_back(
        mpi::irecv(comm_, static_cast<std::byte*>(data) + begin, length, from, static_cast<int>(channel)));
  });
}

void MemberMessages::send(int to, Channel channel, const void* data, index_t bytes) {
  const NetworkLock network(*threads_);
  in_messages(bytes, [&](index_t begin, index_t length) {
    requests_.push_back(
        mpi::isend(comm_, static_cast<const std::byte*>(data) + begin, length, to, static_cast<int>(channel)));
  });
}

bool MemberMessages::test() {
  if (requests_.empty()) return true;
  const NetworkLock network(*threads_);
  return mpi::test_all(requests_);
}

// Other threads get their turns meanwhile, as another process may wait for them.
void MemberMessages::wait() {
  if (requests_.empty()) return;
  const activity::Wait waits("messages of other members");
  if (!mpi::is_serving()) return mpi::wait_all(requests_);
  mpi::serve_until([&] { return test(); });
}

// Connections keep so much. Of longer data, an agent takes longer to move it than a computation saves.
bool MemberMessages::leaves_at_once(index_t bytes) noexcept { return bytes <= index_t{256} << 10; }

}  // namespace tessera::detail
