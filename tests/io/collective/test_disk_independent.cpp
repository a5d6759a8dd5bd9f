// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <numeric>
#include <thread>

#include <unistd.h>

#include "file_model.hpp"
#include "system_calls.hpp"

// Sections of disk arrays that one rank alone writes and reads, checked against a model and raw HDF5.
namespace tessera::test {
namespace {

using io::DiskArray;
using io::IndependentDiskRequest;
using io::Mode;

template <class T, std::size_t N>
void set_elements(const View<T, N>& view, const std::vector<T>& elements) {
  std::size_t i = 0;
  for_each_index(Patch<N>::whole(view.extents()), [&](const Index<N>& at) { view[at] = elements[i++]; });
}

template <class T, std::size_t N>
std::vector<T> elements_of(const View<T, N>& view) {
  std::vector<T> list;
  for_each_index(Patch<N>::whole(view.extents()), [&](const Index<N>& at) { list.push_back(view[at]); });
  return list;
}

// All ranks write the blocks of a random partition of the array at once, and read random patches.
template <class T, std::size_t N>
void write_round(Random& random, DiskArray<T, N>& disk, FileModel<T, N>& model, index_t first) {
  std::vector<OwnedPatch<N>> blocks;
  random_blocks(random, Patch<N>::whole(model.dims), world().size(), 4, blocks);
  std::vector<RandomBuffer<T, N>> memory;  // until the requests are done
  memory.reserve(blocks.size());
  std::vector<IndependentDiskRequest> requests;
  for (const auto& block : blocks) {
    const auto elements = elements_from<T>(first += 1000, block.patch.size());
    model.put(block.patch, elements);
    memory.emplace_back(random, block.patch.extents());
    const bool waits = pick(random, 0, 1) == 0;
    if (block.rank != world().rank()) continue;
    set_elements(memory.back().view, elements);
    if (waits)
      disk.write(block.patch, memory.back().view);
    else
      requests.push_back(disk.write_async(block.patch, memory.back().view));
  }
  if (pick(random, 0, 1) == 0) requests.clear();  // which waits
  disk.sync();
  for (auto& request : requests) {
    EXPECT_TRUE(request.test());
    request.wait();
  }
}

template <class T, std::size_t N>
void read_round(Random& random, const DiskArray<T, N>& disk, const FileModel<T, N>& model) {
  std::vector<Patch<N>> patches;
  std::vector<RandomBuffer<T, N>> memory;
  memory.reserve(6);
  std::vector<IndependentDiskRequest> requests;
  for (int i = 0; i < 6; ++i) {
    patches.push_back(random_patch(random, model.dims));
    memory.emplace_back(random, patches.back().extents());
    requests.push_back(disk.read_async(patches.back(), memory.back().view));
    const Patch<N> now = random_patch(random, model.dims);
    RandomBuffer<T, N> buffer(random, now.extents());
    disk.read(now, buffer.view);
    EXPECT_TRUE(equal_lists(model.get(now), elements_of(buffer.view)));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].wait();
    EXPECT_TRUE(equal_lists(model.get(patches[i]), elements_of(memory[i].view)));
  }
}

template <class T, std::size_t N>
void check_alone(const Extents<N>& dims, int rounds = 3, int seed = 7) {
  const Directory directory;
  const auto path = directory / "disk.h5";
  Random together(static_cast<std::uint64_t>(seed) + N),
      alone(100 + static_cast<std::uint64_t>(world().rank()));
  FileModel<T, N> model{dims, std::vector<T>(at(dims.size()))};
  DiskArray<T, N> disk(world(), path, "deep/tensor", dims,
                       {.buffer = pick(together, 0, 1) == 0 ? 64 << 20 : pick(together, 1, 99),
                        .chunks = random_chunks(together, dims)});
  EXPECT_TRUE(disk.is_asynchronous());
  for (int round = 0; round < rounds; ++round) {
    write_round(together, disk, model, 100 * round);
    read_round(alone, disk, model);
    disk.sync();
  }
  disk.flush();
  model.expect_in(path, "deep/tensor");
  disk.close();
  DiskArray<T, N> again(world(), path, "deep/tensor", Mode::read);
  read_round(alone, again, model);
  again.close();
}

TEST(DiskAlone, float64_in_one_dimension) { check_alone<double, 1>({57}); }
TEST(DiskAlone, float64_in_two_dimensions) { check_alone<double, 2>({17, 23}); }
TEST(DiskAlone, complex128_in_three_dimensions) { check_alone<std::complex<double>, 3>({7, 1, 9}); }
TEST(DiskAlone, float64_in_four_dimensions) { check_alone<double, 4>({5, 4, 6, 5}); }
TEST(DiskAlone, int32_in_eight_dimensions) { check_alone<std::int32_t, 8>({2, 1, 2, 3, 1, 2, 1, 2}); }
TEST(DiskAlone, bytes_in_two_dimensions) { check_alone<Bytes, 2>({15, 16}); }
TEST(DiskAlone, one_element) { check_alone<float, 3>({1, 1, 1}); }
TEST(DiskAlone, rows_longer_than_a_page) { check_alone<std::int64_t, 2>({9, 3000}); }

TEST(DiskAlone, other_buffers_and_chunks) {
  for (int seed = 1; seed <= seeds(2, 100); ++seed) check_alone<double, 3>({6, 9, 7}, 1, seed);
}

TEST(DiskAlone, no_elements) {
  const Directory directory;
  DiskArray<double, 2> disk(world(), directory / "a.h5", "x", {0, 4}),
      some(world(), directory / "b.h5", "y", {3, 4});
  LocalArray<double, 2> none({0, 4}), thin({3, 0});
  disk.write({{0, 0}, {0, 4}}, none);
  disk.read_async({{0, 0}, {0, 4}}, none).wait();
  some.write_async({{3, 0}, {3, 4}}, none).wait();
  some.read({{0, 2}, {3, 2}}, thin);
  EXPECT_TRUE(IndependentDiskRequest().test());
  IndependentDiskRequest().wait();
  some.close();
  disk.close();
}

// Elements of several ranks alternate, so they share every page.
TEST(DiskAlone, neighbours_of_a_section_keep_their_elements) {
  const Directory directory;
  const index_t ranks = world().size(), rows = 50;
  DiskArray<std::int32_t, 3> disk(world(), directory / "a.h5", "x", {rows, ranks, 3});
  LocalArray<std::int32_t, 3> mine({rows, 1, 3});
  const index_t me = world().rank();
  for (int round = 0; round < 10; ++round) {
    for (index_t i = 0; i < rows * 3; ++i)
      mine.data()[i] = static_cast<std::int32_t>(10000 * round + 1000 * me + i);
    disk.write({{0, me, 0}, {rows, me + 1, 3}}, mine);
  }
  disk.sync();
  LocalArray<std::int32_t, 3> all({rows, ranks, 3});
  disk.read(Patch<3>::whole({rows, ranks, 3}), all);
  bool is_right = true;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t r = 0; r < ranks; ++r) {
      for (index_t k = 0; k < 3; ++k) is_right = is_right && all(i, r, k) == 90000 + 1000 * r + 3 * i + k;
    }
  }
  EXPECT_TRUE(is_right);
  disk.close();
}

// Overlapping transfers of one rank act in the order of the calls.
TEST(DiskAlone, transfers_of_one_rank_keep_their_order) {
  const Directory directory;
  DiskArray<double, 2> disk(world(), directory / "a.h5", "x", {world().size(), 1000});
  const auto row = [](index_t begin, index_t end) {
    const index_t me = world().rank();
    return Patch<2>{{me, begin}, {me + 1, end}};
  };
  LocalArray<double, 2> a({1, 1000}), b({1, 500}), c({1, 500}), found({1, 1000});
  for (double& x : a) x = 1;
  for (double& x : b) x = 2;
  for (double& x : c) x = 3;
  refuse.holds = true;  // so that the first write is still in transfer when the others are called
  auto first = disk.write_async(row(0, 1000), a);
  auto second = disk.write_async(row(100, 600), b);
  EXPECT_FALSE(first.test());
  EXPECT_FALSE(second.test());
  std::thread later([] {
    usleep(20000);
    refuse.holds = false;
  });
  disk.write(row(300, 800), c);  // waits for both
  EXPECT_TRUE(second.test());
  auto third = disk.write_async(row(0, 500), b);
  disk.read(row(0, 1000), found);
  later.join();
  third.wait();
  for (index_t i = 0; i < 1000; ++i) EXPECT_EQ(found(0, i), i < 500 ? 2 : i < 800 ? 3 : 1) << i;
  second.wait();
  first.wait();
  disk.close();
}

// A collective read sees what any rank has begun to write, and a rank alone sees what was written collectively.
TEST(DiskAlone, collective_and_independent_transfers_see_each_other) {
  const Directory directory;
  const index_t ranks = world().size(), me = world().rank(), n = 300;
  DiskArray<double, 2> disk(world(), directory / "a.h5", "x", {ranks, n});
  Array<double, 2> whole(world(), {ranks, n}, {.name = "whole"});
  LocalArray<double, 2> mine({1, n}), all({ranks, n});
  for (int round = 0; round < 5; ++round) {
    const index_t row = right();  // which another rank reads
    for (double& x : mine) x = static_cast<double>(100 * round + row);
    refuse.holds = true;
    auto writing = disk.write_async({{row, 0}, {row + 1, n}}, mine);
    std::thread later([me] {
      usleep(static_cast<useconds_t>(2000 + 5000 * me));
      refuse.holds = false;
    });
    disk.read(whole);
    later.join();
    writing.wait();
    std::vector<double> expected;
    for (index_t i = 0; i < ranks * n; ++i) expected.push_back(static_cast<double>(100 * round + i / n));
    EXPECT_TRUE(equal_lists(expected, contents(whole)));
    fill(whole, round + 0.5);
    disk.write(whole);
    disk.read(Patch<2>::whole({ranks, n}), all);
    for (const double x : all) EXPECT_EQ(x, round + 0.5);
    disk.sync();
  }
  // Until wait() the section of a collective transfer belongs to that transfer.
  auto collective = disk.write_async({{0, 0}, {1, n}}, whole.slice({{0, 0}, {1, n}}));
  expect_words(message_of<UsageError>([&] {
                 disk.write({{0, 5}, {1, 6}}, View<double, 2>(mine.data(), {1, 1}));
               }),
               {"[0:1, 5:6) overlaps [0:1, 0:300)", "wait()", "by rank " + std::to_string(me)});
  collective.wait();
  auto reading = disk.read_async({{0, 0}, {1, n}}, whole.slice({{0, 0}, {1, n}}));
  disk.read({{0, 0}, {1, n}}, mine);
  reading.wait();
  EXPECT_EQ(mine(0, n - 1), 4.5);
  disk.close();
}

TEST(DiskAlone, several_threads_of_a_rank) {
  const Directory directory;
  const index_t me = world().rank();
  constexpr index_t threads = 3, sections = 40, n = 64;
  DiskArray<std::int64_t, 3> disk(world(), directory / "a.h5", "x", {world().size(), threads * sections, n});
  const auto work = [&](index_t thread) {
    std::vector<LocalArray<std::int64_t, 3>> memory(sections, LocalArray<std::int64_t, 3>({1, 1, n}));
    std::vector<IndependentDiskRequest> requests;
    for (index_t s = 0; s < sections; ++s) {
      const Patch<3> section = Patch<3>::at({me, thread * sections + s, 0}, {1, 1, n});
      for (index_t i = 0; i < n; ++i) memory[at(s)].data()[i] = 1000 * (thread * sections + s) + i;
      if (s % 2 == 0)
        disk.write(section, memory[at(s)]);
      else
        requests.push_back(disk.write_async(section, memory[at(s)]));
    }
  };
  std::vector<std::thread> all;
  for (index_t t = 0; t < threads; ++t) all.emplace_back(work, t);
  for (auto& thread : all) thread.join();
  disk.sync();
  LocalArray<std::int64_t, 3> found({1, threads * sections, n});
  const index_t other = right();
  disk.read(Patch<3>::at({other, 0, 0}, {1, threads * sections, n}), found);
  bool is_right = true;
  for (index_t s = 0; s < threads * sections; ++s) {
    for (index_t i = 0; i < n; ++i) is_right = is_right && found(0, s, i) == 1000 * s + i;
  }
  EXPECT_TRUE(is_right);
  disk.close();
}

// A request may outlive its array.
TEST(DiskAlone, requests_may_be_dropped_and_outlive_the_array) {
  const Directory directory;
  const auto path = directory / "a.h5";
  LocalArray<double, 2> row({1, 200});
  for (double& x : row) x = 7;
  IndependentDiskRequest late;
  {
    DiskArray<double, 2> disk(world(), path, "x", {2 * world().size(), 200});
    const auto section = [&](index_t i) { return Patch<2>::at({2 * world().rank() + i, 0}, {1, 200}); };
    { const IndependentDiskRequest dropped = disk.write_async(section(0), row); }
    late = disk.write_async(section(1), row);
  }
  late.wait();
  world().barrier();
  on_rank_0([&] {
    const std::vector<double> expected(at(400 * world().size()), 7.0);
    EXPECT_TRUE(equal_lists(expected, raw_dataset<double>(path, "x").elements));
  });
}

// A rank has a file of its own, as its group has no other member.
TEST(DiskAlone, file_of_one_rank) {
  const Directory directory;
  const std::vector<int> me{world().rank()};
  Group alone = world().form(me);
  const auto path = directory / ("rank" + std::to_string(me[0]) + ".h5");
  LocalArray<double, 2> a({20, 30}), found({20, 30});
  std::iota(a.begin(), a.end(), me[0]);
  if (me[0] % 2 == 1) usleep(2000);
  DiskArray<double, 2> disk(alone, path, "x", {20, 30});
  auto writing = disk.write_async(Patch<2>::whole({20, 30}), a);
  disk.read(Patch<2>::whole({20, 30}), found);
  EXPECT_TRUE(std::equal(a.begin(), a.end(), found.begin()));
  disk.close();
  const std::vector<double> expected(a.begin(), a.end());
  EXPECT_TRUE(equal_lists(expected, raw_dataset<double>(path, "x").elements));
  world().barrier();
}

// The system may move fewer bytes than asked.
TEST(DiskAlone, partial_system_calls_are_continued) {
  refuse.is_partial = true;
  check_alone<double, 2>({9, 3000}, 1);
  refuse.is_partial = false;
}

}  // namespace
}  // namespace tessera::test
