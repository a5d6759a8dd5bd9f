// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <numeric>

#include <unistd.h>

#include "file_model.hpp"
#include "system_calls.hpp"

// The system calls of sections that one rank alone moves, and files of other programs.
namespace tessera::test {
namespace {

using io::DiskArray;
using io::IndependentDiskRequest;
using io::Mode;

// Writes a new file whose chunks are in the order of their indices.
void write_in_order(const std::filesystem::path& path, const std::string& name,
                    const std::vector<hsize_t>& dims, const std::vector<hsize_t>& most,
                    const std::vector<hsize_t>& chunk, const std::vector<std::int32_t>& elements,
                    hsize_t user_block) {
  const hid_t access = good(H5Pcreate(H5P_FILE_ACCESS)), of_file = good(H5Pcreate(H5P_FILE_CREATE));
  good(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
  good(H5Pset_userblock(of_file, user_block));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, of_file, access));
  const hid_t space = good(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), most.data()));
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
    on_rank_0([&] { write_in_order(path, "x", {9, 6}, {9, 10}, {4, 5}, expected, user_block); });
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
  // HDF5 leaves room for the chunks that the dataset may grow by.
  on_rank_0([&] { write_in_order(path, "x", {9, 6}, {9, 20}, {4, 5}, expected, 0); });
  DiskArray<std::int32_t, 2> grows(world(), path, "x", Mode::read);
  EXPECT_FALSE(grows.is_asynchronous());
  Array<std::int32_t, 2> all(world(), {9, 6});
  grows.read(all);
  EXPECT_TRUE(equal_lists(expected, contents(all)));
  grows.close();
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
