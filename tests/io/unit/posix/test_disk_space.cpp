// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <tessera/io/error.hpp>

#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "file_size_limit.hpp"
#include "message_of.hpp"
#include "posix/disk_space.hpp"
#include "temporary_directory.hpp"

namespace {

using tessera::index_t;
using tessera::io::IoError;
using tessera::io::detail::check_file_size;
using tessera::io::detail::Descriptor;
using tessera::io::detail::open_to_write;
using tessera::io::detail::release_space;
using tessera::io::detail::reserve_space;
using tessera::io::detail::Size;
using tessera::test::bytes_of;
using tessera::test::expect_words;
using tessera::test::FileSizeLimit;
using tessera::test::message_of;
using tessera::test::set_bytes;
using tessera::test::TemporaryDirectory;

constexpr index_t mebi = index_t{1} << 20;

class DiskSpace : public testing::Test {
 protected:
  void SetUp() override {
    set_bytes(path_, "");
    const Descriptor probe = open_to_write(path_);
    if (fallocate(probe.get(), 0, 0, 1) != 0) GTEST_SKIP() << "this file system cannot reserve space";
    set_bytes(path_, text_);
  }
  struct stat status() const {
    struct stat status {};
    EXPECT_EQ(stat(path_.c_str(), &status), 0);
    return status;
  }
  index_t size() const { return status().st_size; }
  index_t bytes_on_disk() const { return 512 * status().st_blocks; }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_ / "a";
  const std::string text_ = "some bytes that stay";
};

TEST_F(DiskSpace, that_grows_the_file_is_taken_and_reads_as_zeros) {
  reserve_space(open_to_write(path_), 0, 5 * mebi, Size::grows);
  EXPECT_EQ(size(), 5 * mebi);
  EXPECT_GE(bytes_on_disk(), 5 * mebi);
  const std::string rest(static_cast<std::size_t>(5 * mebi) - text_.size(), '\0');
  EXPECT_TRUE(bytes_of(path_) == text_ + rest);
}

TEST_F(DiskSpace, that_keeps_the_size_is_taken_beyond_the_end) {
  reserve_space(open_to_write(path_), 0, 5 * mebi, Size::stays);
  EXPECT_EQ(size(), static_cast<index_t>(text_.size()));
  EXPECT_GE(bytes_on_disk(), 5 * mebi);
  EXPECT_EQ(bytes_of(path_), text_);
}

TEST_F(DiskSpace, of_a_part_begins_at_its_offset) {
  reserve_space(open_to_write(path_), 8 * mebi, 3 * mebi, Size::grows);
  EXPECT_EQ(size(), 11 * mebi);
  EXPECT_GE(bytes_on_disk(), 3 * mebi);
  EXPECT_LT(bytes_on_disk(), 8 * mebi) << "the hole before it takes no space";
}

TEST_F(DiskSpace, beyond_the_end_is_released_and_the_bytes_stay) {
  const index_t before = bytes_on_disk();
  const Descriptor file = open_to_write(path_);
  reserve_space(file, 0, 5 * mebi, Size::stays);
  release_space(file);
  EXPECT_LE(bytes_on_disk(), before + mebi);
  EXPECT_EQ(bytes_of(path_), text_);
}

TEST_F(DiskSpace, that_no_disk_has_is_an_error_and_the_file_stays_as_it_is) {
  const index_t bytes = index_t{1} << 50;
  for (const Size kind : {Size::grows, Size::stays}) {
    expect_words(message_of<IoError>([&] { reserve_space(open_to_write(path_), 0, bytes, kind); }),
                 {std::to_string(bytes) + " bytes cannot be had"});
    EXPECT_EQ(bytes_of(path_), text_);
  }
}

TEST_F(DiskSpace, beyond_the_limit_of_the_process_is_an_error) {
  const FileSizeLimit limit(mebi);
  const Descriptor file = open_to_write(path_);
  reserve_space(file, mebi - 100, 100, Size::stays);
  expect_words(message_of<IoError>([&] { reserve_space(file, mebi - 100, 101, Size::stays); }),
               {std::to_string(mebi + 1) + " bytes", std::to_string(mebi), "ulimit -f"});
  EXPECT_EQ(bytes_of(path_), text_);
}

TEST(FileSize, is_checked_against_the_limit_of_the_process) {
  const FileSizeLimit limit(12345);
  check_file_size(0);
  check_file_size(12345);
  expect_words(message_of<IoError>([] { check_file_size(12346); }), {"12346 bytes", "12345", "ulimit -f"});
}

TEST(FileSize, is_any_without_a_limit) {
  const FileSizeLimit none(RLIM_INFINITY);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "needs a process that may write files of any size";
  check_file_size(INT64_MAX);
}

}  // namespace
