// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// A tour of the one-sided operations beyond put, get and acc: halos without a barrier, transfers that go on
// while the program computes, lists of elements, a shared counter, and mutexes. Also memory that one process
// allocates for all. Each part checks its result, and the program prints its statistics.
#include <cstdio>
#include <mutex>
#include <numeric>
#include <vector>

#include <tessera/tessera.hpp>

using tessera::Array, tessera::Group, tessera::index_t, tessera::Index, tessera::LocalArray, tessera::Patch;

namespace {

bool all_agree(const Group& world, bool mine) {
  return world.all_reduce<std::int32_t>(mine ? 1 : 0, tessera::Reduce::min) == 1;
}

// Every rank owns a row of `n` points and two more for its neighbours' edge points. A neighbour's point arrives
// with a notification, so a rank waits only for its neighbours.
bool halo_exchange(const Group& world) {
  const int me = world.rank(), size = world.size(), left = (me + size - 1) % size, right = (me + 1) % size;
  constexpr index_t n = 1000;
  constexpr int steps = 10;
  const auto by_rows = tessera::Layout<2>::blocked({size, n + 2}, size, {.grid = {{size, 1}}});
  // [halo]
  Array<double, 2> u(world, by_rows, {.name = "u"});
  tessera::Flags arrived(world, 2);  // two on each rank: from the left, from the right
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    LocalArray<double, 2> first({1, 1}), last({1, 1});
    first(0, 0) = 10 * me + step;
    last(0, 0) = 10 * me + step + 0.5;
    u.put_notify(Patch<2>::at({left, n + 1}, {1, 1}), first, arrived.at(left, 1));
    u.put_notify(Patch<2>::at({right, 0}, {1, 1}), last, arrived.at(right, 0));
    arrived.wait(0);  // the point from the left neighbour is there
    arrived.wait(1);
    sum += u.load({me, 0}) + u.load({me, n + 1});
    arrived.notify(left, 1);  // we have read its point, it may send again
    arrived.notify(right, 0);
    arrived.wait(0);
    arrived.wait(1);
  }
  // [halo]
  return sum == steps * (10.0 * (left + right) + 0.5) + steps * (steps - 1);
}

// While one block is worked on, the next is fetched.
bool sum_of_all_blocks(const Group& world) {
  const index_t n = 5000, blocks = world.size();
  Array<double, 1> a(world, tessera::Extents<1>(n * blocks), {.name = "blocks"});
  tessera::fill(a, 2.0);
  double sum = 0;
  // [async]
  LocalArray<double, 1> now(tessera::Extents<1>{n}), next(tessera::Extents<1>{n});
  auto request = a.get_async(Patch<1>::at({0}, {n}), next);
  for (index_t block = 0; block < blocks; ++block) {
    request.wait();
    std::swap(now, next);
    if (block + 1 < blocks) request = a.get_async(Patch<1>::at({(block + 1) * n}, {n}), next);
    sum = std::accumulate(now.begin(), now.end(), sum);
  }
  // [async]
  a.sync();
  return sum == 2.0 * static_cast<double>(n * blocks);
}

// Every rank counts into the same bins, many at once.
bool histogram(const Group& world) {
  constexpr index_t bins = 50;
  // [list]
  Array<std::int64_t, 1> counts(world, {bins}, {.name = "histogram"});
  tessera::fill(counts, 0);
  std::vector<Index<1>> where;
  for (index_t i = 0; i < 2 * bins; ++i) where.push_back({i * i % bins});
  const std::vector<std::int64_t> ones(where.size(), 1);
  counts.scatter_acc(where, ones);  // a bin that is listed twice is added to twice
  counts.sync();
  // [list]
  // [batches]
  counts.scatter_acc(where, ones, 1, {tessera::VectorMethod::automatic, 1000});  // 1,000 at a time to each rank
  // [batches]
  counts.sync();
  return tessera::reduce(counts, tessera::Reduce::sum) == 4 * bins * world.size();
}

// A counter hands out tasks. Each task is done once, by the rank that draws it.
bool tasks(const Group& world) {
  constexpr std::int64_t count = 200;
  Array<std::int64_t, 1> done_by(world, {count}, {.name = "done by"});
  tessera::fill(done_by, 0);
  // [counter]
  tessera::Scalars<std::int64_t> counter(world, 1, "next task");
  for (std::int64_t task; (task = counter.fetch_add(0, 0, 1)) < count;) done_by.fetch_add({task}, 1);
  // [counter]
  done_by.sync();
  return tessera::reduce(done_by, tessera::Reduce::min) == 1 &&
         tessera::reduce(done_by, tessera::Reduce::max) == 1;
}

// Two elements that have to change together.
bool transfer_of_funds(const Group& world) {
  Array<std::int64_t, 1> account(world, {2}, {.name = "accounts"});
  tessera::fill(account, 1000);
  // [mutex]
  tessera::Mutexes mutexes(world, 1);
  auto mutex = mutexes[0];
  for (int i = 0; i < 20; ++i) {
    const std::scoped_lock lock(mutex);
    account.store({0}, account.load({0}) - 1);
    account.store({1}, account.load({1}) + 1);
  }
  // [mutex]
  account.sync();
  const bool right =
      account.load({0}) == 1000 - 20 * world.size() && account.load({1}) == 1000 + 20 * world.size();
  account.sync();
  return right;
}

// One rank makes a list for the others by itself; they need only the pointer.
bool list_for_all(const Group& world) {
  std::vector<double> values(300);
  std::iota(values.begin(), values.end(), 1.0);
  const auto bytes = static_cast<index_t>(values.size() * sizeof(double));
  // [heap]
  tessera::Heap heap(world, 1 << 20);
  tessera::HeapPointer list;
  if (world.rank() == 0) {
    list = heap.allocate(bytes);
    heap.segment().put(list.rank, list.offset, tessera::Strided::contiguous(bytes), values.data());
    heap.segment().flush(list.rank);
  }
  list = world.broadcast(list, 0);
  const double third = heap.segment().load<double>(list.rank, (list + 2 * sizeof(double)).offset);
  // [heap]
  world.barrier();
  return third == 3.0;
}

// Many small updates all over a table, sent together.
bool table_updates(const Group& world) {
  constexpr index_t words = 1024, updates = 4096;
  tessera::Segment table(world, words * 8, "table");
  for (index_t i = 0; i < words; ++i) table.store(world.rank(), 8 * i, std::int64_t{0});
  table.sync();
  // [batch]
  tessera::Batch batch;
  const std::int64_t one = 1;
  std::uint64_t random = 88172645463325252U + static_cast<std::uint64_t>(world.rank());
  for (index_t i = 0; i < updates; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    const auto owner = static_cast<int>(random % static_cast<std::uint64_t>(world.size()));
    const auto word = static_cast<index_t>(random >> 32) % words;
    batch.accumulate(table, owner, 8 * word, tessera::ElementKind::int64, &one, &one, sizeof one);
  }
  batch.send();
  table.sync();
  // [batch]
  std::int64_t sum = 0;
  for (index_t i = 0; i < words; ++i) sum += table.load<std::int64_t>(world.rank(), 8 * i);
  return world.all_reduce(sum, tessera::Reduce::sum) == updates * world.size();
}

}  // namespace

int main(int argc, char** argv) {
  tessera::Runtime runtime(argc, argv);
  const Group& world = runtime.world();
  struct Part {
    const char* name;
    bool (*run)(const Group&);
  };
  bool right = true;
  for (const Part& part :
       {Part{"halo exchange without a barrier", halo_exchange}, Part{"blocks fetched ahead", sum_of_all_blocks},
        Part{"histogram from lists of bins", histogram}, Part{"tasks from a shared counter", tasks},
        Part{"two accounts under a mutex", transfer_of_funds},
        Part{"a list that rank 0 allocated", list_for_all},
        Part{"updates of a table, in batches", table_updates}}) {
    const bool good = all_agree(world, part.run(world));
    if (world.rank() == 0) std::printf("%-34s %s\n", part.name, good ? "right" : "WRONG");
    right = right && good;
  }
  if (world.rank() == 0) std::printf("%s", runtime.statistics().text().c_str());
  return right ? 0 : 1;
}
