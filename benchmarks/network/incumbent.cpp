// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contiguous blocks against ARMCI.
#include "ga_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "incumbent";
constexpr index_t sizes[] = {8, 4 * kib, 256 * kib, 4 * mib}, most = 4 * mib;

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
            by_segment(segment, target, block, buffer.data(), ends.waiting()),
            {by_armci(*armci, target, block, buffer.data())});
  }
  segment.close();
}

}  // namespace tessera::benchmark::network
