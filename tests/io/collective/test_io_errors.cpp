// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <fstream>

#include <sys/resource.h>
#include <sys/stat.h>

#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>

#include "expect_words.hpp"
#include "raw_file.hpp"

// Every error arrives on every rank. Each test goes on with collective calls, and would hang if one rank did
// not throw.
namespace {

using namespace tessera;
using namespace tessera::test;

template <class T, std::size_t N, class E = io::IoError>
void expect_no_load(const std::filesystem::path& path, const std::string& name,
                    std::vector<std::string> words) {
  words.push_back(path.string());
  words.push_back('"' + name + '"');
  expect_words(message_of<E>([&] { io::load<T, N>(world(), path, name); }), words);
  Extents<N> dims;
  for (std::size_t d = 0; d < N; ++d) dims[d] = 3;
  Array<T, N> array(world(), dims, {.name = "target"});
  const T before = T{1};
  fill(array, before);
  expect_words(message_of<E>([&] { io::load_into(path, name, array); }), words);
  EXPECT_EQ(array.load({}), before) << "the array was changed";
  world().barrier();
}

TEST(IoErrors, other_things_than_hdf5_files_are_refused) {
  const Directory directory;
  on_rank_0([&] {
    std::ofstream(directory / "text") << "no signature here, but a few words\n";
    std::ofstream(directory / "empty");
  });
  expect_no_load<double, 1>(directory / "missing.h5", "a", {"No such file"});
  expect_no_load<double, 1>(directory / "no/such/folder.h5", "a", {"No such file"});
  expect_no_load<double, 1>(directory / ".", "a", {"directory"});
  expect_no_load<double, 1>(directory / "text", "a", {"not an HDF5 file", "35 bytes"});
  expect_no_load<double, 1>(directory / "empty", "a", {"not an HDF5 file", "0 bytes"});
}

TEST(IoErrors, truncated_file_is_an_error) {
  const Directory directory;
  const auto path = directory / "cut.h5";
  on_rank_0([&] { write_raw<double>(path, "a", {1000}); });
  const auto size = std::filesystem::file_size(path);
  world().barrier();
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{100}}) {
    SCOPED_TRACE(left);
    on_rank_0([&] { std::filesystem::resize_file(path, left); });
    expect_no_load<double, 1, io::Hdf5Error>(path, "a", {"truncated or damaged", "HDF5: "});
  }
}

TEST(IoErrors, another_dataset_than_expected_is_an_error) {
  const Directory directory;
  const auto path = directory / "a.h5";
  on_rank_0([&] { write_raw<double>(path, "density", {3, 4}); });
  expect_no_load<double, 2>(path, "fock", {"no such dataset", "the file has \"density\""});
  expect_no_load<double, 2>(path, "density/deeper", {"no such dataset"});
  expect_no_load<double, 2>(path, "", {"no such dataset"});
  expect_no_load<double, 2>(path, "/", {"no such dataset"});
  expect_no_load<double, 1>(path, "density", {"2 dimensions (3 x 4)", "1 were expected"});
  expect_no_load<double, 3>(path, "density", {"2 dimensions (3 x 4)", "3 were expected"});
  Array<double, 2> array(world(), {4, 3}, {.name = "target"});
  const auto message = message_of<io::IoError>([&] { io::load_into(path, "density", array); });
  expect_words(message, {"extents 3 x 4", "\"target\" has 4 x 3", path.string(), "\"density\""});
}

TEST(IoErrors, another_type_than_expected_is_an_error) {
  const Directory directory;
  const auto path = directory / "a.h5";
  on_rank_0([&] { write_raw<std::complex<double>>(path, "a", {5}); });
  expect_no_load<double, 1>(path, "a", {"holds complex128", "float64 were expected"});
  on_rank_0([&] { write_raw<std::int32_t>(path, "a", {5}, {.type = H5T_STD_U16LE}); });
  expect_no_load<Bytes, 1>(path, "a", {"unsigned integers of 16 bits", "bytes of size 3"});
  on_rank_0([&] { write_raw<Bytes>(path, "a", {5}); });
  expect_no_load<double, 1>(path, "a", {"bytes of size 3", "float64"});
  on_rank_0([&] { good(H5Fclose(good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)))); });
  expect_no_load<double, 1>(path, "a", {"no such dataset", "the file has no datasets"});
}

class FailingSave : public testing::Test {
 protected:
  FailingSave() {
    fill(old_, element<double>(0));
    io::save(path_, "old", old_);
  }
  // The save fails on every rank, and the old file is all that is left.
  template <class E, class Action>
  void expect_no_save(const std::vector<std::string>& words, Action&& action) {
    expect_words(message_of<E>(action), words);
    EXPECT_EQ(directory_.names(), (std::vector<std::string>{"old.h5"}));
    on_rank_0([&] { EXPECT_EQ(read_raw<double>(path_, "old").elements.front(), element<double>(0)); });
  }

  const Directory directory_;
  const std::filesystem::path path_ = directory_ / "old.h5";
  Array<double, 1> old_{world(), {4}, {.name = "old"}};
};

TEST_F(FailingSave, missing_directory_leaves_the_old_file) {
  const auto path = directory_ / "no/such/folder.h5";
  expect_no_save<io::IoError>({path.string(), "directory", "No such file"}, [&] { io::save(path, "a", old_); });
  expect_no_save<io::IoError>({"directory"}, [&] { io::save(directory_ / ".", "a", old_); });
}

// Root would put a file in the place of /dev/full.
TEST_F(FailingSave, a_fifo_is_not_replaced) {
  const Directory other;
  const auto path = other / "fifo";
  on_rank_0([&] { good(mkfifo(path.c_str(), 0600)); });
  expect_no_save<io::IoError>({path.string(), "a FIFO"}, [&] { io::save(path, "a", old_); });
  on_rank_0([&] { EXPECT_TRUE(std::filesystem::is_fifo(path)); });
}

// On one rank only, the operating system does not let the file grow.
TEST_F(FailingSave, limit_of_one_rank_leaves_the_old_file) {
  Array<double, 1> big(world(), {100000}, {.name = "big"});
  fill(big, 1.0);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const bool last = world().rank() == world().size() - 1;
  const rlimit small{16384, before.rlim_max};
  if (last) setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of<io::IoError>([&] { io::save(path_, "big", big); });
  if (last) setrlimit(RLIMIT_FSIZE, &before);
  expect_no_save<io::IoError>({path_.string(), "16384", "ulimit -f", "untouched"},
                              [&] { throw io::IoError(message); });
  io::save(path_, "old", old_);
  EXPECT_EQ((io::load<double, 1>(world(), path_, "old").dims()), old_.dims());
}

// tests/io/on-a-full-disk gives a directory with place for 4 MiB.
TEST(Io, full_disk_leaves_the_old_file) {
  const char* directory = std::getenv("TESSERA_TEST_FULL_DISK");
  if (directory == nullptr) GTEST_SKIP() << "needs a small file system";
  const std::filesystem::path path = std::filesystem::path(directory) / "state.h5";
  Array<double, 2> small(world(), {100, 1000}, {.name = "small"}), big(world(), {600, 1000}, {.name = "big"});
  for_each_local(small, [](const Index<2>& at, double& x) { x = element<double>(at[0] * 1000 + at[1]); });
  fill(big, 1.0);
  io::save(path, "small", small);
  for (int attempt = 0; attempt < 3; ++attempt) {
    expect_words(message_of<io::IoError>([&] { io::save(path, "big", big); }),
                 {path.string(), "bytes cannot be had", "No space left", "untouched"});
    on_rank_0([&] { EXPECT_EQ(read_raw<double>(path, "small").elements.back(), element<double>(99999)); });
  }
  io::save(path, "small", small);
  on_rank_0([&] {
    EXPECT_LT(std::filesystem::file_size(path), 820000U) << "the space that was taken is not given back";
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1);
  });
}

TEST_F(FailingSave, wrong_arguments_leave_the_old_file) {
  Array<double, 1> closed(world(), {4}, {.name = "closed"});
  closed.close();
  expect_no_save<UsageError>({"nothing to save"}, [&] { io::save(path_, std::span<const io::Item>()); });
  expect_no_save<UsageError>({"needs a name"}, [&] { io::save(path_, "", old_); });
  expect_no_save<UsageError>({"\"a\" is given twice"}, [&] { io::save(path_, {{"a", old_}, {"a", old_}}); });
  expect_no_save<UsageError>({"\"/a/b\" is given twice"}, [&] {
    io::save(path_, {{"a//b", old_}, {"/a/b", old_}});
  });
  expect_no_save<UsageError>({"\"a\"", "\"a/b/c\"", "group"}, [&] {
    io::save(path_, {{"a", old_}, {"a/b/c", old_}});
  });
  expect_no_save<UsageError>({"closed"}, [&] { io::save(path_, "a", closed); });
  const Group other = world().split(0);
  Array<double, 1> elsewhere(other, {4}, {.name = "elsewhere"});
  expect_no_save<UsageError>({"\"elsewhere\"", "different groups"}, [&] {
    io::save(path_, {{"a", old_}, {"b", elsewhere}});
  });
}

#ifdef TESSERA_TEST_CHECKS
TEST_F(FailingSave, other_arguments_on_other_ranks_leave_the_old_file) {
  if (world().size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const std::string mine = world().rank() == 0 ? "a" : "b";
  expect_no_save<UsageError>({"io::save"}, [&] { io::save(path_, mine, old_); });
  expect_no_save<UsageError>({"io::save"}, [&] { io::save(directory_ / mine, "a", old_); });
  expect_no_save<UsageError>({"io::load"}, [&] { io::load<double, 1>(world(), path_, mine); });
  expect_no_save<UsageError>({"io::load"}, [&] { io::load_into(path_, mine, old_); });
}
#endif

}  // namespace
