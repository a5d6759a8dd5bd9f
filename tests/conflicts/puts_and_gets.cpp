// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Puts and gets, with and without what orders them.
namespace cases {
namespace {

// Nothing orders the puts.
void two_puts(Stage& at) {
  if (at.rank < 2) put(at.line, 3, 9);
}

// Nothing orders the put and the get.
void put_and_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  if (at.rank == 1) get(at.line, 4, 12);
}

// Gets need no order.
void two_gets(Stage& at) { get(at.line, 0, 12); }

// A rank sees its own operations in order.
void puts_of_one_rank(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), put(at.line, 4, 12), get(at.line, 2, 10);
}

// A sync completes the put and orders both ranks.
void put_sync_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  at.line.sync();
  if (at.rank == 1) get(at.line, 0, 8);
}

// Both steps, one by one.
void put_flush_barrier_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// A barrier completes no put.
void put_barrier_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The flush comes too late.
void put_barrier_flush_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 0) at.line.flush();
  if (at.rank == 1) get(at.line, 0, 8);
}

// A flush alone orders nothing between ranks.
void put_flush_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  if (at.rank == 1) get(at.line, 0, 8);
}

// A get is complete when it returns.
void get_barrier_put(Stage& at) {
  if (at.rank == 0) get(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 1) put(at.line, 0, 8);
}

// The flush is of an array that nobody has changed.
void flush_of_another_array(Stage& at) {
  Line other(at.world, at.line.dims(), {.name = "another"});
  if (at.rank == 0) put(at.line, 0, 8), other.flush();
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The flush of a group completes the puts on all its arrays.
void group_flush_barrier_get(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8), at.world.flush();
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// Single elements need an order, too.
void store_and_load(Stage& at) {
  if (at.rank == 0) at.line.store({20}, 1.0);
  if (at.rank == 1) static_cast<void>(at.line.load({20}));
}

// Two elements side by side.
void store_and_load_of_neighbours(Stage& at) {
  if (at.rank == 0) at.line.store({20}, 1.0);
  if (at.rank == 1) static_cast<void>(at.line.load({21}));
}

// A sync before both orders neither.
void sync_then_two_puts(Stage& at) {
  at.line.sync();
  if (at.rank < 2) put(at.line, 0, 4);
}

// Two arrays in turn, with the same call sites.
void same_sites(Stage& at) {
  if (at.rank == 0) put(at.line, 0, 8);
  if (at.rank == 1) get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> puts_and_gets() {
  static constexpr Case all[] = {
      {"two-puts", Verdict::wrong, 2, two_puts, "put by rank 0", "put by rank 1"},
      {"put-and-get", Verdict::wrong, 2, put_and_get, "put by rank 0", "get by rank 1"},
      {"two-gets", Verdict::right, 2, two_gets},
      {"puts-of-one-rank", Verdict::right, 1, puts_of_one_rank},
      {"put-sync-get", Verdict::right, 2, put_sync_get},
      {"put-flush-barrier-get", Verdict::right, 2, put_flush_barrier_get},
      {"put-barrier-get", Verdict::wrong, 2, put_barrier_get, "put by rank 0", "get by rank 1"},
      {"put-barrier-flush-get", Verdict::wrong, 2, put_barrier_flush_get, "put by rank 0", "get by rank 1"},
      {"put-flush-get", Verdict::wrong, 2, put_flush_get, "put by rank 0", "get by rank 1"},
      {"get-barrier-put", Verdict::right, 2, get_barrier_put},
      {"flush-of-another-array", Verdict::wrong, 2, flush_of_another_array, "put by rank 0", "get by rank 1"},
      {"group-flush-barrier-get", Verdict::right, 2, group_flush_barrier_get},
      {"store-and-load", Verdict::wrong, 2, store_and_load, "put by rank 0", "get by rank 1"},
      {"store-and-load-of-neighbours", Verdict::right, 2, store_and_load_of_neighbours},
      {"sync-then-two-puts", Verdict::wrong, 2, sync_then_two_puts, "put by rank 0", "put by rank 1"},
      {"same-sites, first array", Verdict::wrong, 2, same_sites, "put by rank 0", "get by rank 1"},
      {"same-sites, second array", Verdict::wrong, 2, same_sites, "put by rank 0", "get by rank 1"},
  };
  return all;
}

}  // namespace cases
