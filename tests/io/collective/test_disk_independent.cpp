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

// Writes a new file whose chunks are in the order of their indices.
void write_in_order(const std::filesystem::path& path, const std::string& name,
                    const std::vector<hsize_t>& dims, const std::vector<hsize_t>& chunk,
                    const std::vector<std::int32_t>& elements, hsize_t user_block) {
  const hid_t access = good(H5Pcreate(H5P_FILE_ACCESS)), of_file = good(H5Pcreate(H5P_FILE_CREATE));
  good(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  good(H5Pset_userblock(of_file, user_block));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, of_file, access));
  const hid_t space = good(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
  const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
  good(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  const hid_t dataset =
      good(H5Dcreate2(file, name.c_str(), H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  good(H5Dwrite(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()));
  good(H5Dclose(dataset));
  for (const hid_t list : {access, of_file, creation}) good(H5Pclose(list));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

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
      some(world(), directory / "a.h5", "y", {3, 4});
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

// The number of system calls decides how fast small sections are.
TEST(DiskAlone, few_system_calls_move_a_section) {
  const Directory directory;
  const index_t me = world().rank();
  DiskArray<double, 3> disk(world(), directory / "a.h5", "x", {world().size(), 200, 200});
  LocalArray<double, 3> memory({1, 200, 200}), column({1, 200, 3}), wide({1, 200, 300});
  const Patch<3> mine{{me, 0, 0}, {me + 1, 200, 200}}, columns{{me, 0, 5}, {me + 1, 200, 8}};
  std::iota(memory.begin(), memory.end(), 0.0);
  const auto count = [&](auto&& action) {
    calls.reset();
    action();
    return calls.reads + calls.writes;
  };
  EXPECT_EQ(count([&] { disk.write(mine, memory); }), 1);
  EXPECT_EQ(count([&] { disk.read(mine, memory); }), 1);
  EXPECT_EQ(calls.largest, 320000U);  // straight to the memory
  // Rows that are apart in memory, but not in the file.
  const View<double, 3> padded = wide.view().subview({{0, 0, 0}, {1, 200, 200}});
  EXPECT_EQ(count([&] {
              disk.read({{me, 20, 0}, {me + 1, 80, 200}}, padded.subview({{0, 0, 0}, {1, 60, 200}}));
            }),
            1);
  EXPECT_EQ(padded(0, 59, 199), 15999);
  EXPECT_EQ(count([&] {
              disk.write({{me, 20, 0}, {me + 1, 80, 200}}, padded.subview({{0, 0, 0}, {1, 60, 200}}));
            }),
            1);
  // Columns are read with what lies between them, in pieces of at most 256 KiB. They are written one by one.
  EXPECT_EQ(count([&] { disk.read(columns, column); }), 2);
  EXPECT_LE(calls.largest, 262144U);
  EXPECT_EQ(column(0, 199, 2), 199 * 200 + 7);
  EXPECT_EQ(count([&] { disk.write(columns, column); }), 200);
  // The other order of storage goes through a buffer.
  const View<double, 3> transposed(memory.data(), {1, 200, 200}, {1, 1, 200});
  EXPECT_LE(count([&] { disk.write(mine, transposed); }), 10);
  EXPECT_LE(calls.largest, 262144U);
  disk.sync();
  disk.read({{me, 3, 9}, {me + 1, 4, 10}}, View<double, 3>(column.data(), {1, 1, 1}));
  EXPECT_EQ(column(0, 0, 0), 9 * 200 + 3);
  disk.close();
}

// A section that is a chunk is contiguous in the file, although it is narrow.
TEST(DiskAlone, few_system_calls_move_chunks) {
  const Directory directory;
  const auto path = directory / "a.h5";
  const index_t me = world().rank(), n = world().size();
  DiskArray<double, 2> first(world(), path, "in one piece", {4, 4});  // so that the file is of the older format
  first.close();
  DiskArray<double, 2> disk(world(), path, "deep/x", {10 * n, 95}, {.chunks = {10, 20}});
  LocalArray<double, 2> memory({10 * n, 95}), chunk({10, 20}), found({10 * n, 95});
  std::iota(memory.begin(), memory.end(), 0.0);
  const auto move = [&](const Patch<2>& section) {
    calls.reset();
    disk.write(section, memory.view().subview(section));
    return calls.writes.load();
  };
  const index_t last = 10 * me + 10;
  EXPECT_EQ(move({{10 * me, 0}, {last, 20}}), 1);
  EXPECT_EQ(move({{10 * me, 20}, {last, 80}}), 1);   // three chunks, one after the other
  EXPECT_EQ(move({{10 * me, 80}, {last, 95}}), 10);  // the last has room for 20 columns
  disk.sync();
  disk.read(Patch<2>::whole(disk.dims()), found);
  const std::vector<double> expected(memory.begin(), memory.end());
  EXPECT_TRUE(equal_lists(expected, std::vector<double>(found.begin(), found.end())));
  disk.close();
  io::File file(world(), path, Mode::read);
  EXPECT_EQ(file.dataset("deep/x").chunks, (std::vector<index_t>{10, 20}));
  Array<double, 2> all(world(), {10 * n, 95});
  file.read("deep/x", all);
  EXPECT_TRUE(equal_lists(expected, contents(all)));
  file.close();
  on_rank_0([&] { EXPECT_TRUE(equal_lists(expected, raw_dataset<double>(path, "deep/x").elements)); });
}

// Another program's chunks, if HDF5 keeps them in order.
TEST(DiskAlone, chunks_of_other_programs) {
  const Directory directory;
  const auto path = directory / "a.h5";
  const auto expected = elements_from<std::int32_t>(0, 54);
  LocalArray<std::int32_t, 2> found({9, 6});
  for (const hsize_t user_block : {hsize_t{0}, hsize_t{512}}) {
    on_rank_0([&] { write_in_order(path, "x", {9, 6}, {4, 5}, expected, user_block); });
    DiskArray<std::int32_t, 2> disk(world(), path, "x", Mode::read_write);
    EXPECT_EQ(disk.is_asynchronous(), user_block == 0);
    if (user_block == 0) {
      disk.read(Patch<2>::whole({9, 6}), found);
      EXPECT_TRUE(equal_lists(expected, std::vector<std::int32_t>(found.begin(), found.end())));
      disk.sync();
      if (world().rank() == 0) disk.write({{8, 5}, {9, 6}}, View<std::int32_t, 2>(found.data(), {1, 1}));
    }
    disk.close();
    if (user_block > 0) continue;
    auto changed = expected;
    changed.back() = changed.front();
    on_rank_0([&] { EXPECT_TRUE(equal_lists(changed, raw_dataset<std::int32_t>(path, "x").elements)); });
  }
}

// The system may move fewer bytes than asked.
TEST(DiskAlone, partial_system_calls_are_continued) {
  refuse.is_partial = true;
  check_alone<double, 2>({9, 3000}, 1);
  refuse.is_partial = false;
}

// Positions beyond 2^31 elements and bytes, in a file with holes.
TEST(DiskAlone, positions_beyond_2_to_the_31_are_reached) {
  const Directory directory;
  const auto path = directory / "sparse.h5";
  const index_t n = (index_t{1} << 31) + 11;
  on_rank_0([&] { write_sparse<Bytes>(path, "x", {3, static_cast<hsize_t>(n)}); });
  DiskArray<Bytes, 2> disk(world(), path, "x", Mode::read_write);
  const index_t me = world().rank();
  LocalArray<Bytes, 2> written({2, 1}), found({2, 1});
  for (index_t i = 0; i < 2; ++i) written(i, 0) = element<Bytes>(10 * me + i);
  disk.write({{1, n - 1 - me}, {3, n - me}}, written);
  disk.sync();
  const index_t other = right();
  disk.read({{1, n - 1 - other}, {3, n - other}}, found);
  for (index_t i = 0; i < 2; ++i) EXPECT_EQ(found(i, 0), element<Bytes>(10 * other + i));
  disk.close();
}

}  // namespace
}  // namespace tessera::test
