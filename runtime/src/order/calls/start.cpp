// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/calls/start.hpp"

#include "order/calls/seen.hpp"
#include "order/clock.hpp"
#include "order/shadows.hpp"
#include "order/tracked.hpp"
#include "order/unseen_order.hpp"

namespace tessera::detail::order {
namespace {

// Whether the last call of MPI_Is_thread_main came here.
bool has_come_here = false;

bool has_same_members(MPI_Comm a, MPI_Comm b) {
  int result = MPI_UNEQUAL;
  PMPI_Comm_compare(a, b, &result);
  return result != MPI_UNEQUAL;
}

}  // namespace

namespace calls {

void note_seen() noexcept { has_come_here = true; }

bool are_seen() noexcept {
  link_sends();
  link_receives();
  link_collectives();
  link_nonblocking();
  link_communicators();
  link_completions();
  link_unseen();
  link_persistent();
  int is_main = 0;
  has_come_here = false;
  MPI_Is_thread_main(&is_main);
  return has_come_here;
}

}  // namespace calls

bool start(MPI_Comm parent, MPI_Comm world) {
  // The members with a clock, and those without one.
  int counts[2] = {clocks_on() ? 1 : 0, clocks_on() ? 0 : 1}, sums[2] = {0, 0};
  PMPI_Allreduce(counts, sums, 2, MPI_INT, MPI_SUM, world);
  if (sums[0] > 0) {
    note_unseen_order("a second Runtime", true);
    return false;
  }
  int rank = 0, size = 1;
  PMPI_Comm_rank(world, &rank);
  PMPI_Comm_size(world, &size);
  start_clock(size, rank);
  if (parent != MPI_COMM_NULL) {
    make_shadow(parent);
    if (has_same_members(parent, MPI_COMM_WORLD)) make_shadow(MPI_COMM_WORLD);
  }
  return true;
}

void stop(MPI_Comm parent) noexcept {
  if (!clocks_on()) return;
  stop_clock();
  untrack_all();
  if (parent != MPI_COMM_NULL) remove_shadow(parent);
  remove_shadow(MPI_COMM_WORLD);
}

}  // namespace tessera::detail::order
