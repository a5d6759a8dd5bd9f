// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <functional>

#include "file/same_file.hpp"
#include "file_bytes.hpp"
#include "file_model.hpp"

// One path that leads to different files on different ranks, or to a file that nodes number differently.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

// Each rank works in a directory of its own.
class DifferentFiles : public testing::Test {
 protected:
  DifferentFiles() : before_(std::filesystem::current_path()) {
    const auto mine = directory_ / std::to_string(world().rank());
    std::filesystem::create_directory(mine);
    std::filesystem::current_path(mine);
  }
  ~DifferentFiles() override {
    std::filesystem::current_path(before_);
    world().barrier();  // rank 0 removes all directories
  }
  void expect_refused(const std::function<void()>& call) {
    expect_words(message_of<io::IoError>(call), {"a.h5", "is the directory the same on all nodes?"});
  }

  Directory directory_;
  const std::filesystem::path before_;
};

TEST_F(DifferentFiles, are_an_error_on_every_rank) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has one file";
  write_raw<double>("a.h5", "x", {static_cast<hsize_t>(20 + world().rank())});
  const std::string bytes = bytes_of("a.h5");
  world().barrier();
  for (const Mode mode : {Mode::read, Mode::read_write, Mode::truncate})
    expect_refused([&] { File(world(), "a.h5", mode); });
  expect_refused([&] { io::load<double, 1>(world(), "a.h5", "x"); });
  using Disk = io::DiskArray<double, 1>;
  expect_refused([&] { Disk(world(), "a.h5", "x", Mode::read); });
  EXPECT_TRUE(bytes_of("a.h5") == bytes);
  EXPECT_EQ(names_in("."), Names{"a.h5"});
}

TEST_F(DifferentFiles, are_not_made) {
  if (world().size() == 1) GTEST_SKIP() << "one rank has one file";
  expect_refused([&] { File(world(), "a.h5", Mode::create); });
  using Disk = io::DiskArray<double, 1>;
  expect_refused([&] { Disk(world(), "a.h5", "x", {20}); });
  world().barrier();
  EXPECT_EQ(names_in("."), Names{});
}

// A file of each node stands for a shared file that nodes number differently.
TEST(NumbersOfFiles, may_differ_between_nodes_if_the_file_is_shared) {
  using namespace io::detail;
  if (world().node_count() == 1) GTEST_SKIP() << "needs several nodes";
  const Directory directory;
  const auto path = directory / "shared.h5";
  const std::string bytes(200000, 'x');
  on_rank_0([&] {
    set_bytes(path, bytes);
    for (int node = 0; node < world().node_count(); ++node) {
      const auto copy = directory / std::to_string(node);
      set_bytes(copy, bytes);
      std::filesystem::last_write_time(copy, std::filesystem::last_write_time(path));
    }
  });
  const auto mine = directory / std::to_string(world().node_of(world().rank()));
  const Descriptor file = open_to_read(mine);
  for (const Access access : {Access::read, Access::read_write}) {
    EXPECT_EQ(difference(world(), path, file, access, Numbers::may_differ), "");
    expect_words(difference(world(), path, file, access, Numbers::must_agree), {"different files"});
  }
  EXPECT_EQ(directory.names().size(), static_cast<std::size_t>(world().node_count()) + 1)
      << "the file that shows it is left";
  const auto before = std::filesystem::last_write_time(path);
  for (const std::size_t place : {std::size_t{0}, bytes.size() - 1}) {
    on_rank_0([&] {
      set_bytes(mine, std::string(bytes).replace(place, 1, "y"));
      std::filesystem::last_write_time(mine, before);
    });
    expect_words(difference(world(), path, file, Access::read, Numbers::may_differ), {"different files"});
  }
  expect_words(difference(world(), mine, file, Access::read_write, Numbers::may_differ), {"different files"});
}

}  // namespace
}  // namespace tessera::test
