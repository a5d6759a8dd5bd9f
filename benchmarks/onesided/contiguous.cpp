// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Contiguous blocks to the other rank's memory, from a single element to more than any cache holds.
#include <bit>

#include "by_hand.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"
#include "transfers.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr index_t sizes[] = {8, 64, 512, kib, 4 * kib, 32 * kib, 256 * kib, 2 * mib, 16 * mib, 64 * mib};
constexpr index_t most = 64 * mib / element;

Mover by_mpi(const Session& session, mpi_peer::Window& window, double* buffer, index_t bytes) {
  const std::string name = "MPI and flush";
  const int rank = session.world().size() - 1, count = static_cast<int>(bytes / element);
  // Small transfers go through all of MPICH's layers; Open MPI has a short path for them.
  std::optional<Target> target = no_slower;
  if (bytes <= kib) {
    target.reset();
    if (session.mpi() == "MPICH") target = Target{Goal::at_least, 10.0};
  }
  return {.put = {name, repeat([=, &window] { window.put(rank, buffer, count); }), target},
          .get = {name, repeat([=, &window] { window.get(rank, buffer, count); }), target},
          .accumulate = {name, repeat([=, &window] { window.accumulate(rank, buffer, count); }), no_slower},
          .memory = {window.own(), most},
          .sync = [&window] { window.sync(); }};
}

// A copy past the caches is the fastest if the data is not read afterwards. Here it is read once.
void measure_gets_to_be_read(Session& session, const std::string& section, const Array<double, 1>& array,
                             std::span<double> buffer) {
  const Index<1> first{(session.world().size() - 1) * most};
  for (const index_t bytes : {2 * mib, 16 * mib}) {
    const index_t count = bytes / element;
    const Rows block = Rows::contiguous(bytes);
    const double* remote = array.address(first);
    double* into = buffer.data();
    const auto and_read = [into, count](auto get) {
      return repeat([=] {
        get();
        std::uint64_t all = 0;
        for (index_t i = 0; i < count; ++i) all ^= std::bit_cast<std::uint64_t>(into[i]);
        keep(&all);
      });
    };
    session.compare({section, "get and read, " + format_bytes(bytes),
                     and_read([&array, patch = Patch<1>::at(first, {count}),
                               view = View<double, 1>(into, {count})] { array.get(patch, view); }),
                     static_cast<double>(bytes)},
                    {{"memcpy and read", and_read([=] { copy_rows(into, remote, block); }),
                      close_to_hand(Operation::get, bytes)},
                     {"non-temporal loop and read", and_read([=] { stream_rows(into, remote, block); }),
                      close_to_hand(Operation::get, bytes)}});
  }
}

}  // namespace

void latency_and_bandwidth(Session& session) {
  const std::string section = "latency and bandwidth";
  const Group& world = session.world();
  const int rank = world.size() - 1;
  if (!session.wants(section) || rank == 0) return;
  Array<double, 1> array(world, Extents<1>(world.size() * most), {.name = "blocks"});
  mpi_peer::Window window(world, most * element);
  const auto armci = armci_peer::allocate(world, most * element);
  LineAligned memory(most);
  const std::span<double> buffer = memory.span();
  for (const index_t bytes : sizes) {
    const index_t count = bytes / element;
    const Rows block = Rows::contiguous(bytes);
    const Mover own = by_tessera(array, Patch<1>::at({rank * most}, {count}), buffer.data());
    double* remote = array.address({rank * most});
    measure(session, {section, format_bytes(bytes), places_of_rows(1, count, count, 0)}, buffer, own,
            {by_hand(session, own, remote, buffer.data(), block), by_mpi(session, window, buffer.data(), bytes),
             by_armci(session, armci.get(), most * element, 0, buffer.data(), block)});
  }
  measure_gets_to_be_read(session, section, array, buffer);
}

}  // namespace tessera::benchmark::onesided
