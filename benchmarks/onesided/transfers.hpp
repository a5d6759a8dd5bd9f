// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/array.hpp>

#include "armci_peer.hpp"
#include "movers.hpp"
#include "rows.hpp"

/// The movers of this benchmark.
namespace tessera::benchmark::onesided {

/// The target for a transfer of so many bytes, against the best that can be written by hand. @local
std::optional<Target> close_to_hand(Operation operation, index_t bytes);

/// By hand, in the memory of another mover: `rows` are those of the put. @collective
Mover by_hand(const Session& session, const Mover& same_memory, double* remote, double* buffer,
              const Rows& rows);
/// By ARMCI, `offset` bytes into the memory; an empty mover if `memory` is null. @local
Mover by_armci(const Session& session, armci_peer::Memory* memory, index_t bytes, index_t offset,
               double* buffer, const Rows& rows);

/// By Tessera: a patch of an array. @local
template <std::size_t N>
Mover by_tessera(Array<double, N>& array, const Patch<N>& patch, double* buffer) {
  const int me = array.group().rank();
  const View<double, N> view(buffer, patch.extents());
  return {.put = {"put", repeat([&array, patch, view] { array.put(patch, view); })},
          .get = {"get", repeat([&array, patch, view] { array.get(patch, view); })},
          .accumulate = {"acc", repeat([&array, patch, view] { array.acc(patch, view); })},
          .memory = {array.address(array.local_patch().lo),
                     static_cast<std::size_t>(array.layout().local_size(me))},
          .sync = [&array] { array.sync(); }};
}

}  // namespace tessera::benchmark::onesided
