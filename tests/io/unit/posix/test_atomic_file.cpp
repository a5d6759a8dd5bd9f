// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <tessera/io/error.hpp>

#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "file_size_limit.hpp"
#include "message_of.hpp"
#include "posix/atomic_file.hpp"
#include "temporary_directory.hpp"

namespace {

using tessera::io::IoError;
using tessera::io::detail::AtomicFile;
using tessera::io::detail::Links;
using tessera::io::detail::replace_file;
using tessera::test::bytes_of;
using tessera::test::expect_words;
using tessera::test::FileSizeLimit;
using tessera::test::message_of;
using tessera::test::Names;
using tessera::test::set_bytes;
using tessera::test::TemporaryDirectory;

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return 0;
  return status.st_mode & 07777;
}

class AtomicFiles : public testing::Test {
 protected:
  // Whether the file system can rename without replacing.
  bool can_refuse_to_replace() const {
    set_bytes(directory_ / "from", "");
    const bool can = renameat2(AT_FDCWD, (directory_ / "from").c_str(), AT_FDCWD, (directory_ / "to").c_str(),
                               RENAME_NOREPLACE) == 0;
    std::filesystem::remove(directory_ / (can ? "to" : "from"));
    return can;
  }

  const TemporaryDirectory directory_;
  const std::filesystem::path path_ = directory_ / "a.h5";
};

TEST_F(AtomicFiles, new_file_has_its_name_only_after_commit) {
  AtomicFile file(path_);
  EXPECT_TRUE(directory_.names().empty());
  file.begin();
  EXPECT_EQ(directory_.names(), (Names{file.temporary().filename()}));
  EXPECT_EQ(file.temporary().string().rfind(path_.string() + ".tmp-", 0), 0U) << file.temporary();
  set_bytes(file.temporary(), "new");
  file.flush();
  EXPECT_FALSE(std::filesystem::exists(path_));
  file.commit();
  file.flush_directory();
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
  EXPECT_EQ(bytes_of(path_), "new");
}

TEST_F(AtomicFiles, old_file_is_whole_until_commit_replaces_it) {
  set_bytes(path_, "the old one");
  AtomicFile file(path_);
  file.begin();
  EXPECT_EQ(bytes_of(file.temporary()), "");
  set_bytes(file.temporary(), "new");
  EXPECT_EQ(bytes_of(path_), "the old one");
  file.commit();
  EXPECT_EQ(bytes_of(path_), "new");
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
}

TEST_F(AtomicFiles, permissions_of_the_old_file_stay) {
  for (const mode_t mode : {0600U, 0640U, 0440U, 0400U, 0666U, 0755U}) {
    SCOPED_TRACE(mode);
    set_bytes(path_, "old");
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
    AtomicFile file(path_);
    file.begin();
    EXPECT_EQ(mode_of(file.temporary()), mode | 0600U) << "others may read no more than before";
    file.commit();
    EXPECT_EQ(mode_of(path_), mode);
    std::filesystem::remove(path_);
  }
}

TEST_F(AtomicFiles, permissions_of_a_new_file_are_those_of_the_process) {
  const mode_t before = umask(027);
  AtomicFile file(path_);
  file.begin();
  file.commit();
  umask(before);
  EXPECT_EQ(mode_of(path_), 0640U);
}

TEST_F(AtomicFiles, link_stays_and_the_file_behind_it_is_replaced) {
  std::filesystem::create_directory(directory_ / "deep");
  const auto target = directory_ / "deep/target.h5";
  set_bytes(target, "old");
  std::filesystem::create_symlink("deep/target.h5", path_);
  AtomicFile file(path_);
  file.begin();
  EXPECT_EQ(file.temporary().parent_path().filename(), "deep") << "it must be on the target's file system";
  set_bytes(file.temporary(), "new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_FALSE(std::filesystem::is_symlink(target));
  EXPECT_EQ(bytes_of(target), "new");
  EXPECT_EQ(directory_.names(), (Names{"a.h5", "deep"}));
}

TEST_F(AtomicFiles, link_to_nothing_gets_its_target) {
  std::filesystem::create_symlink("target.h5", path_);
  AtomicFile file(path_);
  file.begin();
  set_bytes(file.temporary(), "new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(bytes_of(directory_ / "target.h5"), "new");
}

TEST_F(AtomicFiles, file_that_follows_no_links_replaces_nothing) {
  if (!can_refuse_to_replace()) GTEST_SKIP() << "this file system cannot rename without replacing";
  set_bytes(directory_ / "victim", "precious");
  const auto expect_kept = [&](const std::string& contents) {
    AtomicFile file(path_, Links::refuse);
    file.begin();
    set_bytes(file.temporary(), "new");
    expect_words(message_of<IoError>([&] { file.commit(); }),
                 {file.temporary().string(), "cannot be renamed to " + path_.string(), "File exists"});
    EXPECT_EQ(bytes_of(path_), contents);
    file.discard();
    EXPECT_EQ(directory_.names(), (Names{"a.h5", "victim"}));
    std::filesystem::remove(path_);
  };
  set_bytes(path_, "old");
  expect_kept("old");
  std::filesystem::create_symlink("victim", path_);
  expect_kept("precious");
  std::filesystem::create_symlink("nothing", path_);
  expect_kept("");
  AtomicFile file(path_, Links::refuse);
  file.begin();
  set_bytes(file.temporary(), "new");
  file.commit();
  EXPECT_EQ(bytes_of(path_), "new");
}

TEST_F(AtomicFiles, discarded_file_leaves_the_old_one) {
  set_bytes(path_, "old");
  AtomicFile file(path_);
  file.begin();
  set_bytes(file.temporary(), "new");
  file.discard();
  file.discard();
  EXPECT_EQ(bytes_of(path_), "old");
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
}

TEST_F(AtomicFiles, discard_after_commit_removes_nothing) {
  AtomicFile file(path_);
  file.begin();
  set_bytes(file.temporary(), "new");
  file.commit();
  file.discard();
  EXPECT_EQ(bytes_of(path_), "new");
}

TEST_F(AtomicFiles, two_writers_of_one_path_have_files_of_their_own) {
  AtomicFile first(path_), second(path_);
  first.begin();
  second.begin();
  EXPECT_NE(first.temporary(), second.temporary());
  set_bytes(first.temporary(), "first");
  set_bytes(second.temporary(), "second");
  second.commit();
  EXPECT_EQ(bytes_of(path_), "second");
  first.commit();
  EXPECT_EQ(bytes_of(path_), "first");
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
}

TEST_F(AtomicFiles, directory_is_not_replaced) {
  std::filesystem::create_directory(path_);
  AtomicFile file(path_);
  expect_words(message_of<IoError>([&] { file.begin(); }), {"this is a directory"});
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
}

TEST_F(AtomicFiles, bytes_replace_a_file_but_no_device) {
  const std::string text = "new";
  const auto bytes = std::as_bytes(std::span(text));
  set_bytes(path_, "an old one");
  replace_file(path_, bytes);
  EXPECT_EQ(bytes_of(path_), text);
  EXPECT_EQ(directory_.names(), (Names{"a.h5"}));
  const auto link = directory_ / "link";
  std::filesystem::create_symlink("/dev/null", link);
  expect_words(message_of<IoError>([&] { replace_file(link, bytes); }), {"this is a device"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_words(message_of<IoError>([&] { replace_file(directory_ / "missing/a.h5", bytes); }),
               {"No such file"});
}

TEST_F(AtomicFiles, missing_directory_is_an_error) {
  AtomicFile file(directory_ / "missing/a.h5");
  expect_words(message_of<IoError>([&] { file.begin(); }), {(directory_ / "missing").string(), "No such file"});
}

TEST_F(AtomicFiles, reserve_beyond_the_limit_of_the_process_is_an_error) {
  AtomicFile file(path_);
  file.begin();
  const FileSizeLimit limit(10000);
  file.reserve(10000);
  expect_words(message_of<IoError>([&] { file.reserve(10001); }), {"10001 bytes", "10000", "ulimit -f"});
  file.discard();
  EXPECT_TRUE(directory_.names().empty());
}

}  // namespace
