// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <functional>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "file_model.hpp"

// Calls that io::File refuses, and disks that are full, cannot be written or have no locks. Every error arrives
// on every rank. Each test goes on with collective calls, and would hang if one rank did not throw.
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
// An environment variable, set for as long as this lives.
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

// Leaves `bytes` bytes free on the file system of a directory. @collective
void leave_free(const std::filesystem::path& directory, index_t bytes) {
  on_rank_0([&] {
    const auto filler = directory / "filler";
    std::filesystem::remove(filler);
    struct statvfs disk {};
    good(statvfs(directory.c_str(), &disk));
    const auto free = static_cast<index_t>(disk.f_bfree * disk.f_bsize);
    const int file = good(open(filler.c_str(), O_CREAT | O_WRONLY, 0600));
    if (free > bytes) good(-posix_fallocate(file, 0, free - bytes));
    good(close(file));
  });
}

// Every call that writes, with any amount of free space. Every rank gets an error, or the file is right.
// Nothing hangs, and the program does not crash when it ends.
TEST(FullDisk, AnyAmountOfFreeSpace) {
  const char* disk = std::getenv("TESSERA_TEST_FULL_DISK");
  if (disk == nullptr) GTEST_SKIP() << "needs a small file system";
  const std::filesystem::path directory = disk;
  const auto path = directory / "a.h5";
  Array<double, 2> a(world(), {16, 64}, {.name = "a"});
  fill(a, 1.5);
  const auto expect_a = [&](const std::string& name) {
    on_rank_0([&] { EXPECT_EQ(raw_dataset<double>(path, name).elements, std::vector<double>(1024, 1.5)); });
  };
  using Disk = io::DiskArray<double, 2>;
  const std::pair<const char*, std::function<void()>> actions[] = {
      {"save",
       [&] {
         io::save(path, "a", a);
         expect_a("a");
       }},
      {"empty file", [&] { File(world(), path, Mode::create).close(); }},
      {"file",
       [&] {
         File file(world(), path, Mode::create);
         try {
           file.write("a", a);
           file.create_dataset<double, 2>("packed/b", {16, 64}, {.chunks = {3, 64}, .deflate = 1});
           file.write("packed/b", a);
           for (int i = 0; i < 9; ++i)
             file.set_attribute("a", "list" + std::to_string(i), std::vector<double>(1000, 2.5));
           file.set_attribute("", "text", std::string(20000, 'x'));
           file.flush();
           file.append("steps", a);
         } catch (const io::IoError&) {
           file.close();
           throw;
         }
         file.close();
         expect_a("a");
         expect_a("packed/b");
         expect_a("steps");
       }},
      {"disk array",
       [&] {
         Disk tensor(world(), path, "a", a.dims());
         tensor.write(a);
         tensor.flush();
         tensor.close();
         expect_a("a");
       }},
      {"fields", [&] {
         io::XdmfSeries series(world(), directory / "run.xmf", io::XdmfGrid<2>{.points = {16, 64}});
         series.write(0.5, {{"a", a}});
         series.write(1.5, {{"a", a}});
       }}};
  std::vector<index_t> amounts;
  for (index_t kib = 0; kib <= 40; kib += 4) amounts.push_back(kib);
  amounts.insert(amounts.end(), {64, 68, 72, 80, 96, 128, 160, 256, 1024});
  for (const auto& [what, action] : actions) {
    for (const index_t kib : amounts) {
      SCOPED_TRACE(what + std::string(" with ") + std::to_string(kib) + " KiB");
      leave_free(directory, 1024 * kib);
      std::string problem;
      try {
        action();
      } catch (const io::IoError& error) {
        problem = error.what();
      }
      EXPECT_TRUE(problem.empty() || problem.find("space") != std::string::npos) << problem;
      const index_t failed = problem.empty() ? 0 : 1;
      EXPECT_EQ(world().all_reduce(failed, Reduce::min), world().all_reduce(failed, Reduce::max));
      EXPECT_TRUE(kib > 0 || failed == 1);
      EXPECT_TRUE(kib < 1024 || failed == 0) << problem;
      on_rank_0([&] {
        for (const auto& entry : std::filesystem::directory_iterator(directory))
          if (entry.path().filename() != "filler") std::filesystem::remove(entry.path());
      });
    }
  }
  on_rank_0([&] { std::filesystem::remove(directory / "filler"); });
}

// A symbolic link that another user may have put into a directory that others can write.
TEST(PlantedLinks, AreNotFollowed) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to make a link of another user";
  const Directory directory;
  const auto shared = directory / "shared", victim = directory / "victim.h5", link = shared / "a.h5";
  Array<double, 1> a(world(), {3}, {.name = "a"});
  fill(a, 1.0);
  io::save(victim, "a", a);
  for (const mode_t mode : {0777U, 01777U, 0775U}) {
    on_rank_0([&] {
      std::filesystem::remove_all(shared);
      std::filesystem::create_directory(shared);
      good(chmod(shared.c_str(), mode));
      std::filesystem::create_symlink("../victim.h5", link);
      good(lchown(link.c_str(), 4242, 4242));
    });
    const std::vector<std::string> words{link.string(), "symbolic link", "4242", "remove it"};
    expect_words(message_of<io::IoError>([&] { io::save(link, "b", a); }), words);
    expect_words(message_of<io::IoError>([&] { File(world(), link, Mode::truncate); }), words);
    expect_words(message_of<io::IoError>([&] { File(world(), link, Mode::read_write); }), words);
    expect_words(message_of<io::IoError>([&] { (io::DiskArray<double, 1>(world(), link, "b", {3})); }), words);
    EXPECT_EQ(contents(io::load<double, 1>(world(), link, "a")), std::vector<double>(3, 1.0));
  }
  // Links are followed if they are our own, or if nobody else can make one there.
  on_rank_0([&] { good(lchown(link.c_str(), 0, 0)); });
  io::save(link, "b", a);
  on_rank_0([&] {
    good(lchown(link.c_str(), 4242, 4242));
    good(chmod(shared.c_str(), 0755));
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(raw_dataset<double>(victim, "b").elements.size(), 3U);
  });
  io::save(link, "c", a);
  on_rank_0([&] { EXPECT_EQ(raw_dataset<double>(victim, "c").elements.size(), 3U); });
}

TEST(FileErrors, Pipes) {
  const Directory directory;
  const auto path = directory / "pipe";
  on_rank_0([&] { good(mkfifo(path.c_str(), 0600)); });
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "a"); }), {"pipe"});
  for (const Mode mode : {Mode::read, Mode::read_write, Mode::truncate, Mode::create})
    expect_words(message_of<io::IoError>([&] { File(world(), path, mode); }), {"pipe"});
  io::XdmfOptions resumed{.resume = true};
  expect_words(message_of<io::IoError>([&] {
                 io::XdmfSeries(world(), path, io::XdmfGrid<2>{.points = {4, 4}}, resumed);
               }),
               {"no file"});
}

// tests/io/in-a-read-only-directory gives a directory that cannot be written, with a file in it.
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

// tests/io/no_locks.cpp, preloaded, makes every lock fail, as on a file system without locks.
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
