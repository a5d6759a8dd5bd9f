// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "ghost_messages.hpp"

#include <algorithm>

#include "mpi_peer.hpp"

namespace tessera::benchmark::multigrid {
namespace {

using mpi_peer::check;

Values values_of(Message& message) {
  return {View<double, 3>(message.values.data(), message.patch.extents()), message.patch.lo};
}

}  // namespace

Message message_for(int rank, int tag, const Patch<3>& patch) {
  return {rank, tag, patch, std::vector<double>(static_cast<std::size_t>(patch.size()))};
}

void start(MPI_Comm comm, std::vector<Message>& in, std::vector<Message>& out,
           std::vector<MPI_Request>& requests) {
  requests.assign(in.size() + out.size(), MPI_REQUEST_NULL);
  MPI_Request* request = requests.data();
  for (Message& one : in)
    check(MPI_Irecv(one.values.data(), static_cast<int>(one.values.size()), MPI_DOUBLE, one.rank, one.tag, comm,
                    request++),
          "MPI_Irecv");
  for (Message& one : out)
    check(MPI_Isend(one.values.data(), static_cast<int>(one.values.size()), MPI_DOUBLE, one.rank, one.tag, comm,
                    request++),
          "MPI_Isend");
}

void finish(std::vector<MPI_Request>& requests) {
  check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

void pack(Message& message, const ConstValues& from) { copy_patch(message.patch, from, values_of(message)); }
void unpack(Message& message, const Values& to) { copy_patch(message.patch, values_of(message), to); }

GhostMessages::GhostMessages(MPI_Comm comm, int rank, const Layout<3>& layout, bool corners)
    : comm_(comm), block_(layout.block(rank)), dims_(layout.dims()), corners_(corners) {
  if (block_.empty()) return;
  const Index<3> here = *layout.coordinates(rank);
  for_each_point(Patch<3>{{-1, -1, -1}, {2, 2, 2}}, [&](auto... components) {
    const std::array<index_t, 3> direction{components...};
    Index<3> there = here;
    Patch<3> edge = block_, ghosts = block_;
    bool exists = true;
    int tag = 0, opposite = 0, steps = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      there[d] += direction[d];
      exists = exists && there[d] >= 0 && there[d] < layout.grid()[d];
      if (direction[d] == 1) edge.lo[d] = block_.hi[d] - 1, ghosts.lo[d] = block_.hi[d], ++ghosts.hi[d];
      if (direction[d] == -1) edge.hi[d] = block_.lo[d] + 1, ghosts.hi[d] = block_.lo[d], --ghosts.lo[d];
      tag = 3 * tag + 1 + static_cast<int>(direction[d]);
      opposite = 3 * opposite + 1 - static_cast<int>(direction[d]);
      steps += direction[d] != 0 ? 1 : 0;
    }
    if (!exists || steps == 0 || (steps > 1 && !corners)) return;
    const int neighbour = layout.rank_at(there);
    in_.push_back(message_for(neighbour, opposite, ghosts));
    out_.push_back(message_for(neighbour, tag, edge));
  });
}

void GhostMessages::update(Block& cells) {
  if (block_.empty()) return;
  for (Message& one : out_) pack(one, cells.values());
  start(comm_, in_, out_, requests_);
  finish(requests_);
  for (Message& one : in_) unpack(one, cells.values());
  mirror(cells);
}

// With corners, cells beyond several ends get their values from those that the dimensions before have filled.
void GhostMessages::mirror(Block& cells) const {
  const Values values = cells.values();
  for (std::size_t d = 0; d < 3; ++d) {
    for (const bool high : {false, true}) {
      if (high ? block_.hi[d] < dims_[d] : block_.lo[d] > 0) continue;
      Patch<3> beyond = corners_ ? cells.patch() : block_;
      beyond.lo[d] = high ? block_.hi[d] : block_.lo[d] - 1;
      beyond.hi[d] = beyond.lo[d] + 1;
      const index_t inwards = values.view().stride(d) * (high ? -1 : 1), count = beyond.hi[2] - beyond.lo[2];
      for (index_t i = beyond.lo[0]; i < beyond.hi[0]; ++i) {
        for (index_t j = beyond.lo[1]; j < beyond.hi[1]; ++j) {
          double* to = &values(i, j, beyond.lo[2]);
          for (index_t k = 0; k < count; ++k) to[k] = -to[k + inwards];
        }
      }
    }
  }
}

}  // namespace tessera::benchmark::multigrid
