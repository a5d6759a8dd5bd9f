// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/runtime/detail/member_messages.hpp>

#include <algorithm>

#include "mpi/mpi.hpp"
#include "state/group_state.hpp"

namespace tessera::detail {
namespace {

// Calls move(first byte, bytes) for the messages of a length that MPI takes.
template <class Move>
void in_messages(index_t bytes, Move&& move) {
  for (index_t done = 0; done < bytes; done += mpi::max_bytes)
    move(done, std::min(bytes - done, mpi::max_bytes));
}

}  // namespace

MemberMessages::MemberMessages(const Group& group) : comm_(GroupState::of(group).between_members()) {}

// Memory that MPI still reads or writes is about to go.
MemberMessages::~MemberMessages() {
  for (MPI_Request& request : requests_) mpi::complete(request);
}

void MemberMessages::receive(int from, int channel, void* data, index_t bytes) {
  in_messages(bytes, [&](index_t begin, index_t length) {
    requests_.push_back(mpi::irecv(comm_, static_cast<std::byte*>(data) + begin, length, from, channel));
  });
}

void MemberMessages::send(int to, int channel, const void* data, index_t bytes) {
  in_messages(bytes, [&](index_t begin, index_t length) {
    requests_.push_back(mpi::isend(comm_, static_cast<const std::byte*>(data) + begin, length, to, channel));
  });
}

void MemberMessages::wait() {
  if (!requests_.empty()) mpi::wait_serving("messages of other members", requests_);
}

}  // namespace tessera::detail
