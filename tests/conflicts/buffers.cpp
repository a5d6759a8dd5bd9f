// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "cases.hpp"

// Transfers that are under way, and their local memory.
namespace cases {
namespace {

// A flush completes what the request has begun.
void async_put_flush_barrier(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) {
    at.line.put_async({{0}, {8}}, values).wait();
    at.line.flush();
  }
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// A wait frees the buffer only.
void async_put_wait_barrier(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) at.line.put_async({{0}, {8}}, values).wait();
  at.world.barrier();
  if (at.rank == 1) get(at.line, 0, 8);
}

// The get is under way while rank 1 puts.
void async_get_not_waited_for(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  Request request;
  if (at.rank == 0) request = at.line.get_async({{0}, {8}}, values);
  at.world.barrier();
  if (at.rank == 1) put(at.line, 0, 8);
  at.world.barrier();
  request.wait();
}

// The get is complete after its wait.
void async_get_waited_for(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) at.line.get_async({{0}, {8}}, values).wait();
  at.world.barrier();
  if (at.rank == 1) put(at.line, 0, 8);
}

// The put reads a buffer that a get fills.
void buffer_of_two_transfers(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) {
    Request request = at.line.get_async({{0}, {8}}, values);
    at.line.put({{8}, {16}}, values);
    request.wait();
  }
}

// The get is waited for before.
void buffer_of_one_after_the_other(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) {
    at.line.get_async({{0}, {8}}, values).wait();
    at.line.put({{8}, {16}}, values);
  }
}

// The next sync completes it.
void detached_put(Stage& at) {
  const LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) at.line.put_async({{0}, {8}}, values).detach();
  at.line.sync();
  if (at.rank == 1) get(at.line, 0, 8);
}

}  // namespace

std::span<const Case> buffers() {
  static constexpr Case all[] = {
      {"async-put-flush-barrier", Verdict::right, 2, async_put_flush_barrier},
      {"async-put-wait-barrier", Verdict::wrong, 2, async_put_wait_barrier, "put_async by rank 0",
       "get by rank 1"},
      {"async-get-not-waited-for", Verdict::wrong, 2, async_get_not_waited_for, "get_async by rank 0",
       "put by rank 1"},
      {"async-get-waited-for", Verdict::right, 2, async_get_waited_for},
      {"buffer-of-two-transfers", Verdict::wrong, 1, buffer_of_two_transfers, "get_async", "put"},
      {"buffer-of-one-after-the-other", Verdict::right, 1, buffer_of_one_after_the_other},
      {"detached-put", Verdict::right, 2, detached_put},
  };
  return all;
}

}  // namespace cases
