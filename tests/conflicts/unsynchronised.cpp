// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <utility>
#include <vector>

#include <tessera/boundaries.hpp>
#include <tessera/sparse.hpp>
#include <tessera/task_queues.hpp>
#include <tessera/tasks.hpp>

#include "cases.hpp"

// Calls that order nothing by themselves: those that work on a rank's own elements, and draws of tasks.
namespace cases {
namespace {

// A ghost cell beyond an end gets the value of the element at that end.
CASE_INLINE void fill_beyond(Line& line) {
  Boundaries<double, 1>().set(0, Side::both, Boundary<double, 1>::even()).apply(line);
}
void boundary_after_put(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "boundary-after-put", .ghosts = {1}});
  if (at.rank == 1) put(a, 0, 1);
  fill_beyond(a);
  a.sync();
}
// The next element is not read.
void boundary_beside_put(Stage& at) {
  Line a(at.world, at.line.dims(), {.name = "boundary-beside-put", .ghosts = {1}});
  if (at.rank == 1) put(a, 1, 2);
  fill_beyond(a);
  a.sync();
}

SparseMatrix<double> second_differences(const Stage& at) {
  const index_t n = at.line.dims()[0];
  std::vector<Triplet<double>> all;
  for (index_t i = at.rank; i < n; i += at.world.size()) {
    all.push_back({i, i, 2.5});
    if (i > 0) all.push_back({i, i - 1, -1.0});
    if (i + 1 < n) all.push_back({i, i + 1, -1.0});
  }
  return {at.world, n, n, all};
}
struct Product {
  SparseMatrix<double> a;
  Line x, y;
  Product(const Stage& at, std::string_view name)
      : a(second_differences(at)),
        x(at.world, a.column_layout(), {.name = name}),
        y(at.world, a.row_layout(), {.name = name}) {
    fill(x, 1.0);
    fill(y, 0.0);
  }
};
// Another rank puts to elements that their owner multiplies.
void product_of_a_put(Stage& at) {
  Product p(at, "product-of-a-put");
  if (at.rank == 0) put(p.x, per_rank + 2, per_rank + 4);
  p.a.multiply_unsynchronised(p.x, p.y);
  p.y.sync();
}
// Another rank gets elements of the result.
void product_and_get(Stage& at) {
  Product p(at, "product-and-get");
  p.a.multiply_unsynchronised(p.x, p.y);
  if (at.rank == 0) get(p.y, per_rank + 2, per_rank + 4);
  p.y.sync();
}
void product_sync_get(Stage& at) {
  Product p(at, "product-sync-get");
  for (int step = 0; step < 2; ++step) {
    write_own(p.x);
    p.a.multiply_unsynchronised(p.x, p.y);
  }
  p.y.sync();
  get(p.y, 0, per_rank * at.world.size());
}

// Tasks that add to the same elements.
void tasks_that_add(Stage& at) {
  TaskCounter tasks(at.world, 10);
  for_each_task(tasks, [&](index_t) { acc(at.line, 0, 4); });
}
// Tasks that put to the same element: the draws do not order them.
void tasks_that_put(Stage& at) {
  TaskCounter tasks(at.world, at.world.size());
  if (at.rank < 2 && tasks.next()) put(at.line, 0, 1);
  at.world.barrier();
}
void queued_tasks_that_put(Stage& at) {
  TaskQueues tasks(at.world, 1);
  if (at.rank < 2 && tasks.next()) put(at.line, 0, 1);
  at.world.barrier();
}

}  // namespace

std::span<const Case> unsynchronised() {
  constexpr std::string_view put_by_0 = "put by rank 0", read_by_1 = "local access for reading by rank 1";
  static constexpr Case all[] = {
      {"boundary-after-put", Verdict::wrong, 2, boundary_after_put, "local access for reading by rank 0",
       "put by rank 1"},
      {"boundary-beside-put", Verdict::right, 2, boundary_beside_put},
      {"product-of-a-put", Verdict::wrong, 2, product_of_a_put, put_by_0, read_by_1},
      {"product-and-get", Verdict::wrong, 2, product_and_get, "get by rank 0",
       "local access for writing by rank 1"},
      {"product-sync-get", Verdict::right, 2, product_sync_get},
      {"tasks-that-add", Verdict::right, 1, tasks_that_add},
      {"tasks-that-put", Verdict::wrong, 2, tasks_that_put, put_by_0, "put by rank 1"},
      {"queued-tasks-that-put", Verdict::wrong, 2, queued_tasks_that_put, put_by_0, "put by rank 1"},
  };
  return all;
}

}  // namespace cases
