// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <tessera/io/error.hpp>

#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "message_of.hpp"
#include "posix/links.hpp"
#include "temporary_directory.hpp"

namespace {

using tessera::io::IoError;
using tessera::io::detail::safe_to_change;
using tessera::test::expect_words;
using tessera::test::message_of;
using tessera::test::set_bytes;
using tessera::test::TemporaryDirectory;

// Files of other users need other users: tests/access.
class FilesToChange : public testing::Test {
 protected:
  FilesToChange() {
    set_bytes(directory_ / "file", "x");
    std::filesystem::create_hard_link(directory_ / "file", directory_ / "other");
  }
  void set_mode(mode_t mode) const { ASSERT_EQ(chmod(directory_.path().c_str(), mode), 0); }

  const TemporaryDirectory directory_;
};

TEST_F(FilesToChange, file_with_two_names_is_refused_where_anybody_may_make_files) {
  for (const mode_t mode : {0700U, 0755U, 0775U, 02775U}) {
    set_mode(mode);
    EXPECT_EQ(safe_to_change(directory_ / "other"), directory_ / "other");
  }
  for (const mode_t mode : {0777U, 01777U, 01775U}) {
    set_mode(mode);
    expect_words(message_of<IoError>([&] { safe_to_change(directory_ / "other"); }),
                 {"other has 2 names", "others may write", "another one"});
  }
  std::filesystem::remove(directory_ / "file");
  EXPECT_EQ(safe_to_change(directory_ / "other"), directory_ / "other");
}

TEST_F(FilesToChange, own_links_are_followed_and_what_is_not_there_may_be_made) {
  set_mode(01777);
  std::filesystem::remove(directory_ / "other");
  std::filesystem::create_symlink("file", directory_ / "link");
  std::filesystem::create_symlink("nothing", directory_ / "dangling");
  EXPECT_EQ(safe_to_change(directory_ / "link"), directory_ / "file");
  EXPECT_EQ(safe_to_change(directory_ / "dangling"), directory_ / "nothing");
  EXPECT_EQ(safe_to_change(directory_ / "nothing"), directory_ / "nothing");
}

}  // namespace
