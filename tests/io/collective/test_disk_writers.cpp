// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>

#include "file_model.hpp"

// What may be open beside a DiskArray that is open for writing.
namespace tessera::test {
namespace {

using io::DiskArray;
using io::File;
using io::Mode;

class DiskWriters : public testing::Test {
 protected:
  using Disk = DiskArray<double, 1>;
  DiskWriters() : a_(world(), {20}, {.name = "a"}) { fill(a_, 3.0); }
  void expect_refused(const std::function<void()>& call) {
    expect_words(message_of<io::IoError>(call), {"beside.h5", "open for writing already", "close()"});
  }
  std::vector<double> in_file(const std::string& name) { return raw_dataset<double>(path_, name).elements; }

  const std::vector<double> threes_ = std::vector<double>(20, 3.0);
  Directory directory_;
  const std::filesystem::path path_ = directory_ / "beside.h5";
  Array<double, 1> a_;
};

TEST_F(DiskWriters, file_is_neither_emptied_nor_replaced) {
  on_rank_0([&] { std::filesystem::create_symlink(path_, directory_ / "link"); });
  for (const io::DiskOptions& options : {io::DiskOptions{}, io::DiskOptions{.chunks = {3}}}) {
    Disk disk(world(), path_, options.chunks.empty() ? "x" : "y", {20}, options);
    expect_refused([&] { File(world(), path_, Mode::truncate); });
    expect_refused([&] { io::save(path_, "x", a_); });
    expect_words(message_of<io::IoError>([&] { io::save(directory_ / "link", "x", a_); }), {"already"});
    disk.write(a_);
    disk.close();
  }
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("x"))); });
  EXPECT_EQ(directory_.names(), (Names{"beside.h5", "link"}));
  io::save(path_, "z", a_);
  File(world(), path_, Mode::truncate).close();
}

TEST_F(DiskWriters, dataset_has_one_writer) {
  Disk first(world(), path_, "g/x", {20});
  for (const char* name : {"g/x", "/g/x"})
    expect_refused([&] { Disk(world(), path_, name, Mode::read_write); });
  first.write(a_);
  Disk reader(world(), path_, "g/x", Mode::read), other(world(), path_, "y", {20});
  fill(a_, 0.0);
  reader.read(a_);
  EXPECT_EQ(reduce(a_, Reduce::sum), 60.0);
  other.write(a_);
  first.close();
  Disk second(world(), path_, "g/x", Mode::read_write);
  expect_refused([&] { Disk(world(), path_, "g/x", Mode::read_write); });
  for (Disk* disk : {&second, &other, &reader}) disk->close();
}

// Arrays that were dropped do not count, but those that a request keeps do.
TEST_F(DiskWriters, dropped_array_does_not_count) {
  { Disk dropped(world(), path_, "x", {20}); }
  io::DiskRequest request;
  {
    Disk dropped(world(), path_, "x", Mode::read_write);
    request = dropped.write_async({{0}, {20}}, a_);
  }
  expect_refused([&] { File(world(), path_, Mode::truncate); });
  request.wait();
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("x"))); });
  File(world(), path_, Mode::truncate).close();
}

TEST_F(DiskWriters, files_may_read_and_add_datasets) {
  Disk disk(world(), path_, "x", {20});
  disk.write(a_);
  {
    File reader(world(), path_, Mode::read), writer(world(), path_, Mode::read_write);
    expect_refused([&] { Disk(world(), path_, "x", Mode::read_write); });
    expect_refused([&] { Disk(world(), path_, "z", {20}); });
    writer.write("y", a_);
    fill(a_, 0.0);
    reader.read("x", a_);
    EXPECT_EQ(reduce(a_, Reduce::sum), 60.0);
    disk.write(a_);
    writer.close();
    reader.close();
  }
  disk.close();
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("x"))); });
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("y"))); });
}

// Such as those of a point group whose representations are not all there.
TEST_F(DiskWriters, arrays_without_elements_keep_nobody_out) {
  Disk none(world(), path_, "none", {0}), nothing(world(), path_, "nothing", {0}, {.chunks = {4}}),
      some(world(), path_, "some", {20});
  Array<double, 1> empty(world(), {0});
  none.write(empty);
  nothing.write_async({{0}, {0}}, empty).wait();
  some.write(a_);
  none.flush();
  none.read(empty);
  nothing.close();
  Disk again(world(), path_, "none", Mode::read_write);
  File writer(world(), path_, Mode::read_write);
  writer.write("x", a_);
  writer.close();
  for (Disk* const disk : {&none, &again, &some}) disk->close();
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("some"))); });
  on_rank_0([&] { EXPECT_TRUE(equal_lists(std::vector<double>(), in_file("none"))); });
}

TEST_F(DiskWriters, save_replaces_no_file_that_is_open_to_write) {
  File file(world(), path_, Mode::create);
  expect_refused([&] { io::save(path_, "x", a_); });
  file.write("x", a_);
  file.close();
  on_rank_0([&] { EXPECT_TRUE(equal_lists(threes_, in_file("x"))); });
  { File dropped(world(), path_, Mode::read_write); }
  io::save(path_, "x", a_);
}

}  // namespace
}  // namespace tessera::test
