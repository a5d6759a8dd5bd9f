// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Elements that a rank owns, accessed where they are in memory.
namespace cases {
namespace {

// A sync is between the accesses.
void local_write_sync_get(Stage& at) {
  write_own(at.line);
  at.line.sync();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The owner writes while another rank reads.
void local_write_and_get(Stage& at) {
  if (at.rank == 0) write_own(at.line);
  if (at.rank == 1) get(at.line, 0, 8);
}

// The owner reads while another rank writes.
void put_and_local_read(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8);
  if (at.rank == 0) read_own(std::as_const(at.line));
}

// Nobody writes.
void local_reads_and_gets(Stage& at) {
  read_own(std::as_const(at.line));
  get(at.line, 0, 12);
}

// A local access is complete when its object is gone, so a barrier suffices.
void local_write_barrier_get(Stage& at) {
  write_own(at.line);
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The object of the access outlives the barrier.
void local_write_beyond_barrier(Stage& at) {
  if (at.rank == 0) {
    auto mine = at.line.local();
    at.world.barrier();
    mine.data()[0] += 1.0;
  } else {
    at.world.barrier();
  }
  if (at.rank == 1) get(at.line, 0, 8);
}

// A barrier completes no put, on its owner neither.
void put_barrier_local_read(Stage& at) {
  if (at.rank == 1) put(at.line, 0, 8);
  at.world.barrier();
  if (at.rank == 0) read_own(std::as_const(at.line));
}

// Each rank has its own elements.
void local_writes_of_all(Stage& at) { write_own(at.line); }

struct Cell {
  double density, energy;
};
using Cells = Array<Cell, 1>;

// Rank 0 writes the energies of some of its cells where they are, and rank 1 puts the energies of others.
void write_energies(Stage& at, const char* name, const Patch<1>& own, const Patch<1>& others) {
  Cells cells(at.world, {16 * at.world.size()}, {.name = name});
  if (at.rank == 0) {
    for_each_local(cells.slice(own).member(&Cell::energy), [](const Index<1>&, double& energy) { energy = 1; });
  }
  const LocalArray<double, 1> values(others.extents());
  if (at.rank == 1) cells.put_field(others, &Cell::energy, values);
  cells.sync();
}
void local_writes_of_members(Stage& at) {
  write_energies(at, "local-writes-of-members", {{0}, {2}}, {{2}, {3}});
}
void local_write_and_put_of_members(Stage& at) {
  write_energies(at, "local-write-and-put-of-members", {{0}, {2}}, {{1}, {2}});
}

}  // namespace

std::span<const Case> local_accesses() {
  static constexpr Case all[] = {
      {"local-write-sync-get", Verdict::right, 2, local_write_sync_get},
      {"local-write-and-get", Verdict::wrong, 2, local_write_and_get, "local access for writing by rank 0",
       "get by rank 1"},
      {"put-and-local-read", Verdict::wrong, 2, put_and_local_read, "local access for reading by rank 0",
       "put by rank 1"},
      {"local-reads-and-gets", Verdict::right, 2, local_reads_and_gets},
      {"local-write-barrier-get", Verdict::right, 2, local_write_barrier_get},
      {"local-write-beyond-barrier", Verdict::wrong, 2, local_write_beyond_barrier,
       "local access for writing by rank 0", "get by rank 1"},
      {"put-barrier-local-read", Verdict::wrong, 2, put_barrier_local_read,
       "local access for reading by rank 0", "put by rank 1"},
      {"local-writes-of-all", Verdict::right, 1, local_writes_of_all},
      {"local-writes-of-members", Verdict::right, 2, local_writes_of_members},
      {"local-write-and-put-of-members", Verdict::wrong, 2, local_write_and_put_of_members,
       "local access for writing by rank 0", "put by rank 1"},
  };
  return all;
}

}  // namespace cases
