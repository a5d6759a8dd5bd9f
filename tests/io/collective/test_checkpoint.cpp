// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/epochs.hpp>
#include <tessera/io/io.hpp>

#include "checkpoint_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

using Names = std::vector<std::string>;

// Another program and the next layout read what one layout writes.
template <class T, std::size_t N>
void check_layouts(const Extents<N>& dims) {
  const Directory directory;
  const auto prefix = directory / "c";
  Random random(29 + N);
  index_t first = 0;
  int number = 0;
  const auto layouts = layouts_of(random, dims, world().size());
  for (std::size_t i = 0; i < layouts.size(); ++i, first += 10) {
    SCOPED_TRACE(layouts[i].description());
    Array<T, N> array(world(), layouts[i], {.name = "from"});
    number_elements(array, first);
    io::Checkpoint from(world(), prefix, {.keep = 1});
    from.add("A", array);
    from.write(first);
    EXPECT_EQ(misnumbered(array, first), 0) << "writing changed the array";
    expect_raw<T>(generation(prefix, ++number), "A", dims, first);

    Array<T, N> next(world(), layouts[(i + 1) % layouts.size()], {.name = "into"});
    fill(next, element<T>(-1));
    io::Checkpoint into(world(), prefix);
    into.add("A", next);
    const auto restored = into.restore();
    TESSERA_ASSERT_ALL(restored.has_value());
    EXPECT_EQ(restored->step, first);
    EXPECT_TRUE(restored->skipped.empty());
    EXPECT_EQ(misnumbered(next, first), 0);
  }
  EXPECT_EQ(directory.names(), (Names{generation("c", number)}));
}

TEST(Checkpoint, float64InOneDimension) { check_layouts<double, 1>({1001}); }
TEST(Checkpoint, float64InTwoDimensions) { check_layouts<double, 2>({37, 29}); }
TEST(Checkpoint, complex128InEightDimensions) {
  check_layouts<std::complex<double>, 8>({2, 3, 1, 2, 2, 3, 1, 4});
}
TEST(Checkpoint, bytesInThreeDimensions) { check_layouts<Bytes, 3>({13, 14, 15}); }

// Several tiles, which end in the middle of rows and planes.
template <class T, std::size_t N>
void check_tiles(const Extents<N>& dims) {
  const Directory directory;
  Array<T, N> array(world(), dims, {.name = "tiles"});
  number_elements(array);
  io::Checkpoint checkpoint(world(), directory / "c");
  checkpoint.add("A", array);
  checkpoint.write(7);
  expect_raw<T>(generation(directory / "c", 1), "A", dims);
  EXPECT_EQ(io::verify_checkpoint(world(), generation(directory / "c", 1)).problem, "");
  fill(array, element<T>(-1));
  TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
  EXPECT_EQ(misnumbered(array), 0);
}

TEST(Checkpoint, TilesOfOddElements) { check_tiles<Bytes, 5>({7, 11, 13, 17, 89}); }
TEST(Checkpoint, TilesOfAVolume) { check_tiles<double, 3>({70, 81, 90}); }
TEST(Checkpoint, TilesOfAVector) { check_tiles<std::complex<float>, 1>({400001}); }

TEST(Checkpoint, OfEverything) {
  const Directory directory;
  const auto file = generation(directory / "all", 1);
  Array<double, 2> density(world(), {40, 50}, {.name = "density"});
  Array<std::int32_t, 1> counts(world(), {9}, {.name = "counts"});
  Array<float, 3> field(world(), Layout<3>::blocked({6, 7, 8}, world().size()),
                        {.ghosts = {1, 1, 1}, .periodic = {true, true, true}});
  Array<double, 2> none(world(), {0, 4}, {.name = "none"});
  Array<double, 2> whole(world(), {12, 10}, {.name = "whole"});
  double time = 1.5;
  std::int64_t seed = std::int64_t{1} << 40;
  bool converged = true;
  std::string title = "gr\u00f6\u00dfe of run 1", empty;
  std::vector<double> energies{1, 2, 3}, no_energies;
  std::array<float, 3> box{4, 5, 6};
  std::vector<std::int32_t> long_list(3000, 7);
  const auto set_all = [&](index_t first) {
    number_elements(density, first);
    number_elements(counts, first);
    number_elements(field, first);
    number_elements(whole, first);
  };

  io::Checkpoint checkpoint(world(), directory / "all");
  checkpoint.add("density", density);
  checkpoint.add("deep/er/counts", counts);
  checkpoint.add("a field", field);
  checkpoint.add("none", none);
  checkpoint.add("part", whole.slice({{1, 2}, {11, 9}}, {3, 2}).transposed());
  checkpoint.add("time", time);
  checkpoint.add("seed", seed);
  checkpoint.add("converged", converged);
  checkpoint.add("title", title);
  checkpoint.add("empty", empty);
  checkpoint.add("energies", energies);
  checkpoint.add("no energies", no_energies);
  checkpoint.add("box", box);
  checkpoint.add("long list", long_list);
  set_all(0);
  EXPECT_FALSE(checkpoint.restore().has_value()) << "there is none yet";
  EXPECT_EQ(misnumbered(density), 0);
  if (world().rank() > 0) {  // the values of rank 0 are written
    time = 9;
    energies = {9};
  }
  checkpoint.write(-3);

  expect_raw<double>(file, "density", density.dims());
  expect_raw<std::int32_t>(file, "deep/er/counts", counts.dims());
  expect_raw<double>(file, "none", none.dims());
  EXPECT_EQ((io::load<float, 3>(world(), file, "a field").load({5, 6, 7})), element<float>(6 * 7 * 8 - 1));

  set_all(1000);
  time = 0, seed = 0, converged = false, title.clear(), empty = "full", energies = {0}, no_energies = {1},
  box = {}, long_list.clear();
  const auto restored = checkpoint.restore();
  TESSERA_ASSERT_ALL(restored.has_value());
  EXPECT_EQ(restored->step, -3);
  EXPECT_EQ(restored->file, file);
  EXPECT_EQ(misnumbered(density), 0);
  EXPECT_EQ(misnumbered(counts), 0);
  EXPECT_EQ(misnumbered(field), 0);
  index_t changed = 0;
  for_each_local(whole, [&](const Index<2>& at, double& x) {
    const bool in_part =
        at[0] >= 1 && at[0] < 11 && at[0] % 3 == 1 && at[1] >= 2 && at[1] < 9 && at[1] % 2 == 0;
    changed += static_cast<index_t>(x != element<double>((in_part ? 0 : 1000) + at[0] * 10 + at[1]));
  });
  EXPECT_EQ(changed, 0);
  EXPECT_EQ(time, 1.5);
  EXPECT_EQ(seed, std::int64_t{1} << 40);
  EXPECT_TRUE(converged);
  EXPECT_EQ(title, "gr\u00f6\u00dfe of run 1");
  EXPECT_EQ(empty, "");
  EXPECT_EQ(energies, (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(no_energies.empty());
  EXPECT_EQ(box, (std::array<float, 3>{4, 5, 6}));
  EXPECT_EQ(long_list, std::vector<std::int32_t>(3000, 7));

  const auto info = io::verify_checkpoint(world(), file);
  EXPECT_EQ(info.problem, "");
  EXPECT_EQ(info.step, -3);
  EXPECT_EQ(info.generation, 1);
  EXPECT_EQ(info.library, version());
  on_rank_0([&] { EXPECT_EQ(info.bytes, static_cast<index_t>(std::filesystem::file_size(file))); });
  EXPECT_EQ(info.entries.size(), 14U);
  for (const auto& entry : info.entries) {
    if (entry.name != "density") continue;
    EXPECT_EQ(entry.type, "float64");
    EXPECT_EQ(entry.extents, (std::vector<index_t>{40, 50}));
  }
}

TEST(Checkpoint, KeepsTheLastGenerations) {
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
  EXPECT_EQ(misnumbered(a, 60), 0);
  checkpoint.write(70);
  checkpoint.close();
  EXPECT_EQ(directory.names(), (Names{"run.0000001.h5", "run.000001", generation("run", 7), "run.00000x.h5",
                                      "run.1.h5", "run.h5", "runs.000001.h5"}));
}

TEST(Checkpoint, KnowsItsLastStep) {
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
TEST(Checkpoint, LeavesOtherFilesAlone) {
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
  EXPECT_EQ(directory.names(),
            (std::vector<std::string>{"run.000001.h5", "run.000002.h5", "run.000005.h5", "run.step000000.h5",
                                      "run.step000001.h5", "run.step000002.h5", "run.xmf"}));
  for (int step = 0; step < 3; ++step)
    expect_raw<double, 2>(directory / ("run.step00000" + std::to_string(step) + ".h5"), "a", {6, 5}, step);
}

// A prefix without a directory means the current directory when the checkpoint is made, even if the program
// changes its directory later.
TEST(Checkpoint, OfTheDirectoryOfTheProgram) {
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
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"run.000001.h5", "run.000002.h5", "run.000003.h5"}));
}

TEST(Checkpoint, OtherNumbersOfRanks) {
  const Directory directory;
  Array<double, 2> a(world(), {600, 500});
  number_elements(a);
  io::Checkpoint all(world(), directory / "c");
  all.add("a", a);
  all.write(1);
  all.close();
  const int half = (world().size() + 1) / 2;
  const Group part = world().split(world().rank() < half ? 0 : Group::no_color, -world().rank());
  if (part) {
    Array<double, 2> b(part, Layout<2>::block_cyclic({600, 500}, {32, 32}, {{part.size(), 1}}, part.size()));
    io::Checkpoint some(part, directory / "c");
    some.add("a", b);
    EXPECT_TRUE(some.restore().has_value());
    scale(b, 2.0);
    some.write(2);
    some.close();
  }
  world().barrier();
  const auto restored = all.restore();
  TESSERA_ASSERT_ALL(restored.has_value());
  EXPECT_EQ(restored->step, 2);
  scale(a, 0.5);
  EXPECT_EQ(misnumbered(a), 0);
}

TEST(Checkpoint, FollowsArraysThatAreSwappedRedistributedAndReplaced) {
  const Directory directory;
  Array<double, 2> u(world(), {30, 40}), next(world(), {30, 40});
  io::Checkpoint checkpoint(world(), directory / "c");
  checkpoint.add("u", u);
  number_elements(u, 1);
  number_elements(next, 2);
  std::swap(u, next);
  checkpoint.write(1);
  expect_raw<double>(generation(directory / "c", 1), "u", u.dims(), 2);
  u.redistribute(Layout<2>::blocked({30, 40}, world().size(), {.grid = {{world().size(), 1}}}));
  checkpoint.write(2);
  expect_raw<double>(generation(directory / "c", 2), "u", u.dims(), 2);
  u = Array<double, 2>(world(), {3, 4});
  number_elements(u, 5);
  checkpoint.write(3);
  expect_raw<double>(generation(directory / "c", 3), "u", u.dims(), 5);
}

TEST(Checkpoint, SeesWhatOthersPutAndEndsEpochs) {
  const Directory directory;
  Array<double, 1> a(world(), {64});
  fill(a, 0.0);
  io::Checkpoint checkpoint(world(), directory / "c");
  checkpoint.add("a", a);
  {
    auto phase = accumulate_only(a);
    if (world().rank() == world().size() - 1) {
      std::vector<double> values;
      for (index_t i = 0; i < 64; ++i) values.push_back(element<double>(i));
      phase.acc({{0}, {64}}, View<const double, 1>(values.data(), {64}));
    }
    checkpoint.write(1);
  }
  expect_raw<double>(generation(directory / "c", 1), "a", a.dims());
}

TEST(Checkpoint, ManyArrays) {
  const Directory directory;
  std::vector<Array<std::int32_t, 1>> arrays;
  io::Checkpoint checkpoint(world(), directory / "c");
  for (int i = 0; i < 100; ++i) arrays.emplace_back(world(), Extents<1>{100 * i});
  for (int i = 0; i < 100; ++i) {
    number_elements(arrays[static_cast<std::size_t>(i)], i);
    checkpoint.add("group" + std::to_string(i % 7) + "/array" + std::to_string(i),
                   arrays[static_cast<std::size_t>(i)]);
  }
  checkpoint.write(1);
  EXPECT_EQ(io::verify_checkpoint(world(), generation(directory / "c", 1)).problem, "");
  for (auto& array : arrays) fill(array, -1);
  TESSERA_ASSERT_ALL(checkpoint.restore().has_value());
  index_t wrong = 0;
  for (int i = 0; i < 100; ++i) wrong += misnumbered(arrays[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(wrong, 0);
  expect_raw<std::int32_t>(generation(directory / "c", 1), "group6/array97", arrays[97].dims(), 97);
}

TEST(Checkpoint, WrongUse) {
  const Directory directory;
  Array<double, 1> a(world(), {4}, {.name = "a"});
  double x = 0;
  const auto says = [](auto&& action) { return message_of<UsageError>(action); };
  EXPECT_NE(says([&] { io::Checkpoint(world(), directory / "c", {.keep = 0}); }).find("at least 1"),
            std::string::npos);
  EXPECT_NE(says([&] { io::Checkpoint(world(), (directory / "c").string() + "/"); }).find("name"),
            std::string::npos);
  io::Checkpoint checkpoint(world(), directory / "c");
  EXPECT_NE(says([&] { checkpoint.write(1); }).find("nothing was added"), std::string::npos);
  checkpoint.add("a", a);
  EXPECT_NE(says([&] { checkpoint.add("a", x); }).find("already"), std::string::npos);
  EXPECT_NE(says([&] { checkpoint.add("a/b", x); }).find("group"), std::string::npos);
  for (const char* name : {"",
                           "/a",
                           "b/",
                           "b//c",
                           ".",
                           "./b",
                           "b/./c",
                           "b\nc",
                           "b/.",
                           "b/././.",
                           "..",
                           "../b",
                           "b/..",
                           "b/../c",
                           "/",
                           "//",
                           "b\33[2Jc",
                           "\x9b",
                           "b\xff",
                           "\xc3",
                           "\xe2\x80\xae"
                           "b"}) {
    SCOPED_TRACE(name);
    const std::string message = says([&] { checkpoint.add(name, x); });
    EXPECT_NE(message.find("cannot be a name"), std::string::npos);
    for (const char c : message) EXPECT_TRUE(c >= 32 && c < 127) << "it is for people";
  }
  EXPECT_NE(says([&] { checkpoint.add(std::string("b\0c", 3), x); }).find("cannot be a name"),
            std::string::npos);
  EXPECT_NE(says([&] { checkpoint.add(std::string(1025, 'b'), x); }).find("longer than 1024"),
            std::string::npos);
  EXPECT_NE(says([&] { io::Checkpoint(world(), std::string("b\0c", 3)); }).find("a byte of zero"),
            std::string::npos);
  EXPECT_NE(says([&] { checkpoint.add("tessera_x", x); }).find("Tessera's own"), std::string::npos);
  const Group other = world().split(0);
  Array<double, 1> elsewhere(other, {4}, {.name = "elsewhere"});
  EXPECT_NE(says([&] { checkpoint.add("e", elsewhere); }).find("another group"), std::string::npos);
  a.close();
  EXPECT_NE(says([&] { checkpoint.write(1); }).find("closed"), std::string::npos);
  io::Checkpoint taken = std::move(checkpoint);
  EXPECT_NE(says([&] { checkpoint.write(1); }).find("moved from"), std::string::npos);
  EXPECT_NE(says([&] { checkpoint.add("x", x); }).find("moved from"), std::string::npos);
  checkpoint.close();
  EXPECT_TRUE(directory.names().empty());
}

}  // namespace
