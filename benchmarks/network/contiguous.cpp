// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contiguous blocks, from one value to more than any cache holds, against MPI.
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr index_t sizes[] = {8,        64,        512,     kib,     4 * kib, 32 * kib,
                             64 * kib, 256 * kib, 2 * mib, 8 * mib, 64 * mib};
constexpr index_t most = 64 * mib;

// Without a window to compare with, the target is the one for messages.
std::optional<Target> target_of(index_t bytes, bool by_window) {
  if (!by_window && bytes >= 64 * kib) return Target{Goal::at_least, 0.9};
  if (!by_window && bytes <= kib) return Target{Goal::at_least, 1.0 / 1.3};
  if (bytes >= 2 * mib) return Target{Goal::at_least, 1.5};
  if (bytes >= 64 * kib) return Target{Goal::at_least, 1.0};
  if (bytes <= kib) return Target{Goal::at_least, 1.0 / 1.1};
  return {};
}

}  // namespace

void contiguous(Session& session, Ends& ends) {
  const std::string section = "contiguous";
  if (!session.wants(section)) return;
  Segment segment(ends.world(), most, "blocks");
  MpiMovers peer(ends.world(), ends.has_windows(), most);
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  for (const index_t bytes : sizes) {
    const Rows block = Rows::contiguous(bytes);
    Mover own = by_segment(segment, target, block, buffer.data(), ends.waiting());
    own.accumulate = {};
    Mover other = peer.of(target, bytes, buffer.data());
    other.put.target = other.get.target = target_of(bytes, ends.has_windows());
    measure(session, {section, format_bytes(bytes) + waits, places_of(block)}, buffer, own, {other});
  }
  segment.close();
}

}  // namespace tessera::benchmark::network
