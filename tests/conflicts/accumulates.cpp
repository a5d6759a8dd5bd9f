// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Sums and atomic operations, which need no order among themselves.
namespace cases {
namespace {

// Sums are atomic against each other.
void sums(Stage& at) { acc(at.line, 0, 12); }

// A get may come before or after the sum.
void sum_and_get(Stage& at) {
  if (at.rank == 0) acc(at.line, 0, 8);
  if (at.rank == 1) get(at.line, 0, 8);
}

// A put is not atomic against a sum.
void sum_and_put(Stage& at) {
  if (at.rank == 0) acc(at.line, 0, 8);
  if (at.rank == 1) put(at.line, 7, 8 + 1);
}

// Atomic operations and sums are atomic against each other.
void sum_and_fetch_add(Stage& at) {
  if (at.rank == 0) acc(at.line, 0, 8);
  if (at.rank == 1) at.line.fetch_add({3}, 1.0);
}

// A store is not atomic against a fetch_add.
void fetch_add_and_store(Stage& at) {
  if (at.rank == 0) at.line.fetch_add({3}, 1.0);
  if (at.rank == 1) at.line.store({3}, 1.0);
}

// A flush completes sums as it completes puts.
void sum_flush_barrier_get(Stage& at) {
  acc(at.line, 0, 8);
  at.line.flush();
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// A barrier completes no sum.
void sum_barrier_get(Stage& at) {
  if (at.rank == 0) acc(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> accumulates() {
  static constexpr Case all[] = {
      {"sums", Verdict::right, 2, sums},
      {"sum-and-get", Verdict::wrong, 2, sum_and_get, "accumulate by rank 0", "get by rank 1"},
      {"sum-and-put", Verdict::wrong, 2, sum_and_put, "accumulate by rank 0", "put by rank 1"},
      {"sum-and-fetch-add", Verdict::right, 2, sum_and_fetch_add},
      {"fetch-add-and-store", Verdict::wrong, 2, fetch_add_and_store, "fetch_op by rank 0", "put by rank 1"},
      {"sum-flush-barrier-get", Verdict::right, 2, sum_flush_barrier_get},
      {"sum-barrier-get", Verdict::wrong, 2, sum_barrier_get, "accumulate by rank 0", "get by rank 1"},
  };
  return all;
}

}  // namespace cases
