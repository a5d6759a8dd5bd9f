// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/io/io.hpp>

#include "checkpoint_model.hpp"

// The files of a checkpoint: which generations stay, and which files are not the checkpoint's.
namespace {

using namespace tessera;
using namespace tessera::test;

using Names = std::vector<std::string>;

TEST(Checkpoint, keeps_the_last_generations) {
  const Directory directory;
  const auto prefix = directory / "run";
  Array<double, 1> a(world(), {100});
  {
    io::Checkpoint checkpoint(world(), prefix, {.keep = 3});
    checkpoint.add("a", a);
    for (int step = 10; step <= 50; step += 10) {
      number_elements(a, step);
      checkpoint.write(step);
    }
    EXPECT_EQ(directory.names(),
              (Names{generation("run", 3), generation("run", 4), generation("run", 5), "run.lock"}));
    EXPECT_EQ(io::checkpoint_files(world(), prefix).size(), 3U);
    EXPECT_EQ(io::checkpoint_files(world(), prefix).front(), generation(prefix, 5));
    EXPECT_EQ(io::inspect_checkpoint(world(), generation(prefix, 4)).step, 40);
    checkpoint.close();
    EXPECT_EQ(directory.names().size(), 3U);
    number_elements(a, 60);
    checkpoint.write(60);  // it takes the path again
  }
  world().barrier();
  // Another program goes on. Files that do not belong to this checkpoint stay.
  on_rank_0([&] {
    for (const char* other :
         {"run.h5", "run.000001", "run.00000x.h5", "runs.000001.h5", "run.1.h5", "run.0000001.h5"})
      std::filesystem::copy_file(generation(prefix, 6), directory / other);
  });
  io::Checkpoint checkpoint(world(), prefix, {.keep = 1});
  checkpoint.add("a", a);
  const auto restored = checkpoint.restore();
  TESSERA_ASSERT_ALL(restored.has_value());
  EXPECT_EQ(restored->step, 60);
  EXPECT_TRUE(is_numbered(a, 60));
  checkpoint.write(70);
  checkpoint.close();
  EXPECT_EQ(directory.names(), (Names{"run.0000001.h5", "run.000001", generation("run", 7), "run.00000x.h5",
                                      "run.1.h5", "run.h5", "runs.000001.h5"}));
}

TEST(Checkpoint, knows_its_last_step) {
  const Directory directory;
  double time = 1;
  {
    io::Checkpoint checkpoint(world(), directory / "run");
    checkpoint.add("time", time);
    EXPECT_FALSE(checkpoint.restore().has_value());
    EXPECT_FALSE(checkpoint.last_step().has_value());
    checkpoint.write(3);
    EXPECT_EQ(checkpoint.last_step(), 3);
    checkpoint.write_async(5);
    EXPECT_EQ(checkpoint.last_step(), 5) << "also while it is being written";
    checkpoint.close();
    EXPECT_EQ(checkpoint.last_step(), 5);
  }
  EXPECT_EQ(io::checkpoint_files(world(), directory / "run").size(), 2U);
  io::Checkpoint checkpoint(world(), directory / "run");
  checkpoint.add("time", time);
  TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
  EXPECT_EQ(checkpoint.last_step(), 5);
  // A program that does not skip the last step makes another generation of it.
  checkpoint.write(5);
  EXPECT_EQ(checkpoint.last_step(), 5);
  EXPECT_EQ(io::checkpoint_files(world(), directory / "run").front(), generation(directory / "run", 3));
}

// Other files whose names begin like the checkpoint's files are neither removed nor counted.
TEST(Checkpoint, leaves_other_files_alone) {
  const Directory directory;
  Array<double, 2> a(world(), {6, 5});
  io::save(directory / "run.000001.h5", "a", a);
  on_rank_0([&] { set_bytes(directory / "run.000002.h5", "notes"); });
  io::XdmfSeries series(world(), directory / "run.xmf", io::XdmfGrid<2>{{6, 5}});
  io::Checkpoint checkpoint(world(), directory / "run", {.keep = 1});
  checkpoint.add("a", a);
  for (int step = 0; step < 3; ++step) {
    number_elements(a, step);
    series.write(step, {{"a", a}});
    checkpoint.write(step);
  }
  checkpoint.close();
  EXPECT_EQ(directory.names(), (Names{"run.000001.h5", "run.000002.h5", "run.000005.h5", "run.step000000.h5",
                                      "run.step000001.h5", "run.step000002.h5", "run.xmf"}));
  for (int step = 0; step < 3; ++step)
    expect_raw<double, 2>(directory / ("run.step00000" + std::to_string(step) + ".h5"), "a", {6, 5}, step);
}

// A prefix without a directory means the current directory when the checkpoint is made, even if the program
// changes its directory later.
TEST(Checkpoint, stays_in_the_directory_where_it_was_made) {
  const Directory directory;
  const auto before = std::filesystem::current_path();
  Array<double, 1> a(world(), {50});
  std::filesystem::current_path(directory / ".");
  io::Checkpoint checkpoint(world(), "run", {.keep = 2});
  checkpoint.add("a", a);
  checkpoint.write(1);
  io::PendingCheckpoint pending = checkpoint.write_async(2);
  std::filesystem::current_path(before);
  pending.wait();
  on_rank_0([&] {
    const auto newest = directory / generation("run", 2);
    std::string bytes = bytes_of(newest);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    set_bytes(newest, bytes);
  });
  EXPECT_EQ(checkpoint.restore().value().step, 1);
  checkpoint.write(3);
  checkpoint.close();
  EXPECT_EQ(directory.names(), (Names{"run.000001.h5", "run.000002.h5", "run.000003.h5"}));
}

}  // namespace
