// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "file_model.hpp"

// Calls that io::File refuses. Every error arrives on every rank. Each test goes on with collective calls, and
// would hang if one rank did not throw.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

TEST(FileErrors, modes_are_checked) {
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

TEST(FileErrors, a_program_has_a_file_open_to_write_once) {
  const Directory directory;
  const auto path = directory / "once.h5";
  Array<double, 1> a(world(), {6}, {.name = "a"});
  fill(a, 3.0);
  {
    File file(world(), path, Mode::create);
    for (const Mode mode : {Mode::read_write, Mode::truncate})
      for (const auto& name : {path, directory / "." / "once.h5"})
        expect_words(message_of<io::IoError>([&] { File(world(), name, mode); }),
                     {"once.h5", "open for writing already", "close()"});
    file.write("a", a);
    File other(world(), directory / "other.h5", Mode::create);
    other.close();
    file.close();
  }
  { File dropped(world(), path, Mode::read_write); }  // the next one of the group closes it
  File file(world(), path, Mode::read_write);
  file.write("b", a);
  File moved = std::move(file);
  expect_words(message_of<io::IoError>([&] { File(world(), path, Mode::read_write); }), {"already"});
  moved.close();
  File again(world(), path, Mode::read_write);
  EXPECT_EQ(again.datasets().size(), 2U);
  again.close();
}

TEST(FileErrors, shapes_and_names_are_checked) {
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

TEST(FileErrors, dataset_too_large_for_the_disk_is_an_error) {
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
TEST(FileErrors, ranks_that_disagree_get_an_error) {
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

TEST(OpenMpi, is_refused_where_it_damages_files_or_crashes) {
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

// HDF5 would give a length beyond an int to MPI, and end the job.
TEST(FileErrors, packed_chunks_beyond_2_gib_are_refused) {
  const Directory directory;
  File file(world(), directory / "a.h5", Mode::create);
  const index_t bytes = index_t{2'200'000'000};
  for (const io::DatasetOptions<1>& options : {io::DatasetOptions<1>{.chunks = {bytes}, .checksum = true},
                                               io::DatasetOptions<1>{.chunks = {bytes}, .deflate = 1}}) {
    expect_words(message_of<UsageError>([&] { file.create_dataset<std::uint8_t, 1>("x", {bytes}, options); }),
                 {"\"x\"", "2200000000", "smaller chunks"});
  }
  file.close();
}

TEST(FileErrors, pipes_are_refused) {
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

}  // namespace
}  // namespace tessera::test
