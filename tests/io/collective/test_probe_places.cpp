// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <fstream>

#include "file_model.hpp"

// Time series of many points, and in places that refuse them.
namespace tessera::test {
namespace {

using io::Probe;
using io::Probes;

// Started by in-a-read-only-directory and on-a-full-disk.
TEST(ProbePlaces, read_only_directory_is_an_error) {
  const char* directory = std::getenv("TESSERA_TEST_READ_ONLY");
  if (directory == nullptr) GTEST_SKIP() << "needs a directory that cannot be written";
  Array<double, 2> array(world(), {5, 4}, {.name = "a"});
  fill(array, 1.0);
  for (const char* name : {"a.csv", "b.h5"}) {
    const auto path = std::filesystem::path(directory) / name;
    Probes<2> probes(world(), path, {{.at = {2, 3}}});
    expect_words(message_of<io::IoError>([&] { probes.sample(0, array); }), {path.string(), "Read-only"});
  }
}

// HDF5 keeps names in an attribute, which has room for those of 4000 points.
TEST(ProbePlaces, hdf5_takes_any_number_of_points_without_names) {
  const Directory directory;
  Array<double, 2> array(world(), {100, 100}, {.name = "a"});
  fill(array, 2.5);
  std::vector<Probe<2>> points;
  for (index_t i = 0; i < 10000; ++i) points.push_back({.at = {i / 100, i % 100}});
  const auto path = directory / "many.h5";
  {
    Probes<2> probes(world(), path, points);
    probes.sample(0, array);
  }
  Probes<2> again(world(), path, points, {.resume = true});
  again.sample(1, array);
  on_rank_0([&] {
    const auto values = raw_dataset<double>(path, "values");
    EXPECT_EQ(values.dims, (std::vector<hsize_t>{2, 10000}));
    EXPECT_TRUE(equal_lists(std::vector<double>(20000, 2.5), values.elements));
  });
  points.front().name = "corner";
  expect_words(message_of<UsageError>([&] { Probes<2>(world(), directory / "named.h5", points); }),
               {"10000 points", "at most 4000"});
}

// HDF5 would lose datasets of one of both.
TEST(ProbePlaces, files_that_are_open_to_write_are_refused) {
  const Directory directory;
  const auto path = directory / "run.h5";
  Array<double, 2> array(world(), {5, 4}, {.name = "a"});
  fill(array, 1.0);
  const std::vector<Probe<2>> points{{.at = {2, 3}}};
  Probes<2> probes(world(), path, points);
  probes.sample(0, array);
  io::File file(world(), path, io::Mode::read_write);
  const std::vector<std::string> words{"run.h5", "open for writing already"};
  expect_words(message_of<io::IoError>([&] { probes.sample(1, array); }), words);
  expect_words(message_of<io::IoError>([&] { Probes<2>(world(), path, points).sample(1, array); }), words);
  file.write("u", array);
  file.close();
  probes.sample(2, array);  // and the one that was refused
  on_rank_0([&] {
    EXPECT_TRUE(equal_lists(std::vector<double>{0, 1, 2}, raw_dataset<double>(path, "time").elements));
    EXPECT_EQ(raw_dataset<double>(path, "u").elements.size(), 20U);
  });
}

TEST(ProbePlaces, full_disk_keeps_what_is_there) {
  const char* directory = std::getenv("TESSERA_TEST_FULL_DISK");
  if (directory == nullptr) GTEST_SKIP() << "needs a small file system";
  Array<double, 2> array(world(), {100, 100}, {.name = "a"});
  std::vector<Probe<2>> points;
  for (index_t i = 0; i < 10000; ++i) points.push_back({.at = {i / 100, i % 100}});
  for (const char* name : {"a.csv", "b.h5"}) {
    const auto path = std::filesystem::path(directory) / name,
               filler = std::filesystem::path(directory) / "filler";
    const bool is_csv = path.extension() == ".csv";
    if (!is_csv) points.resize(1000);  // chunks of fewer bytes
    Probes<2> probes(world(), path, points);
    randomize(array, 1);
    probes.sample(0, array);
    on_rank_0([&] {
      std::ofstream out(filler, std::ios::binary);
      for (const std::string block(4096, 'x'); out.write(block.data(), 4096) && out.flush();) continue;
    });
    expect_words(message_of<io::IoError>([&] {
                   for (int step = 1; step < 100; ++step) probes.sample(step, array);
                 }),
                 {path.string(), "No space"});
    const index_t samples = probes.samples();
    on_rank_0([&] { std::filesystem::remove(filler); });
    probes.sample(100, array);
    on_rank_0([&] {
      if (is_csv) {
        EXPECT_EQ(static_cast<index_t>(lines_of(path).size()), samples + 2);
      } else {
        EXPECT_EQ(static_cast<index_t>(raw_dataset<double>(path, "time").elements.size()), samples + 1);
        EXPECT_EQ(static_cast<index_t>(raw_dataset<double>(path, "values").dims.front()), samples + 1);
      }
      std::filesystem::remove(path);
    });
  }
}

}  // namespace
}  // namespace tessera::test
