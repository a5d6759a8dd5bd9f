// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Creating and closing memory that all ranks can reach, and local memory for transfers.
#include <algorithm>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "armci_peer.hpp"
#include "by_hand.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr const char* section = "memory";

// Each rank writes to the end of the next one's slice.
void check_segment(const Group& world, index_t bytes) {
  Segment segment(world, bytes, "checked");
  const int me = world.rank(), ranks = world.size();
  const index_t last = bytes - static_cast<index_t>(sizeof(int));
  segment.store((me + 1) % ranks, last, me);
  segment.sync();
  require(segment.load<int>(me, last) == (me + ranks - 1) % ranks, "a segment of " + format_bytes(bytes));
  segment.close();
}

void measure_segments(Session& session) {
  const Group& world = session.world();
  constexpr index_t small = 64, large = 256 * 1024 * 1024;
  const auto row = [&](index_t bytes, const std::vector<Reference>& references) {
    check_segment(world, bytes);
    session.compare({.section = section,
                     .name = "create and close a segment, " + format_bytes(bytes),
                     .routine = repeat([&world, bytes] {
                       Segment segment(world, bytes, "short-lived");
                       segment.close();
                     }),
                     .clock = Clock::joint},
                    references);
  };
  Routine by_armci;
  if (armci_peer::available()) by_armci = repeat([&world] { armci_peer::allocate_and_free(world, small); });
  row(small, {{"MPI_Win_allocate and free", repeat([&world] { mpi_peer::allocate_and_free(world, small); }),
               Target{Goal::at_most, 20e-6}},
              {"ARMCI_Malloc and Free", by_armci, no_slower}});
  const Routine by_one = repeat([&world] {
    if (world.rank() == 0) reserve_and_release(large * world.size());
  });
  row(large, {{"posix_fallocate of it all", by_one, no_slower},
              {"posix_fallocate of each slice", repeat([] { reserve_and_release(large); })}});
}

// On a node all local memory is alike. Over a network, MPI knows the memory that it allocated itself.
void measure_local_buffers(Session& session) {
  const Group& world = session.world();
  const Side side = sides(world).back();
  constexpr index_t most = 2 * 1024 * 1024 / static_cast<index_t>(sizeof(double));
  Array<double, 1> array(world, Extents<1>(world.size() * most), {.name = "targets"});
  LocalBuffer<double> buffer(most);
  std::vector<double> ordinary(most, 1.0);
  tessera::fill(array, 0.0);
  std::ranges::copy(ordinary, buffer.begin());
  for (const index_t count : {index_t{1024}, most}) {
    const Patch<1> patch = Patch<1>::at({side.rank * most}, {count});
    const auto put_from = [&array, patch, count](const double* from) {
      return repeat([&array, patch, view = View<const double, 1>(from, {count})] { array.put(patch, view); });
    };
    if (world.rank() == 0) array.put(patch, View<const double, 1>(buffer.data(), {count}));
    array.sync();
    require(array.load(patch.lo) == 1.0 && array.load({side.rank * most + count - 1}) == 1.0,
            "put from a LocalBuffer");
    array.sync();
    const index_t bytes = count * static_cast<index_t>(sizeof(double));
    session.compare({section, "put of " + format_bytes(bytes) + " from a LocalBuffer", put_from(buffer.data()),
                     static_cast<double>(bytes)},
                    {{"from malloc'd memory", put_from(ordinary.data())}});
  }
}

}  // namespace

void memory(Session& session) {
  if (!session.wants(section)) return;
  measure_segments(session);
  measure_local_buffers(session);
}

}  // namespace tessera::benchmark::onesided
