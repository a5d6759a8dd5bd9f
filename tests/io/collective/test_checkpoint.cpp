// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <tessera/epochs.hpp>
#include <tessera/io/io.hpp>

#include "checkpoint_model.hpp"

// Checkpoints are restored as they were written, in any layout and on any number of ranks.
namespace {

using namespace tessera;
using namespace tessera::test;

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
    EXPECT_TRUE(is_numbered(array, first)) << "writing changed the array";
    expect_raw<T>(generation(prefix, ++number), "A", dims, first);

    Array<T, N> next(world(), layouts[(i + 1) % layouts.size()], {.name = "into"});
    fill(next, element<T>(-1));
    io::Checkpoint into(world(), prefix);
    into.add("A", next);
    const auto restored = into.restore();
    TESSERA_ASSERT_ALL(restored.has_value());
    EXPECT_EQ(restored->step, first);
    EXPECT_TRUE(restored->skipped.empty());
    EXPECT_TRUE(is_numbered(next, first));
  }
  EXPECT_EQ(directory.names(), (std::vector<std::string>{generation("c", number)}));
}

TEST(Checkpoint, float64_in_one_dimension_moves_between_layouts) { check_layouts<double, 1>({1001}); }
TEST(Checkpoint, float64_in_two_dimensions_moves_between_layouts) { check_layouts<double, 2>({37, 29}); }
TEST(Checkpoint, complex128_in_eight_dimensions_moves_between_layouts) {
  check_layouts<std::complex<double>, 8>({2, 3, 1, 2, 2, 3, 1, 4});
}
TEST(Checkpoint, bytes_in_three_dimensions_move_between_layouts) { check_layouts<Bytes, 3>({13, 14, 15}); }

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
  EXPECT_TRUE(is_numbered(array));
}

TEST(Checkpoint, tiles_of_odd_elements_are_restored) { check_tiles<Bytes, 5>({7, 11, 13, 17, 89}); }
TEST(Checkpoint, tiles_of_a_volume_are_restored) { check_tiles<double, 3>({70, 81, 90}); }
TEST(Checkpoint, tiles_of_a_vector_are_restored) { check_tiles<std::complex<float>, 1>({400001}); }

// One of each kind of thing that a checkpoint may have.
class Everything : public testing::Test {
 protected:
  Everything() {
    checkpoint_.add("density", density_);
    checkpoint_.add("deep/er/counts", counts_);
    checkpoint_.add("a field", field_);
    checkpoint_.add("none", none_);
    checkpoint_.add("part", whole_.slice({{1, 2}, {11, 9}}, {3, 2}).transposed());
    checkpoint_.add("time", time_);
    checkpoint_.add("seed", seed_);
    checkpoint_.add("converged", converged_);
    checkpoint_.add("title", title_);
    checkpoint_.add("empty", empty_);
    checkpoint_.add("energies", energies_);
    checkpoint_.add("no energies", no_energies_);
    checkpoint_.add("box", box_);
    checkpoint_.add("long list", long_list_);
  }
  void number_all(index_t first) {
    number_elements(density_, first);
    number_elements(counts_, first);
    number_elements(field_, first);
    number_elements(whole_, first);
  }
  void change_all() {
    number_all(1000);
    time_ = 0, seed_ = 0, converged_ = false, title_.clear(), empty_ = "full", energies_ = {0};
    no_energies_ = {1}, box_ = {}, long_list_.clear();
  }
  void expect_in_file() {
    expect_raw<double>(file_, "density", density_.dims());
    expect_raw<std::int32_t>(file_, "deep/er/counts", counts_.dims());
    expect_raw<double>(file_, "none", none_.dims());
    EXPECT_EQ((io::load<float, 3>(world(), file_, "a field").load({5, 6, 7})), element<float>(6 * 7 * 8 - 1));
  }
  // Of `whole`, only the part that is in the checkpoint was restored.
  void expect_arrays() {
    EXPECT_TRUE(is_numbered(density_));
    EXPECT_TRUE(is_numbered(counts_));
    EXPECT_TRUE(is_numbered(field_));
    Comparison compared;
    for_each_local(whole_, [&](const Index<2>& at, double& x) {
      const bool in_part =
          at[0] >= 1 && at[0] < 11 && at[0] % 3 == 1 && at[1] >= 2 && at[1] < 9 && at[1] % 2 == 0;
      compared(at, element<double>((in_part ? 0 : 1000) + at[0] * 10 + at[1]), x);
    });
    EXPECT_TRUE(compared.equal());
  }
  void expect_values() const {
    EXPECT_EQ(time_, 1.5);
    EXPECT_EQ(seed_, std::int64_t{1} << 40);
    EXPECT_TRUE(converged_);
    EXPECT_EQ(title_, "gr\u00f6\u00dfe of run 1");
    EXPECT_EQ(empty_, "");
    EXPECT_EQ(energies_, (std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(no_energies_.empty());
    EXPECT_EQ(box_, (std::array<float, 3>{4, 5, 6}));
    EXPECT_EQ(long_list_, std::vector<std::int32_t>(3000, 7));
  }
  void expect_description() {
    const auto info = io::verify_checkpoint(world(), file_);
    EXPECT_EQ(info.problem, "");
    EXPECT_EQ(info.step, -3);
    EXPECT_EQ(info.generation, 1);
    EXPECT_EQ(info.library, version());
    on_rank_0([&] { EXPECT_EQ(info.bytes, static_cast<index_t>(std::filesystem::file_size(file_))); });
    EXPECT_EQ(info.entries.size(), 14U);
    for (const auto& entry : info.entries) {
      if (entry.name != "density") continue;
      EXPECT_EQ(entry.type, "float64");
      EXPECT_EQ(entry.extents, (std::vector<index_t>{40, 50}));
    }
  }

  const Directory directory_;
  const std::filesystem::path file_ = generation(directory_ / "all", 1);
  Array<double, 2> density_{world(), {40, 50}, {.name = "density"}};
  Array<std::int32_t, 1> counts_{world(), {9}, {.name = "counts"}};
  Array<float, 3> field_{world(),
                         Layout<3>::blocked({6, 7, 8}, world().size()),
                         {.ghosts = {1, 1, 1}, .periodic = {true, true, true}}};
  Array<double, 2> none_{world(), {0, 4}, {.name = "none"}};
  Array<double, 2> whole_{world(), {12, 10}, {.name = "whole"}};
  double time_ = 1.5;
  std::int64_t seed_ = std::int64_t{1} << 40;
  bool converged_ = true;
  std::string title_ = "gr\u00f6\u00dfe of run 1", empty_;
  std::vector<double> energies_{1, 2, 3}, no_energies_;
  std::array<float, 3> box_{4, 5, 6};
  std::vector<std::int32_t> long_list_ = std::vector<std::int32_t>(3000, 7);
  io::Checkpoint checkpoint_{world(), directory_ / "all"};
};

TEST_F(Everything, is_written_and_restored) {
  number_all(0);
  EXPECT_FALSE(checkpoint_.restore().has_value()) << "there is none yet";
  EXPECT_TRUE(is_numbered(density_));
  if (world().rank() > 0) {  // the values of rank 0 are written
    time_ = 9;
    energies_ = {9};
  }
  checkpoint_.write(-3);
  expect_in_file();

  change_all();
  const auto restored = checkpoint_.restore();
  TESSERA_ASSERT_ALL(restored.has_value());
  EXPECT_EQ(restored->step, -3);
  EXPECT_EQ(restored->file, file_);
  expect_arrays();
  expect_values();
  expect_description();
}

TEST(Checkpoint, is_restored_on_other_numbers_of_ranks) {
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
  EXPECT_TRUE(is_numbered(a));
}

TEST(Checkpoint, follows_arrays_that_are_swapped_redistributed_and_replaced) {
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

TEST(Checkpoint, has_what_other_ranks_put_and_ends_epochs) {
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

TEST(Checkpoint, many_arrays_are_restored) {
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
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(is_numbered(arrays[static_cast<std::size_t>(i)], i)) << i;
  expect_raw<std::int32_t>(generation(directory / "c", 1), "group6/array97", arrays[97].dims(), 97);
}

TEST(Checkpoint, wrong_use_is_an_error) {
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
