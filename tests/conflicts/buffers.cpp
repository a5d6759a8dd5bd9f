// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sys/mman.h>

#include <tessera/runtime/local_buffer.hpp>

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

// Rank 0 changes the source of its put too early.
void source_changed_before_wait(Stage& at) {
  if (at.rank != 0) return;
  LocalArray<double, 1> values(Extents<1>{8});
  Request request = at.line.put_async({{0}, {8}}, values);
  values(7) = 5.0;
  request.wait();
}

// The same after the wait.
void source_changed_after_wait(Stage& at) {
  if (at.rank != 0) return;
  LocalArray<double, 1> values(Extents<1>{8});
  Request request = at.line.put_async({{0}, {8}}, values);
  request.wait();
  values(7) = 5.0;
  at.line.flush();
}

// test() ends the transfer as wait() does.
void source_changed_after_test(Stage& at) {
  if (at.rank != 0) return;
  LocalArray<double, 1> values(Extents<1>{8});
  Request request = at.line.put_async({{0}, {8}}, values);
  while (!request.test()) {
  }
  values(7) = 5.0;
  at.line.flush();
}

// The source of a detached put must stay until the sync.
void detached_source_changed(Stage& at) {
  LocalArray<double, 1> values(Extents<1>{8});
  if (at.rank == 0) at.line.put_async({{0}, {8}}, values).detach();
  values(0) = 5.0;
  at.line.sync();
}

// On a node the get is done when the call returns, so what it got must stay.
void target_changed_before_wait(Stage& at) {
  if (at.rank != 0) return;
  LocalArray<double, 1> values(Extents<1>{8});
  Request request = at.line.get_async({{0}, {8}}, values);
  values(0) = 5.0;
  request.wait();
}

// The memory is no more when the request waits.
void source_unmapped(Stage& at) {
  if (at.rank != 0) return;
  constexpr std::size_t bytes = 1 << 16;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const View<double, 1> values(static_cast<double*>(memory), Extents<1>{8});
  Request request = at.line.put_async({{0}, {8}}, values);
  munmap(memory, bytes);
  request.wait();
}

// The buffer is destroyed before the request, which was declared first.
void registered_buffer_freed(Stage& at) {
  if (at.rank != 0) return;
  Request request;
  const LocalBuffer<double> values(8);
  request = at.line.get_async({{0}, {8}}, View<double, 1>(values.data(), Extents<1>{8}));
}

// The request is destroyed first, and waits.
void registered_buffer_kept(Stage& at) {
  if (at.rank != 0) return;
  const LocalBuffer<double> values(8);
  const Request request = at.line.get_async({{0}, {8}}, View<double, 1>(values.data(), Extents<1>{8}));
}

// The source is memory of an array that is closed before the wait.
void source_in_closed_array(Stage& at) {
  Line other(at.world, {per_rank * at.world.size()}, {.name = "other"});
  fill(other, 1.0);
  Request request;
  if (at.rank == 0) {
    const auto mine = std::as_const(other).local();
    request = at.line.put_async({{0}, {8}}, View<const double, 1>(mine.data(), Extents<1>{8}));
  }
  other.close();
  request.wait();
}

// Source and target overlap, so the put itself changes its source.
void source_in_target(Stage& at) {
  if (at.rank != 0) return;
  auto mine = at.line.local();
  for (index_t i = 0; i < 12; ++i) mine.data()[i] = static_cast<double>(i);
  const View<const double, 1> values(mine.data() + 4, Extents<1>{8});
  mine.release();
  at.line.put_async({{0}, {8}}, values).wait();
}

// The elements belong to the transfer, which waits when it goes.
void elements_of_the_transfer(Stage& at) {
  if (at.rank == 0) const auto transfer = at.line.get_async({{0}, {8}});
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
      {"buffer-of-two-transfers", Verdict::wrong, 1, buffer_of_two_transfers, "get_async",
       "read by another transfer"},
      {"buffer-of-one-after-the-other", Verdict::right, 1, buffer_of_one_after_the_other},
      {"detached-put", Verdict::right, 2, detached_put},
      {"source-changed-before-wait", Verdict::wrong, 1, source_changed_before_wait, "put_async",
       "changed or freed before the wait"},
      {"source-changed-after-wait", Verdict::right, 1, source_changed_after_wait},
      {"source-changed-after-test", Verdict::right, 1, source_changed_after_test},
      {"detached-source-changed", Verdict::wrong, 1, detached_source_changed, "put_async",
       "changed or freed before the wait"},
      {"target-changed-before-wait", Verdict::wrong, 1, target_changed_before_wait, "get_async",
       "changed or freed before the wait"},
      {"source-unmapped", Verdict::wrong, 1, source_unmapped, "put_async", "freed before the wait"},
      {"registered-buffer-freed", Verdict::wrong, 1, registered_buffer_freed, "get_async", "freed"},
      {"registered-buffer-kept", Verdict::right, 1, registered_buffer_kept},
      {"source-in-closed-array", Verdict::wrong, 1, source_in_closed_array, "put_async", "freed"},
      {"source-in-target", Verdict::right, 1, source_in_target},
      {"elements-of-the-transfer", Verdict::right, 1, elements_of_the_transfer},
  };
  return all;
}

}  // namespace cases
