// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contiguous blocks against ARMCI.
#include "armci_peer.hpp"
#include "ga_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "incumbent";
constexpr index_t sizes[] = {8, 4 * kib, 256 * kib, 4 * mib}, most = 4 * mib;

Mover by_armci(armci_peer::Memory& memory, index_t bytes, double* buffer) {
  const Rows block = Rows::contiguous(bytes);
  constexpr int target = Ends::target;
  const auto put = [=, &memory] { memory.put(target, 0, buffer, block), memory.fence(target); };
  const auto get = [=, &memory] { memory.get(target, 0, buffer, block); };
  const auto accumulate = [=, &memory] { memory.accumulate(target, 0, buffer, block), memory.fence(target); };
  return {.put = {"ARMCI_Put and Fence", repeat(put), no_slower},
          .get = {"ARMCI_Get", repeat(get), no_slower},
          .accumulate = {"ARMCI_Acc and Fence", repeat(accumulate), no_slower},
          .memory = {memory.own(), static_cast<std::size_t>(most / element)},
          .sync = armci_peer::sync};
}

}  // namespace

void incumbent(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  if (!ga_peer::available()) return session.note(ga_peer::why_not());
  if (!ends.has_windows())
    return session.note(
        "Not compared with ARMCI: it needs MPI's windows, which there are none of between these nodes.");
  const ga_peer::Library library;
  const auto armci = armci_peer::allocate(ends.world(), most);
  Segment segment(ends.world(), most, "blocks");
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  for (const index_t bytes : sizes) {
    const Rows block = Rows::contiguous(bytes);
    measure(session, {section, format_bytes(bytes) + waits, places_of(block)}, buffer,
            by_segment(ends, segment, block, buffer.data(), ends.waiting()),
            {by_armci(*armci, bytes, buffer.data())});
  }
  segment.close();
}

}  // namespace tessera::benchmark::network
