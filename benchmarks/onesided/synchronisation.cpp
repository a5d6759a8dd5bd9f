// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Waiting for all, and for one: barriers, and messages from one rank to another and back.
#include <algorithm>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/runtime/flags.hpp>

#include "armci_peer.hpp"
#include "mpi_peer.hpp"
#include "sections.hpp"

namespace tessera::benchmark::onesided {
namespace {

constexpr const char* section = "synchronisation";

void measure_barriers(Session& session) {
  const Group& world = session.world();
  const Routine mpi_barrier = repeat([&world] { mpi_peer::barrier(world); });
  session.compare({.section = section,
                   .name = "Group::barrier",
                   .routine = repeat([&world] { world.barrier(); }),
                   .clock = Clock::joint},
                  {{"MPI_Barrier", mpi_barrier, no_slower, Counts::where_reference_is_fastest}});
  Routine armci_barrier;
  if (armci_peer::available()) armci_barrier = repeat(armci_peer::sync);
  session.compare({.section = section,
                   .name = "Group::sync",
                   .routine = repeat([&world] { world.sync(); }),
                   .clock = Clock::joint},
                  {{"MPI_Barrier", mpi_barrier}, {"ARMCI_Barrier", armci_barrier, no_slower}});
}

// From rank 0 to the partner and back.
void measure_notifications(Session& session) {
  const Group& world = session.world();
  const int me = world.rank(), partner = world.size() - 1;
  Flags flags(world, 1);
  const Routine notify = repeat([&flags, me, partner] {
    if (me == 0) flags.notify(partner, 0), flags.wait(0);
    if (me == partner) flags.wait(0), flags.notify(0, 0);
  });
  double word = me;
  const Routine message = repeat([&] { mpi_peer::ping_pong(world, partner, &word, sizeof(word)); });
  message(1);
  require(me != partner || word == 0.0, "a message of 8 bytes");
  session.compare(
      {.section = section, .name = "notify and wait, there and back", .routine = notify, .clock = Clock::joint},
      {{"MPI_Send and Recv of 8 B", message}});
  flags.close();
}

void measure_messages(Session& session) {
  const Group& world = session.world();
  const int me = world.rank(), partner = world.size() - 1;
  constexpr index_t bytes = 8192, count = bytes / static_cast<index_t>(sizeof(double));
  Array<double, 1> mailboxes(world, Extents<1>(world.size() * count), {.name = "mailboxes"});
  Flags flags(world, 1);
  LocalArray<double, 1> sent(Extents<1>{count});
  std::ranges::fill(sent, me + 1.0);
  const auto put_to = [&](int rank) {
    mailboxes.put_notify(Patch<1>::at({rank * count}, {count}), sent, flags.at(rank, 0));
  };
  const auto exchange = [&] {
    if (me == 0) put_to(partner), flags.wait(0);
    if (me == partner) flags.wait(0), put_to(0);
  };
  exchange();
  if (me == 0 || me == partner) {
    const double expected = (me == 0 ? partner : 0) + 1.0;
    const auto received = mailboxes.local();
    require(std::all_of(received.data(), received.data() + count, [&](double x) { return x == expected; }),
            "put_notify");
  }
  std::vector<double> message(count, me);
  const auto send_and_receive = [&] { mpi_peer::ping_pong(world, partner, message.data(), bytes); };
  send_and_receive();
  require(me != partner || message == std::vector<double>(count, 0.0), "a message of 8 KiB");
  session.compare({.section = section,
                   .name = "put_notify of 8 KiB, there and back",
                   .routine = repeat(exchange),
                   .bytes = 2.0 * bytes,
                   .clock = Clock::joint},
                  {{"MPI_Send and Recv of 8 KiB", repeat(send_and_receive)}});
  flags.close();
}

}  // namespace

void synchronisation(Session& session) {
  if (!session.wants(section) || session.world().size() == 1) return;
  measure_barriers(session);
  measure_notifications(session);
  measure_messages(session);
}

}  // namespace tessera::benchmark::onesided
