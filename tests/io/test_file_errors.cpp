// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>

#include "file_model.hpp"

// What io::File refuses, and what it meets on disks that are full, cannot be written or have no locks. Every
// error arrives on every rank: each test goes on with collective calls, and would hang if one rank did not
// throw.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

TEST(FileErrors, Modes) {
  const Directory directory;
  const auto path = directory / "modes.h5";
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::read); }),
               {path.string(), "No such file"});
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::read_write); }), {"No such file"});
  Array<double, 1> a(world(), {6}, {.name = "a"});
  fill(a, 3.0);
  File(world(), path, Mode::create).close();
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::create); }), {"exists", "truncate"});
  {
    File file(world(), path, Mode::read_write);
    file.write("a", a);
    file.close();
    EXPECT_FALSE(file.is_open());
    file.close();
    expect_words(message_of<UsageError>([&] { file.write("a", a); }), {"closed", path.string()});
    expect_words(message_of<UsageError>([&] { file.read("a", a); }), {"closed"});
    expect_words(message_of<UsageError>([&] { file.flush(); }), {"closed"});
    File other = std::move(file);
    expect_words(message_of<UsageError>([&] { file.datasets(); }), {"moved"});
  }
  {
    File file(world(), path, Mode::read);
    file.read("a", a);
    expect_words(message_of<UsageError>([&] { file.write("a", a); }), {"opened for reading", "read_write"});
    expect_words(message_of<UsageError>([&] { file.append("b", a); }), {"opened for reading"});
    file.close();
  }
  File file(world(), path, Mode::truncate);
  EXPECT_TRUE(file.datasets().empty());
  file.close();
  expect_words(message_of<io::IoError>([&] { File(world(), directory / "no/such/a.h5", Mode::create); }),
               {"No such file"});
  expect_words(message_of<io::IoError>([&] { File(world(), directory / ".", Mode::truncate); }), {"directory"});
  expect_words(message_of<io::IoError>([&] { File(world(), path / "a.h5", Mode::create); }),
               {"Not a directory"});
}

TEST(FileErrors, ShapesAndNames) {
  const Directory directory;
  const auto path = directory / "shapes.h5";
  File file(world(), path, Mode::create);
  Array<double, 2> a(world(), {6, 4}, {.name = "a"});
  Array<double, 1> b(world(), {6}, {.name = "b"});
  fill(a, 1.0);
  fill(b, 1.0);
  file.write("a", a);
  expect_words(message_of<io::IoError>([&] { file.read("b", a); }),
               {"no such dataset", "\"a\"", path.string()});
  expect_words(message_of<io::IoError>([&] { file.write("a", b); }), {"2 dimensions", "1 were expected"});
  expect_words(message_of<io::IoError>([&] {
                 file.write("a", a.slice({{0, 0}, {5, 4}}));
               }),
               {"6 x 4", "5 x 4"});
  expect_words(message_of<io::IoError>([&] {
                 file.write("a", {{1, 0}, {7, 4}}, a);
               }),
               {"[1:7, 0:4)", "exceeds", "6 x 4"});
  expect_words(message_of<io::IoError>([&] { file.read("a", {{0, 0}, {2, 2}}, a); }), {"[0:2, 0:2)", "shapes"});
  expect_words(message_of<io::IoError>([&] { file.write("none", {{0, 0}, {6, 4}}, a); }), {"no such dataset"});
  expect_words(message_of<io::IoError>([&] { (file.create_dataset<double, 1>("a", {3})); }), {"already"});
  expect_words(message_of<io::IoError>([&] { file.write("a/b", b); }), {"a/b"});
  expect_words(message_of<UsageError>([&] { (file.create_dataset<double, 1>("c", {3}, {.deflate = 10})); }),
               {"10"});
  expect_words(message_of<UsageError>([&] {
                 (file.create_dataset<double, 2>("c", {3, 3}, {.chunks = {2, 0}}));
               }),
               {"2 x 0"});
  expect_words(message_of<UsageError>([&] { (file.create_dataset<double, 1>("c", {-3})); }), {"-3"});
  expect_words(message_of<io::IoError>([&] { file.append("a", b); }), {"fixed number of steps"});
  file.append("steps", b);
  const Group others = world().split(0);
  Array<double, 1> elsewhere(others, {6}, {.name = "elsewhere"});
  expect_words(message_of<UsageError>([&] { file.write("elsewhere", elsewhere); }), {"another group"});
  expect_words(message_of<UsageError>([&] { file.read_step("steps", 0, elsewhere); }), {"another group"});
  expect_words(message_of<io::IoError>([&] { file.append("steps", b.slice({{0}, {5}})); }), {"extents 6", "5"});
  EXPECT_EQ(file.steps("steps"), 1);
  file.close();
}

TEST(FileErrors, TooLargeForTheDisk) {
  const Directory directory;
  File file(world(), directory / "large.h5", Mode::create);
  const index_t more = index_t{1} << 50;
  expect_words(message_of<io::IoError>([&] { (file.create_dataset<double, 1>("a", {more})); }),
               {"large.h5", "bytes"});
  Array<double, 1> b(world(), {6}, {.name = "b"});
  fill(b, 1.0);
  file.write("b", b);
  file.close();
  on_rank_0([&] { EXPECT_EQ(raw_dataset<double>(directory / "large.h5", "b").elements.size(), 6U); });
}

#ifdef TESSERA_TEST_CHECKS
TEST(FileErrors, RanksThatDisagree) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Directory directory;
  const std::string mine = world().rank() == 0 ? "a.h5" : "b.h5";
  expect_words(message_of<UsageError>([&] { File(world(), directory / mine, Mode::create); }), {"io::File"});
  File file(world(), directory / "a.h5", Mode::create);
  Array<double, 1> a(world(), {6}, {.name = "a"});
  expect_words(message_of<UsageError>([&] { file.write(mine, a); }), {"\"" + mine + "\""});
  file.close();
}
#endif

#ifdef OPEN_MPI
// A variable of the environment, for as long as this lives.
class Setting {
 public:
  Setting(const char* name, const char* value)
      : name_(name), before_(std::getenv(name) ? std::getenv(name) : "") {
    setenv(name, value, 1);
  }
  ~Setting() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }

 private:
  const char* name_;
  std::string before_;
};

TEST(OpenMpi, IsRefusedWhereItDamagesFilesOrCrashes) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 1> a(world(), {20}, {.name = "a"});
  fill(a, 1.0);
  if (world().size() > 1) {
    const Setting unsafe("OMPI_MCA_fs_ufs_lock_algorithm", "1");
    const std::vector<std::string> words{"without locks", "OMPI_MCA_fs_ufs_lock_algorithm=3", path.string()};
    expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::create); }), words);
    EXPECT_TRUE(directory.names().empty());
    io::save(path, "a", a);  // without MPI-IO
    on_rank_0([&] {
      EXPECT_EQ(raw_dataset<double>(path, "a").elements.back(), 1.0);
      std::filesystem::remove(path);
    });
  }
  const Setting romio("OMPI_MCA_io", "romio321");
  File file(world(), path, Mode::create);
  expect_words(message_of<io::IoError>([&] { file.append("steps", a); }), {"ROMIO", "OMPI_MCA_io=ompio"});
  expect_words(message_of<io::IoError>([&] { (file.create_dataset<double, 1>("c", {20}, {.deflate = 1})); }),
               {"ROMIO", "OMPI_MCA_io=ompio"});
  file.write("a", a);
  file.close();
}
#endif

// tests/io/on-a-full-disk gives a directory with place for 4 MiB.
TEST(FullDisk, IsAnErrorAndFilesStay) {
  const char* directory = std::getenv("TESSERA_TEST_FULL_DISK");
  if (directory == nullptr) GTEST_SKIP() << "needs a small file system";
  const std::filesystem::path path = std::filesystem::path(directory) / "a.h5";
  Array<double, 2> small(world(), {100, 1000}, {.name = "small"}), big(world(), {600, 1000}, {.name = "big"});
  fill(small, 1.0);
  fill(big, 2.0);
  File file(world(), path, Mode::create);
  file.write("small", small);
  const std::vector<std::string> words{path.string(), "No space left"};
  expect_words(message_of<io::IoError>([&] { file.write("big", big); }), words);
  expect_words(message_of<io::IoError>([&] { (file.create_dataset<double, 2>("big", big.dims())); }), words);
  expect_words(message_of<io::IoError>([&] { file.append("big", big); }), words);
  using Disk = io::DiskArray<double, 2>;
  expect_words(message_of<io::IoError>([&] { Disk(world(), path.string() + ".disk", "big", big.dims()); }),
               {"big", "No space left"});
  for (int step = 0; step < 2; ++step) file.append("steps", small);
  expect_words(message_of<io::IoError>([&] {
                 for (int step = 0; step < 9; ++step) file.append("steps", small);
               }),
               words);
  const index_t steps = file.steps("steps");
  EXPECT_GE(steps, 2);
  file.close();
  on_rank_0([&] {
    EXPECT_EQ(raw_dataset<double>(path, "small").elements.back(), 1.0);
    EXPECT_EQ(raw_dataset<double>(path, "steps").dims.front(), static_cast<hsize_t>(steps));
    EXPECT_EQ(raw_dataset<double>(path, "steps").elements.back(), 1.0);
  });
}

// tests/io/in-a-read-only-directory gives one that cannot be written, with a file in it.
TEST(ReadOnlyDirectory, IsReadFrom) {
  if (const char* file = std::getenv("TESSERA_TEST_WRITE_EMPTY"))
    return File(world(), file, Mode::create).close();
  const char* directory = std::getenv("TESSERA_TEST_READ_ONLY");
  if (directory == nullptr) GTEST_SKIP() << "needs a directory that cannot be written";
  const std::filesystem::path path = std::filesystem::path(directory) / "a.h5";
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::read_write); }), {"Read-only"});
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::truncate); }), {"Read-only"});
  expect_words(message_of<io::IoError>([&] { File(world(), path.string() + "x", Mode::create); }),
               {"Read-only"});
  Array<double, 1> a(world(), {3});
  fill(a, 1.0);
  expect_words(message_of<io::IoError>([&] { io::save(path, "a", a); }), {"Read-only"});
  File file(world(), path, Mode::read);
  EXPECT_TRUE(file.datasets().empty());
  file.close();
}

// tests/io/no_locks.cpp, preloaded, makes every lock fail, as file systems do that have none.
TEST(WithoutLocks, FilesAreWrittenOrRefused) {
  if (std::getenv("TESSERA_TEST_NO_LOCKS") == nullptr) GTEST_SKIP() << "needs locks that fail";
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 1> a(world(), {100}, {.name = "a"});
  fill(a, 4.0);
#ifdef OPEN_MPI
  const bool refused = world().size() > 1;
#else
  const bool refused = world().node_count() > 1;
#endif
  io::save(path, "a", a);
  on_rank_0([&] { EXPECT_EQ(raw_dataset<double>(path, "a").elements.back(), 4.0); });
  if (refused) {
    expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::read_write); }),
                 {"no file locks", "flock"});
    return;
  }
  File file(world(), path, Mode::read_write);
  file.write("a", {{1}, {100}}, a.slice({{0}, {99}}));
  file.close();
}

}  // namespace
}  // namespace tessera::test
