// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Both ranks move data at once, in both directions of the network.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "mpi_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::network {
namespace {

constexpr const char* section =
    "both ways: asynchronous transfers of both ranks at once, two of each under way";
constexpr index_t blocks = 16;

// Moves so many blocks between the other rank's memory and room for two of them.
void move(Segment& segment, Operation operation, int other, index_t bytes, std::byte* buffer) {
  static constexpr double one = 1.0;
  const Strided block = Strided::contiguous(bytes);
  std::array<Request, 2> requests;
  for (index_t i = 0; i < blocks; ++i) {
    Request& request = requests[static_cast<std::size_t>(i % 2)];
    request.wait();
    std::byte* const here = buffer + i % 2 * bytes;
    const index_t there = i * bytes;
    request = operation == Operation::put ? segment.put_async(other, there, block, here)
              : operation == Operation::get
                  ? segment.get_async(other, there, block, here)
                  : segment.accumulate_async(other, there, block, ElementKind::float64, &one, here);
  }
  for (Request& request : requests) request.wait();
  if (operation != Operation::get) segment.flush(other);
}

// Rank r gets 1 + the number of the other rank, and adds as much to what is there.
void check(const Group& world, Segment& segment, Operation operation, index_t bytes, std::span<double> buffer) {
  const int other = 1 - world.rank();
  const double mine = 1.0 + world.rank(), theirs = 1.0 + other;
  const std::span<double> own(reinterpret_cast<double*>(segment.address(world.rank())),
                              static_cast<std::size_t>(blocks * bytes / element));
  std::ranges::fill(own, mine);
  std::ranges::fill(buffer, operation == Operation::get ? 0.0 : mine);
  segment.sync();
  move(segment, operation, other, bytes, reinterpret_cast<std::byte*>(buffer.data()));
  segment.sync();
  const double expected = operation == Operation::accumulate ? mine + theirs : theirs;
  const auto is_right = [expected](double value) { return value == expected; };
  require_everywhere(
      world,
      operation == Operation::get ? std::ranges::all_of(buffer, is_right) : std::ranges::all_of(own, is_right),
      std::string(section) + ": wrong elements after " + std::string(to_string(operation)));
}

}  // namespace

void both_ways(Session& session, Ends& ends, bool judged) {
  if (!session.wants(section)) return;
  const Group& world = ends.world();
  const int other = 1 - world.rank();
  for (const index_t bytes : {256 * kib, mib}) {
    Segment segment(world, blocks * bytes, "blocks");
    const LocalBuffer<double> memory(2 * bytes / element), sent(2 * bytes / element);
    const std::span<double> buffer = span_of(memory);
    const auto as_bytes = [](double* data) { return reinterpret_cast<std::byte*>(data); };
    for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
      check(world, segment, operation, bytes, buffer);
      const Routine own =
          repeat([&, operation] { move(segment, operation, other, bytes, as_bytes(buffer.data())); });
      // MPI alone is faster with one message under way in each direction than with two.
      const auto messages = [&](index_t under_way) {
        Reference by_hand{"MPI_Isend, MPI_Irecv, " + std::to_string(under_way) + " under way",
                          repeat([&, under_way] {
                            mpi_peer::both_ways(world, other, as_bytes(span_of(sent).data()),
                                                as_bytes(buffer.data()), bytes, blocks, under_way);
                          })};
        if (judged) by_hand.target = Target{Goal::at_least, 0.95};
        return by_hand;
      };
      session.compare({.section = section,
                       .name = std::to_string(blocks) + " times " + std::string(to_string(operation)) + ", " +
                               format_bytes(bytes),
                       .routine = own,
                       .bytes = static_cast<double>(blocks * bytes),
                       .clock = Clock::joint},
                      {messages(1), messages(2)});
    }
    segment.close();
  }
}

}  // namespace tessera::benchmark::network
