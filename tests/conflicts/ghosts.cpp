// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <thread>

#include "cases.hpp"

// Ghost cells.
namespace cases {
namespace {

// After an update a rank may write its own elements.
void steps_with_ghosts(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "steps-with-ghosts", .ghosts = {1}, .periodic = {true}});
  for (int step = 0; step < 3; ++step) {
    write_own(a);
    a.update_ghosts();
    static_cast<void>(std::as_const(a).local_with_ghosts());
  }
}

// Operations of a rank on its own elements need no sync before an update.
void own_put_before_ghosts(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "own-put-before-ghosts", .ghosts = {1}, .periodic = {true}});
  put(a, at.rank * per_rank, at.rank * per_rank + 1);
  const double one = 1;
  const index_t last = at.rank * per_rank + per_rank - 1;
  a.acc({{last}, {last + 1}}, {&one, {1}});
  a.update_ghosts();
  static_cast<void>(std::as_const(a).local_with_ghosts());
}

// Operations of other ranks do: a neighbour may read the element before.
void put_before_ghosts(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "put-before-ghosts", .ghosts = {1}, .periodic = {true}});
  if (at.rank == 0) put(a, per_rank, per_rank + 1), a.flush();
  a.update_ghosts();
  a.sync();
}

// An update of ghost cells is no barrier for other accesses.
void get_beside_ghosts(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "get-beside-ghosts", .ghosts = {1}, .periodic = {true}});
  fill(a, 1.0);  // a write of the value that was there would not be seen
  a.update_ghosts();
  if (at.rank == 0) write_own(a);
  if (at.rank == 1) get(a, 0, 8);
  a.sync();
}

// Ranks 0 and 2 share no cells. Rank 1 shares some with both, but an update passes nothing on.
void put_before_ghosts_of_another(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "put-before-ghosts-of-another", .ghosts = {1}});
  if (at.rank == 0) put(a, 2 * per_rank + 4, 2 * per_rank + 8), a.flush();
  if (at.rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  a.update_ghosts();
  if (at.rank == 2) get(a, 2 * per_rank + 4, 2 * per_rank + 8);
  a.sync();
}

}  // namespace

std::span<const Case> ghosts() {
  static constexpr Case all[] = {
      {"steps-with-ghosts", Verdict::right, 1, steps_with_ghosts},
      {"own-put-before-ghosts", Verdict::right, 1, own_put_before_ghosts},
      {"put-before-ghosts", Verdict::wrong, 2, put_before_ghosts, "put by rank 0",
       "local access for reading by rank 1"},
      {"get-beside-ghosts", Verdict::wrong, 2, get_beside_ghosts, "local access for writing by rank 0",
       "get by rank 1"},
      {"put-before-ghosts-of-another", Verdict::wrong, 3, put_before_ghosts_of_another, "put by rank 0",
       "get by rank 2"},
  };
  return all;
}

}  // namespace cases
