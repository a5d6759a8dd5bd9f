// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Transfers through the agents against plain messages, there and back.
#include "compute.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section = "pingpong: through agents, against messages";
constexpr index_t most = 8 * mib;

// A message there and one back, both of the full size.
Mover ping_pong(const Ends& ends, index_t bytes, double* buffer, std::span<double> memory) {
  const Group& world = ends.world();
  double* data = ends.is_origin() ? buffer : memory.data();
  const Routine both_ways = repeat([&world, data, bytes] { mpi_peer::ping_pong(world, target, data, bytes); });
  return {.put = {.name = "MPI_Send there and back",
                  .routine = both_ways,
                  .target = Target{Goal::at_least, 1.0 / 1.3},
                  .others = {.work = both_ways}},
          .memory = memory,
          .sync = [&world] { world.barrier(); }};
}

// Messages alone, which the model of the protocols (docs/runtime/agents.md) is made of.
void measure_messages(Session& session, Ends& ends, std::span<double> buffer, std::span<double> theirs) {
  constexpr index_t sizes[] = {8,         4 * kib,   16 * kib, 64 * kib, 128 * kib,
                               256 * kib, 512 * kib, mib,      4 * mib,  most};
  for (const index_t bytes : sizes) {
    const Reference message = by_messages(ends.world(), target, bytes, buffer.data(), theirs).put;
    std::vector<double> seconds(session.is_quick() ? 5 : 200);
    Others answering = ends.waiting();
    answering.work = [&](index_t) { message.routine(static_cast<index_t>(seconds.size())); };
    ends.call(answering, [&] {
      for (double& one : seconds) {
        const double begin = now();
        message.routine(1);
        one = now() - begin;
      }
    });
    ends.world().broadcast(std::span(seconds), Ends::origin);
    session.add({.section = section,
                 .name = "message of " + format_bytes(bytes) + ", 8 B back",
                 .measured = {.time = median_estimate(seconds)},
                 .bytes = static_cast<double>(bytes)});
  }
}

}  // namespace

void messages(Session& session, Ends& ends) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  Segment segment(world, most, {.name = "blocks", .method = TransferMethod::packed});
  const LocalBuffer<double> memory(most / element);
  const std::span<double> buffer = span_of(memory);
  std::vector<double> theirs(most / element);

  const auto mover = [&](index_t bytes) {
    Mover own = by_segment(segment, target, Rows::contiguous(bytes), buffer.data(), ends.waiting());
    own.accumulate = {};
    return own;
  };
  constexpr index_t one = sizeof(double);
  Mover small = ping_pong(ends, one, buffer.data(), theirs);
  small.get = by_messages(world, target, one, buffer.data(), theirs).get;  // as much in either direction
  small.get.target = small.put.target;
  measure(session, {section, format_bytes(one) + waits, {0}}, buffer, mover(one), {small});

  // Large messages get a word back: a full message back would find everything in the caches.
  for (const index_t bytes : {mib, most}) {
    const Rows block = Rows::contiguous(bytes);
    Mover other = by_messages(world, target, bytes, buffer.data(), theirs);
    other.put.target = other.get.target = Target{Goal::at_least, 0.9};
    measure(session, {section, format_bytes(bytes) + waits, places_of(block)}, buffer, mover(bytes), {other});
  }
  measure_messages(session, ends, buffer, theirs);
  segment.close();
}

}  // namespace tessera::benchmark::network
