// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>

#include "file_model.hpp"
#include "system_calls.hpp"

// What a rank gets that moves a section alone and fails. The other ranks must not notice.
namespace tessera::test {
namespace {

using io::DiskArray;
using io::IndependentDiskRequest;
using io::IoError;
using io::Mode;

std::string by_me() { return "by rank " + std::to_string(world().rank()) + " alone"; }
bool is_last() { return world().rank() == world().size() - 1; }

// Each rank makes its errors alone: there is no collective call between them.
TEST(DiskAloneErrors, wrong_arguments) {
  const Directory directory;
  const auto path = directory / "a.h5";
  DiskArray<double, 2> disk(world(), path, "x", {20, 3});
  LocalArray<double, 2> a({5, 3});
  if (is_last()) {
    const std::vector<std::string> outside{"\"x\"",  path.string(), by_me(),           "[17:22, 0:3)",
                                           "20 x 3", "dimension 0", "Patch::inclusive"};
    expect_words(message_of<UsageError>([&] { disk.write({{17, 0}, {22, 3}}, a); }), outside);
    expect_words(message_of<UsageError>([&] { disk.read({{17, 0}, {22, 3}}, a); }), outside);
    expect_words(message_of<UsageError>([&] { (void)disk.write_async({{17, 0}, {22, 3}}, a); }), outside);
    expect_words(message_of<UsageError>([&] { (void)disk.read_async({{17, 0}, {22, 3}}, a); }), outside);
    expect_words(message_of<UsageError>([&] { disk.read({{-1, 0}, {4, 3}}, a); }), {"[-1:4, 0:3)"});
    expect_words(message_of<UsageError>([&] { disk.read({{9, 0}, {4, 3}}, a); }), {"[9:4, 0:3)"});
    expect_words(message_of<UsageError>([&] {
                   disk.read({{0, 0}, {4, 3}}, a);
                 }),
                 {"shapes", "[0:4, 0:3)", "5 x 3"});
  }
  disk.write({{0, 0}, {5, 3}}, a);
  disk.close();
  if (is_last())
    expect_words(message_of<UsageError>([&] { disk.write({{0, 0}, {5, 3}}, a); }), {"closed", by_me()});
  expect_words(message_of<UsageError>([&] { disk.sync(); }), {"closed"});
  DiskArray<double, 2> taken = std::move(disk);
  expect_words(message_of<UsageError>([&] { disk.read({{0, 0}, {5, 3}}, a); }), {"moved from"});
  DiskArray<double, 2> read_only(world(), path, "x", Mode::read);
  if (is_last())
    expect_words(message_of<UsageError>([&] {
                   read_only.write({{0, 0}, {5, 3}}, a);
                 }),
                 {"reading", "read_write"});
  read_only.read({{0, 0}, {5, 3}}, a);
  read_only.close();
}

TEST(DiskAloneErrors, wrong_chunks) {
  const Directory directory;
  using Disk = DiskArray<double, 2>;
  const auto message = [&](const std::vector<index_t>& chunks) {
    return message_of<UsageError>([&] { Disk(world(), directory / "a.h5", "x", {4, 4}, {.chunks = chunks}); });
  };
  expect_words(message({2}), {"\"x\"", "chunks of 2", "1 dimension", "2"});
  expect_words(message({2, 0}), {"\"x\"", "2 x 0", "empty"});
  EXPECT_TRUE(directory.names().empty());
}

// Datasets that only HDF5 can move. The message gives the reason.
TEST(DiskAloneErrors, datasets_that_only_hdf5_can_move) {
  const Directory directory;
  const auto path = directory / "a.h5";
  LocalArray<double, 1> a(Extents<1>{4});
  const std::pair<int, const char*> kinds[] = {
      {0, "not in order"}, {1, "compressed"}, {2, "elements of"}, {3, "float32"}};
  for (const auto& [kind, reason] : kinds) {
    on_rank_0([&] {
      const hid_t type = kind == 2 ? H5T_IEEE_F64BE : kind == 3 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
      write_raw_elements(path, "x", {8}, elements_from<double>(0, 8), type, H5T_NATIVE_DOUBLE,
                         kind < 2 ? std::vector<hsize_t>{3} : std::vector<hsize_t>{}, kind == 1 ? 3 : 0);
    });
    DiskArray<double, 1> disk(world(), path, "x", Mode::read_write);
    EXPECT_FALSE(disk.is_asynchronous());
    const std::vector<std::string> words{"\"x\"", by_me(), "only HDF5", reason};
    expect_words(message_of<UsageError>([&] { disk.read({{0}, {4}}, a); }), words);
    expect_words(message_of<UsageError>([&] { disk.write_async({{0}, {4}}, a).wait(); }), words);
    disk.read({{2}, {2}}, View<double, 1>(nullptr, {0}));
    disk.sync();
    disk.close();
  }
}

// The system refuses the writes of one rank. It alone gets an error, and all go on.
TEST(DiskAloneErrors, refused_write_is_an_error_of_its_rank) {
  const Directory directory;
  const auto path = directory / "a.h5";
  DiskArray<double, 2> disk(world(), path, "x", {world().size(), 100});
  LocalArray<double, 2> a({1, 100});
  for (double& x : a) x = 3;
  const Patch<2> mine = Patch<2>::at({world().rank(), 0}, {1, 100});
  const std::vector<std::string> words{"\"x\"", path.string(), by_me(),         "No space left",
                                       "100)",  "part of",     "write it again"};
  refuse.writes = is_last();
  if (is_last()) {
    expect_words(message_of<IoError>([&] { disk.write(mine, a); }), words);
    auto request = disk.write_async(mine, a);
    expect_words(message_of<IoError>([&] { request.wait(); }), words);
    request.wait();
    EXPECT_TRUE(request.test());
  } else {
    disk.write(mine, a);
  }
  disk.sync();  // the errors are known
  refuse.writes = false;
  disk.write(mine, a);
  disk.close();
  on_rank_0([&] {
    EXPECT_TRUE(equal_lists(std::vector<double>(at(100 * world().size()), 3.0),
                            raw_dataset<double>(path, "x").elements));
  });
}

// An error that no wait() has reported is one of the next collective call, on every rank and once.
TEST(DiskAloneErrors, error_that_nobody_waited_for_is_reported_to_all) {
  const Directory directory;
  DiskArray<double, 2> disk(world(), directory / "a.h5", "x", {world().size(), 100});
  LocalArray<double, 2> a({1, 100});
  const Patch<2> mine = Patch<2>::at({world().rank(), 0}, {1, 100});
  const std::string last = "by rank " + std::to_string(world().size() - 1) + " alone";
  IndependentDiskRequest kept;
  for (int call = 0; call < 4; ++call) {
    refuse.writes = is_last();
    if (call % 2 == 0) {
      { const IndependentDiskRequest dropped = disk.write_async(mine, a); }
    } else {
      kept = disk.write_async(mine, a);
    }
    const auto report = [&] {
      if (call < 2) disk.sync();
      if (call == 2) disk.flush();
      if (call == 3) disk.close();
    };
    expect_words(message_of<IoError>(report), {"\"x\"", last, "No space left"});
    refuse.writes = false;
    if (call < 3) disk.sync();
    if (call % 2 == 1 && is_last()) expect_words(message_of<IoError>([&] { kept.wait(); }), {"No space left"});
  }
  disk.close();
  EXPECT_EQ(kept.test(), true);
}

TEST(DiskAloneErrors, refused_read_is_an_error_of_its_rank) {
  const Directory directory;
  DiskArray<double, 1> disk(world(), directory / "a.h5", "x", {100});
  LocalArray<double, 1> a(Extents<1>{100});
  refuse.reads = is_last();
  if (is_last()) {
    expect_words(message_of<IoError>([&] {
                   disk.read({{0}, {100}}, a);
                 }),
                 {"\"x\"", by_me(), "Input/output error"});
    expect_words(message_of<IoError>([&] { disk.read_async({{0}, {100}}, a).wait(); }), {"Input/output error"});
    { const IndependentDiskRequest dropped = disk.read_async({{0}, {100}}, a); }
  }
  refuse.reads = false;
  disk.sync();
  disk.close();
}

TEST(DiskAloneErrors, truncated_file) {
  const Directory directory;
  const auto path = directory / "a.h5";
  DiskArray<double, 1> disk(world(), path, "x", {1000});
  LocalArray<double, 1> a(Extents<1>{1000});
  if (world().rank() == 0) disk.write({{0}, {1000}}, a);
  disk.flush();
  on_rank_0([&] { std::filesystem::resize_file(path, std::filesystem::file_size(path) - 800); });
  if (is_last()) {
    const std::vector<std::string> words{"\"x\"", path.string(), by_me(), "truncated", "[0:1000)"};
    expect_words(message_of<IoError>([&] { disk.read({{0}, {1000}}, a); }), words);
    expect_words(message_of<IoError>([&] { disk.read_async({{0}, {1000}}, a).wait(); }), words);
  }
  disk.read({{0}, {100}}, View<double, 1>(a.data(), {100}));
  disk.close();
}

// The file gives a place for the elements that is not inside of it.
TEST(DiskAloneErrors, damaged_place) {
  const Directory directory;
  const auto path = directory / "a.h5";
  const auto elements = elements_from<double>(0, 100);
  on_rank_0([&] {
    write_raw_elements(path, "x", {100}, elements, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
    std::string bytes = bytes_of(path);
    const std::string data(reinterpret_cast<const char*>(elements.data()), 800);
    const std::uint64_t place = bytes.find(data), damaged = bytes.size() - 792;
    const auto word = [](std::uint64_t number) {
      return std::string(reinterpret_cast<const char*>(&number), sizeof number);
    };
    const auto where = bytes.find(word(place) + word(800));  // as HDF5 stores them
    EXPECT_NE(where, std::string::npos);
    if (where != std::string::npos) bytes.replace(where, 8, word(damaged));
    set_bytes(path, bytes);
  });
  using Disk = DiskArray<double, 1>;
  for (const Mode mode : {Mode::read, Mode::read_write})
    expect_words(message_of<IoError>([&] { Disk(world(), path, "x", mode); }), {"\"x\"", "damaged"});
}

TEST(DiskAloneErrors, missing_thread) {
  const Directory directory;
  DiskArray<double, 1> disk(world(), directory / "a.h5", "x", {100});
  LocalArray<double, 1> a(Extents<1>{100});
  refuse.threads = is_last();
  if (is_last()) {
    expect_words(message_of<IoError>([&] {
                   (void)disk.write_async({{0}, {100}}, a);
                 }),
                 {"\"x\"", by_me(), "no thread for the disk", "write() needs none"});
    disk.write({{0}, {100}}, a);
  }
  refuse.threads = false;
  disk.sync();
  disk.read_async({{0}, {100}}, a).wait();
  disk.close();
}

// A file with holes on a disk that is too small for it.
TEST(DiskAloneErrors, full_disk) {
  const char* small = std::getenv("TESSERA_TEST_FULL_DISK");
  if (small == nullptr) GTEST_SKIP() << "needs a small file system";
  const std::filesystem::path path = std::filesystem::path(small) / "a.h5";
  using Disk = DiskArray<double, 2>;
  expect_words(message_of<IoError>([&] {
                 Disk(world(), path, "x", {100, 100000});
               }),
               {"\"x\"", "No space left"});
  on_rank_0([&] { write_sparse<double>(path, "x", {100, 100000}); });
  Disk disk(world(), path, "x", Mode::read_write);
  LocalArray<double, 2> row({1, 100000});
  for (double& x : row) x = 1;
  std::vector<index_t> written;
  std::string problem;
  for (index_t i = world().rank(); i < 100; i += world().size()) {
    try {
      if (i % 2 == 0)
        disk.write({{i, 0}, {i + 1, 100000}}, row);
      else
        disk.write_async({{i, 0}, {i + 1, 100000}}, row).wait();
      written.push_back(i);
    } catch (const IoError& error) {
      problem = error.what();
      break;
    }
  }
  expect_words(problem, {"\"x\"", path.string(), by_me(), "No space left", "write it again"});
  disk.sync();
  for (const index_t i : written) {
    disk.read({{i, 0}, {i + 1, 100000}}, row);
    EXPECT_EQ(std::count(row.begin(), row.end(), 1.0), 100000);
  }
  disk.close();
}

}  // namespace
}  // namespace tessera::test
