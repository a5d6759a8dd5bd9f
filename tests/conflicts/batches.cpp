// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/mutexes.hpp>

#include "cases.hpp"

// Operations of a Batch are done at some time before it is sent, and complete after a flush that follows.
namespace cases {
namespace {

constexpr std::int64_t seven = 7;

CASE_INLINE Segment words(const Stage& at, std::string_view name) {
  Segment segment(at.world, 16 * sizeof seven, {.name = name});
  if (segment.address(at.rank) != nullptr)
    std::fill_n(segment.address(at.rank), 16 * sizeof seven, std::byte{0});
  segment.sync();
  return segment;
}
CASE_INLINE std::int64_t word_of(const Segment& segment, int rank, index_t word) {
  std::int64_t value = 0;
  segment.get(rank, word * index_t{sizeof value}, Strided::contiguous(sizeof value), &value);
  return value;
}

void flush_after_send(Stage& at) {
  Segment segment = words(at, "batch-flush-after-send");
  Batch batch;
  if (at.rank == 0) batch.put(segment, 1, 0, &seven, sizeof seven), batch.send(), segment.flush();
  at.world.barrier();
  if (at.rank == 1) word_of(segment, 1, 0);
  segment.sync();
}

void flush_before_send(Stage& at) {
  Segment segment = words(at, "batch-flush-before-send");
  Batch batch;
  if (at.rank == 0) batch.put(segment, 1, 0, &seven, sizeof seven), segment.flush();
  at.world.barrier();
  if (at.rank == 1) word_of(segment, 1, 0);
  batch.send();
  segment.sync();
}

// What fetches is not sent either.
void fetch_flush_before_send(Stage& at) {
  Segment segment = words(at, "batch-fetch-flush-before-send");
  std::int64_t old = 0;
  Batch batch;
  if (at.rank == 0) batch.fetch_add(segment, 1, 0, ElementKind::int64, &seven, &old), segment.flush();
  at.world.barrier();
  if (at.rank == 1) word_of(segment, 1, 0);
  at.world.barrier();
  batch.send();
  segment.sync();
}
void fetch_unlock_before_send(Stage& at) {
  Segment segment = words(at, "batch-fetch-unlock-before-send");
  Mutexes locks(at.world, 1);
  std::int64_t old = 0;
  Batch batch;
  if (at.rank == 0) {
    locks.lock(0);
    batch.fetch_add(segment, 1, 0, ElementKind::int64, &seven, &old);
    locks.unlock(0);
  }
  at.world.barrier();
  if (at.rank == 1) locks.lock(0), word_of(segment, 1, 0), locks.unlock(0);
  at.world.barrier();
  batch.send();
  segment.sync();
}

// The mutex does not protect what is sent later.
void unlock_before_send(Stage& at) {
  Segment segment = words(at, "batch-unlock-before-send");
  Mutexes locks(at.world, 1);
  Batch batch;
  if (at.rank == 0) locks.lock(0), batch.put(segment, 1, 0, &seven, sizeof seven), locks.unlock(0);
  at.world.barrier();
  if (at.rank == 1) locks.lock(0), word_of(segment, 1, 0), locks.unlock(0);
  batch.send();
  segment.sync();
}

// What fetches is complete when send() returns.
void fetch_and_send(Stage& at) {
  Segment segment = words(at, "batch-fetch-and-send");
  Batch batch;
  std::int64_t old = 0;
  if (at.rank == 0) batch.fetch_add(segment, 1, 0, ElementKind::int64, &seven, &old), batch.send();
  at.world.barrier();
  if (at.rank == 1) word_of(segment, 1, 0);
  segment.sync();
}

// Both fill the same memory.
void buffer_of_a_batch(Stage& at) {
  Segment segment = words(at, "buffer-of-a-batch");
  std::int64_t value = 0;
  if (at.rank == 0) {
    Batch batch;
    batch.get(segment, 1, 0, &value, sizeof value);
    Request first = batch.send_async(),
            second = segment.get_async(1, sizeof value, Strided::contiguous(sizeof value), &value);
    second.wait();
    first.wait();
  }
  segment.sync();
}

// As with other atomic operations, the order is made of values.
void polling_of_an_update(Stage& at) {
  Segment segment = words(at, "batch-polling-of-an-update");
  if (at.rank == 0) {
    segment.put(1, 0, Strided::contiguous(sizeof seven), &seven), segment.flush();
    Batch batch;
    batch.update(segment, 1, sizeof seven, ElementKind::int64, Update::sum, &seven);
    batch.send();
  }
  if (at.rank == 1) {
    const std::int64_t nothing = 0;
    for (std::int64_t old = 0; old == 0;)
      segment.fetch_op(1, sizeof old, ElementKind::int64, Update::sum, &nothing, &old);
    word_of(segment, 1, 0);
  }
  segment.sync();
}

}  // namespace

std::span<const Case> batches() {
  static constexpr Case all[] = {
      {"batch-flush-after-send", Verdict::right, 2, flush_after_send},
      {"batch-flush-before-send", Verdict::wrong, 2, flush_before_send, "put by rank 0", "get by rank 1"},
      {"batch-unlock-before-send", Verdict::wrong, 2, unlock_before_send, "put by rank 0", "get by rank 1"},
      {"batch-fetch-and-send", Verdict::right, 2, fetch_and_send},
      {"batch-fetch-flush-before-send", Verdict::wrong, 2, fetch_flush_before_send, "fetch_op by rank 0",
       "get by rank 1"},
      {"batch-fetch-unlock-before-send", Verdict::wrong, 2, fetch_unlock_before_send, "fetch_op by rank 0",
       "get by rank 1"},
      {"buffer-of-a-batch", Verdict::wrong, 2, buffer_of_a_batch, "get_async", "filled by another transfer"},
      {"batch-polling-of-an-update", Verdict::unknown, 2, polling_of_an_update},
  };
  return all;
}

}  // namespace cases
