// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <vector>

#include "cases.hpp"

// Groups of some ranks order only their members.
namespace cases {
namespace {

// Writer and reader are members.
void barrier_of_a_part(Stage& at) {
  const Group part = at.world.split(at.rank < 2 ? 0 : 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  part.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The reader is in another group.
void barrier_of_others(Stage& at) {
  const Group part = at.world.split(at.rank < 2 ? 0 : 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  part.barrier();
  if (at.rank == 2) get(at.line, 0, 8);
}

// The members alone form the group.
void formed_group(Stage& at) {
  if (at.rank > 1) return;
  Group pair = at.world.form(std::vector<int>{0, 1});
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  pair.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
  pair.close();
}

// The group above has it still when it is closed.
void closed_group(Stage& at) {
  Group part = at.world.split(at.rank < 2 ? 0 : 1);
  if (at.rank == 0) put(at.line, 0, 8), at.line.flush();
  part.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
  part.close();
  at.world.sync();
}

// What may have ordered accesses in an array of some ranks counts also after a sync of all, which does not
// compare them.
void polling_before_a_sync_of_all(Stage& at) {
  const Group part = at.world.split(at.rank < 2 ? 0 : 1);
  Line line(part, {per_rank * part.size()}, {.name = "polling-before-a-sync-of-all"});
  Scalars<int> ready(at.world, 1);
  if (at.rank == 0) put(line, 0, 8), line.flush(), ready.store(1, 0, 1);
  if (at.rank == 1) {
    while (ready.load(1, 0) == 0) continue;
    get(line, 0, 8);
  }
  at.world.sync();
  line.sync();
}

// The sync of a group does not complete operations on arrays of another.
void sync_of_a_part(Stage& at) {
  const Group part = at.world.split(at.rank < 2 ? 0 : 1);
  if (at.rank == 0) put(at.line, 0, 8);
  part.sync();
  if (at.rank == 1) get(at.line, 0, 8);
}

// Neither the array nor its group lives until the next synchronisation.
void array_of_a_group_that_goes(Stage& at) {
  {
    const Group part = at.world.split(at.rank < 2 ? 0 : 1);
    Line line(part, {per_rank * part.size()}, {.name = "array-of-a-group-that-goes"});
    if (at.rank == 0) put(line, 0, 8);
    if (at.rank == 1) get(line, 0, 8);
  }
  at.world.sync();
}

}  // namespace

std::span<const Case> groups() {
  static constexpr Case all[] = {
      {"polling-before-a-sync-of-all", Verdict::unknown, 2, polling_before_a_sync_of_all},
      {"barrier-of-a-part", Verdict::right, 2, barrier_of_a_part},
      {"barrier-of-others", Verdict::wrong, 3, barrier_of_others, "put by rank 0", "get by rank 2"},
      {"formed-group", Verdict::right, 2, formed_group},
      {"closed-group", Verdict::right, 2, closed_group},
      {"sync-of-a-part", Verdict::wrong, 2, sync_of_a_part, "put by rank 0", "get by rank 1"},
      {"array-of-a-group-that-goes", Verdict::wrong, 2, array_of_a_group_that_goes, "put by rank 0",
       "get by rank 1"},
  };
  return all;
}

}  // namespace cases
