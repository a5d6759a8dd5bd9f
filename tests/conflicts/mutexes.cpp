// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>

#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/scalars.hpp>

#include "cases.hpp"

// Mutexes.
namespace cases {
namespace {

// All ranks take the same mutex.
void one_mutex(Stage& at) {
  Mutexes locks(at.world, 1);
  locks.lock(0);
  put(at.line, 0, 8);
  locks.unlock(0);
}

// Each rank takes another mutex.
void two_mutexes(Stage& at) {
  Mutexes locks(at.world, at.world.size());
  locks.lock(at.rank);
  if (at.rank < 2) put(at.line, 0, 8);
  locks.unlock(at.rank);
}

// The reader takes no mutex.
void one_rank_without_mutex(Stage& at) {
  Mutexes locks(at.world, 1);
  if (at.rank == 0) {
    locks.lock(0);
    put(at.line, 0, 8);
    locks.unlock(0);
  }
  if (at.rank == 1) get(at.line, 0, 8);
}

// The put comes after the mutex was given back.
void put_after_unlock(Stage& at) {
  Mutexes locks(at.world, 1);
  if (at.rank == 0) {
    locks.lock(0);
    locks.unlock(0);
    put(at.line, 0, 8);
  }
  at.world.barrier();
  if (at.rank == 1) {
    locks.lock(0);
    put(at.line, 0, 8);
    locks.unlock(0);
  }
}

// The local access goes on after the mutex was given back.
void local_access_beyond_unlock(Stage& at) {
  Mutexes locks(at.world, 1);
  if (at.rank == 0) {
    locks.lock(0);
    const auto access = std::as_const(at.line).local();
    locks.unlock(0);
    at.world.barrier();
    at.world.barrier();
  } else {
    at.world.barrier();
    if (at.rank == 1) locks.lock(0), put(at.line, 0, 8), locks.unlock(0);
    at.world.barrier();
  }
}

// The order is there, but it is made of values.
void polling_of_a_scalar(Stage& at) {
  Scalars<std::int64_t> ready(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush(), ready.store(0, 0, 1);
  if (at.rank == 1) {
    while (ready.load(0, 0) == 0) {
    }
    get(at.line, 0, 8);
  }
}

// The order of the first step is made of values. In the second step there is none.
void polling_before_a_conflict(Stage& at) {
  Scalars<std::int64_t> ready(at.world, 1);
  for (const index_t first : {0, 8}) {
    const bool polls = first == 0;
    if (!polls) at.world.barrier();
    if (at.rank == 0) put(at.line, first, first + 4);
    if (at.rank == 0 && polls) at.line.flush(), ready.store(0, 0, 1);
    if (!polls) at.world.barrier();
    if (at.rank != 1) continue;
    while (polls && ready.load(0, 0) == 0) {
    }
    get(at.line, first, first + 4);
  }
}

// If rank 0 has the mutex first, its put is before the get.
void mutex_after_a_put(Stage& at) {
  Mutexes locks(at.world, 1);
  if (at.rank == 0) put(at.line, 0, 4), at.line.flush(), locks.lock(0), locks.unlock(0);
  if (at.rank == 1) locks.lock(0), get(at.line, 0, 4), locks.unlock(0);
  at.world.barrier();
}

}  // namespace

std::span<const Case> mutexes() {
  static constexpr Case all[] = {
      {"one-mutex", Verdict::right, 2, one_mutex},
      {"two-mutexes", Verdict::wrong, 2, two_mutexes, "put by rank 0", "put by rank 1"},
      {"one-rank-without-mutex", Verdict::wrong, 2, one_rank_without_mutex, "put by rank 0", "get by rank 1"},
      {"put-after-unlock", Verdict::wrong, 2, put_after_unlock, "put by rank 0", "put by rank 1"},
      {"local-access-beyond-unlock", Verdict::wrong, 2, local_access_beyond_unlock,
       "local access for reading by rank 0", "put by rank 1"},
      {"mutex-after-a-put", Verdict::unknown, 2, mutex_after_a_put},
      {"polling-of-a-scalar", Verdict::unknown, 2, polling_of_a_scalar},
      {"polling-before-a-conflict", Verdict::wrong, 2, polling_before_a_conflict, "put by rank 0",
       "get by rank 1"},
  };
  return all;
}

}  // namespace cases
