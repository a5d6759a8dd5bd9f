// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "file_model.hpp"

// Files on disks that are full, cannot be written or have no locks, and behind links of other users. Every
// error arrives on every rank. Each test goes on with collective calls, and would hang if one rank did not
// throw.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

// tests/io/on-a-full-disk gives a directory with place for 4 MiB.
TEST(FullDisk, is_an_error_and_files_stay) {
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

// What programs do with files, on a disk that may be full.
class Writing {
 public:
  explicit Writing(std::filesystem::path directory) : directory_(std::move(directory)) { fill(a_, 1.5); }

  void save() {
    io::save(path_, "a", a_);
    expect_a("a");
  }
  void make_empty_file() { File(world(), path_, Mode::create).close(); }
  void write_file() {
    File file(world(), path_, Mode::create);
    try {
      file.write("a", a_);
      file.create_dataset<double, 2>("packed/b", {16, 64}, {.chunks = {3, 64}, .deflate = 1});
      file.write("packed/b", a_);
      for (int i = 0; i < 9; ++i)
        file.set_attribute("a", "list" + std::to_string(i), std::vector<double>(1000, 2.5));
      file.set_attribute("", "text", std::string(20000, 'x'));
      file.flush();
      file.append("steps", a_);
    } catch (const io::IoError&) {
      file.close();
      throw;
    }
    file.close();
    expect_a("a");
    expect_a("packed/b");
    expect_a("steps");
  }
  void write_disk_array(const io::DiskOptions& options) {
    io::DiskArray<double, 2> tensor(world(), path_, "a", a_.dims(), options);
    tensor.write(a_);
    tensor.flush();
    tensor.close();
    expect_a("a");
  }
  void write_fields() {
    io::XdmfSeries series(world(), directory_ / "run.xmf", io::XdmfGrid<2>{.points = {16, 64}});
    series.write(0.5, {{"a", a_}});
    series.write(1.5, {{"a", a_}});
  }

 private:
  void expect_a(const std::string& name) {
    on_rank_0([&] {
      EXPECT_TRUE(equal_lists(std::vector<double>(1024, 1.5), raw_dataset<double>(path_, name).elements));
    });
  }

  std::filesystem::path directory_, path_ = directory_ / "a.h5";
  Array<double, 2> a_{world(), {16, 64}, {.name = "a"}};
};

// Acts with this much free space, and removes the files. It must succeed or fail for lack of space, on all
// ranks.
void attempt_with_space(const std::filesystem::path& directory, index_t kib,
                        const std::function<void()>& action) {
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

// Every call that writes, with any amount of free space. Every rank gets an error, or the file is right.
// Nothing hangs, and the program does not crash when it ends.
TEST(FullDisk, any_amount_of_free_space_gives_an_error_or_a_right_file) {
  const char* disk = std::getenv("TESSERA_TEST_FULL_DISK");
  if (disk == nullptr) GTEST_SKIP() << "needs a small file system";
  const std::filesystem::path directory = disk;
  Writing writing(directory);
  const std::pair<const char*, std::function<void()>> actions[] = {
      {"save", [&] { writing.save(); }},
      {"empty file", [&] { writing.make_empty_file(); }},
      {"file", [&] { writing.write_file(); }},
      {"disk array", [&] { writing.write_disk_array({}); }},
      {"disk array in chunks",
       [&] {
         writing.write_disk_array({.chunks = {5, 24}});
       }},
      {"fields", [&] { writing.write_fields(); }}};
  std::vector<index_t> amounts;
  for (index_t kib = 0; kib <= 40; kib += 4) amounts.push_back(kib);
  amounts.insert(amounts.end(), {64, 68, 72, 80, 96, 128, 160, 256, 1024});
  for (const auto& [what, action] : actions) {
    for (const index_t kib : amounts) {
      SCOPED_TRACE(what + std::string(" with ") + std::to_string(kib) + " KiB");
      attempt_with_space(directory, kib, action);
    }
  }
  on_rank_0([&] { std::filesystem::remove(directory / "filler"); });
}

// A symbolic link that another user may have put into a directory that others can write.
TEST(PlantedLinks, are_not_followed) {
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
    EXPECT_TRUE(equal_lists(std::vector<double>(3, 1.0), contents(io::load<double, 1>(world(), link, "a"))));
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

// tests/io/in-a-read-only-directory gives a directory that cannot be written, with a file in it.
TEST(ReadOnlyDirectory, is_read_and_not_written) {
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
TEST(WithoutLocks, files_are_written_or_refused) {
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
