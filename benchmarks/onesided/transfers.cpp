// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "transfers.hpp"

#include "by_hand.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {

std::optional<Target> close_to_hand(Operation operation, index_t bytes) {
  if (bytes < 32 * 1024) return {};
  return Target{Goal::at_least, operation == Operation::accumulate ? 0.9 : 0.95};
}

Mover by_hand(const Session& session, const Mover& same_memory, double* remote, double* buffer,
              const Rows& rows) {
  const Group& world = session.world();
  Mover hand{.put = fastest_copy(world, remote, buffer, rows),
             .get = fastest_copy(world, buffer, remote, rows.reversed()),
             .accumulate = {"a loop without locks", repeat([=] { add_rows(remote, buffer, rows); })},
             .memory = same_memory.memory,
             .sync = same_memory.sync};
  hand.put.target = close_to_hand(Operation::put, rows.count * rows.bytes);
  hand.get.target = close_to_hand(Operation::get, rows.count * rows.bytes);
  hand.accumulate.target = close_to_hand(Operation::accumulate, rows.count * rows.bytes);
  return hand;
}

Mover by_armci(const Session& session, armci_peer::Memory* memory, index_t bytes, index_t offset,
               double* buffer, const Rows& rows) {
  if (memory == nullptr) return {};
  const int rank = session.world().size() - 1;
  return {.put = {"ARMCI", repeat([=] { memory->put(rank, offset, buffer, rows); }), no_slower},
          .get = {"ARMCI", repeat([=] { memory->get(rank, offset, buffer, rows.reversed()); }), no_slower},
          .accumulate = {"ARMCI", repeat([=] { memory->accumulate(rank, offset, buffer, rows); }), no_slower},
          .memory = {memory->own(), static_cast<std::size_t>(bytes) / sizeof(double)},
          .sync = armci_peer::sync};
}

}  // namespace tessera::benchmark::onesided
