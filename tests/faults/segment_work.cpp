// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <mutex>
#include <numeric>
#include <vector>

#include <tessera/runtime/batch.hpp>
#include <tessera/runtime/flags.hpp>
#include <tessera/runtime/local_buffer.hpp>
#include <tessera/runtime/mutexes.hpp>
#include <tessera/runtime/request.hpp>
#include <tessera/runtime/scalars.hpp>
#include <tessera/runtime/segment.hpp>

#include "work.hpp"

namespace tessera::test {
namespace {

constexpr index_t word = sizeof(double);

struct Ring {
  int rank, size, right, left;
  explicit Ring(const Group& group)
      : rank(group.rank()), size(group.size()), right((rank + 1) % size), left((rank + size - 1) % size) {}
};

// Every rank puts to its right neighbour, and all add to the first element of rank 0.
void transfer(const Group& world, index_t count, TransferMethod method) {
  const Ring ring(world);
  Segment segment(world, count * word, {.name = "transferred", .method = method});
  LocalBuffer<double> mine(count), got(count);
  std::iota(mine.begin(), mine.end(), 1000.0 * ring.rank);
  segment.put(ring.right, 0, Strided::contiguous(count * word), mine.data());
  segment.sync();
  Request request = segment.get_async(ring.right, 0, Strided::contiguous(count * word), got.data());
  request.wait();
  require(got[0] == 1000.0 * ring.rank && got[count - 1] == 1000.0 * ring.rank + double(count - 1),
          "put and get_async");
  // Every second element, to the next but one.
  Strided every_second;
  every_second.run = word;
  every_second.levels = 1;
  every_second.count[0] = count / 2;
  every_second.remote_stride[0] = every_second.local_stride[0] = 2 * word;
  const int second = (ring.rank + 2) % ring.size;
  segment.sync();
  segment.put(second, 0, every_second, mine.data());
  segment.sync();
  got[0] = got[2] = -1;
  segment.get(second, 0, every_second, got.data());
  require(got[0] == 1000.0 * ring.rank && got[2] == 1000.0 * ring.rank + 2, "strided put and get");
  segment.sync();
  const double one = 1, zero = 0;
  if (ring.rank == 0) segment.store(0, 0, zero);
  segment.sync();
  segment.accumulate(0, 0, Strided::contiguous(word), ElementKind::float64, &one, &one);
  double before = -1;
  segment.fetch_add(0, 0, ElementKind::float64, &one, &before);
  require(before >= 1 && before < 2 * ring.size, "fetch_add");
  segment.sync();
  require(segment.load<double>(0, 0) == 2 * ring.size, "accumulate");
  segment.close();
}

// Every rank adds 1 to a number on rank 0, under a mutex that excludes the others.
void exclude(const Group& world) {
  Segment numbers(world, word, "numbers");
  Mutexes mutexes(world, 2, world.size() - 1);
  if (world.rank() == 0) numbers.store(0, 0, 0.0);
  numbers.sync();
  for (int i = 0; i < 3; ++i) {
    const auto mutex = mutexes[1];
    const std::lock_guard lock(mutex);
    numbers.store(0, 0, numbers.load<double>(0, 0) + 1);
    numbers.flush();
  }
  numbers.sync();
  require(numbers.load<double>(0, 0) == 3 * world.size(), "mutexes");
}

void notify(const Group& world) {
  const Ring ring(world);
  Segment halo(world, 2 * word, "halo");
  Flags flags(world, 1);
  for (int step = 0; step < 3; ++step) {
    const double value = ring.rank + 100 * step;
    put_notify(halo, ring.right, 0, Strided::contiguous(word), &value, flags.at(ring.right, 0));
    flags.wait(0);
    require(halo.load<double>(ring.rank, 0) == ring.left + 100 * step, "put_notify");
    world.barrier();
  }
}

void batch(const Group& world) {
  const Ring ring(world);
  Segment segment(world, 32 * word, "batched");
  const double zeroes[32] = {}, values[3] = {1, 2, 3}, one = 1;
  segment.put(ring.rank, 0, Strided::contiguous(sizeof zeroes), zeroes);
  segment.sync();
  Batch batch;
  for (index_t i = 0; i < 3; ++i) {
    batch.put(segment, ring.right, 2 * i * word, values + i, word);
    batch.accumulate(segment, 0, 31 * word, ElementKind::float64, &one, values + i, word);
  }
  batch.send();
  segment.sync();
  require(segment.load<double>(ring.rank, 4 * word) == 3, "a batch's puts");
  require(segment.load<double>(0, 31 * word) == 6 * ring.size, "a batch's sums");
}

void divide(const Group& world) {
  Group half = world.split(world.rank() % 2, -world.rank());
  std::vector<double> many(3000, world.rank());
  half.all_reduce(std::span(many), Reduce::max);
  const int last = world.size() - 1;
  require(many[2999] == (last % 2 == world.rank() % 2 ? last : last - 1), "a group's reduction");
  const auto ranks = world.all_gather(world.rank() * 2);
  require(ranks.back() == 2 * last, "all_gather");
  require(world.broadcast(world.rank() + 7, last) == last + 7, "broadcast");
  half.close();
}

}  // namespace

void work_with_segments(const Group& world) {
  transfer(world, 500, TransferMethod::automatic);      // of a slab
  transfer(world, 400'000, TransferMethod::automatic);  // huge pages, several messages
  transfer(world, 9000, TransferMethod::direct);
  transfer(world, 9000, TransferMethod::batched);
  Scalars<std::int64_t> counter(world, 1);
  if (world.rank() == 0) counter.store(0, 0, 0);
  world.sync();
  for (int i = 0; i < 5; ++i) counter.fetch_add(0, 0, 2);
  world.sync();
  require(counter.load(0, 0) == 10 * world.size(), "scalars");
  exclude(world);
  notify(world);
  batch(world);
  divide(world);
}

}  // namespace tessera::test
