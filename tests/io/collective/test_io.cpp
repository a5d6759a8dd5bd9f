// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sys/stat.h>
#include <unistd.h>
#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>

#include "numbered_array.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Overwrites all elements, so that only loading can make them right.
template <class T, std::size_t N>
void spoil(Array<T, N>& array) {
  fill(array, element<T>(-1));
}

// Every layout writes what the raw reader expects, and reads what the raw writer wrote.
template <class T, std::size_t N>
void check(const Extents<N>& dims, const std::vector<Layout<N>>& layouts) {
  const Directory directory;
  const auto theirs = directory / "theirs.h5", ours = directory / "ours.h5";
  on_rank_0([&] { write_raw<T>(theirs, "A", raw_dims(dims)); });
  for (const auto& layout : layouts) {
    SCOPED_TRACE(layout.description());
    Array<T, N> array(world(), layout, {.name = "array"});
    spoil(array);
    io::load_into(theirs, "A", array);
    EXPECT_TRUE(own_are_numbered(array));
    number_elements(array);
    io::save(ours, "A", array);
    expect_raw<T>(ours, "A", dims);
    EXPECT_TRUE(own_are_numbered(array)) << "saving changed the array";
  }
  auto loaded = io::load<T, N>(world(), ours, "A");
  EXPECT_EQ(loaded.dims(), dims);
  EXPECT_EQ(loaded.name(), "A");
  EXPECT_TRUE(own_are_numbered(loaded));
  EXPECT_EQ(directory.names(), (std::vector<std::string>{"ours.h5", "theirs.h5"}));
}

template <class T, std::size_t N>
void check_layouts(const Extents<N>& dims) {
  Random random(17 + N);
  check<T, N>(dims, layouts_of(random, dims, world().size()));
}

// Each rank has several tiles of the file, in not too many pieces.
template <class T, std::size_t N>
void check_large(const Extents<N>& dims, const Extents<N>& blocks) {
  const auto blocked = Layout<N>::blocked(dims, world().size());
  Extents<N> grid;
  for (std::size_t d = 0; d < N; ++d) grid[d] = d == 1 ? world().size() : 1;
  check<T, N>(dims, {blocked, blocked.with_storage(StorageOrder::column_major),
                     Layout<N>::block_cyclic(dims, blocks, {grid}, world().size())});
}

TEST(Io, float64_in_one_dimension_is_saved_and_loaded) { check_layouts<double, 1>({101}); }
TEST(Io, float64_in_two_dimensions_is_saved_and_loaded) { check_layouts<double, 2>({13, 9}); }
TEST(Io, float64_in_three_dimensions_is_saved_and_loaded) { check_layouts<double, 3>({5, 4, 7}); }
TEST(Io, float64_in_eight_dimensions_is_saved_and_loaded) {
  check_layouts<double, 8>({2, 3, 1, 2, 2, 3, 1, 4});
}
TEST(Io, large_matrices_are_saved_and_loaded) { check_large<double, 2>({701, 613}, {128, 128}); }
TEST(Io, large_volumes_are_saved_and_loaded) { check_large<Bytes, 3>({97, 101, 103}, {50, 50, 60}); }
TEST(Io, int32_is_saved_and_loaded) { check_layouts<std::int32_t, 2>({6, 7}); }
TEST(Io, int64_is_saved_and_loaded) { check_layouts<std::int64_t, 2>({6, 7}); }
TEST(Io, float32_is_saved_and_loaded) { check_layouts<float, 2>({6, 7}); }
TEST(Io, complex64_is_saved_and_loaded) { check_layouts<std::complex<float>, 2>({6, 7}); }
TEST(Io, complex128_is_saved_and_loaded) { check_layouts<std::complex<double>, 2>({6, 7}); }
TEST(Io, bytes_are_saved_and_loaded) { check_layouts<Bytes, 2>({6, 7}); }

template <std::size_t N>
void check_few_elements(const Extents<N>& dims) {
  const Directory directory;
  const auto path = directory / "few.h5";
  Array<double, N> array(world(), dims);
  number_elements(array);
  io::save(path, "few", array);
  expect_raw<double>(path, "few", dims);
  auto loaded = io::load<double, N>(world(), path, "few");
  EXPECT_EQ(loaded.dims(), dims);
  EXPECT_TRUE(own_are_numbered(loaded));
}

TEST(Io, fewer_elements_than_ranks_and_none_are_saved_and_loaded) {
  check_few_elements<1>({1});
  check_few_elements<1>({2});
  check_few_elements<1>({0});
  check_few_elements<2>({0, 4});
  check_few_elements<2>({3, 0});
  check_few_elements<2>({1, 2});
}

TEST(Io, block_cyclic_array_without_elements_is_saved_and_loaded) {
  const Directory directory;
  Array<float, 2> array(world(),
                        Layout<2>::block_cyclic({0, 3}, {2, 2}, {{world().size(), 1}}, world().size()));
  io::save(directory / "none.h5", "none", array);
  io::load_into(directory / "none.h5", "none", array);
  expect_raw<float, 2>(directory / "none.h5", "none", {0, 3});
}

TEST(Io, several_arrays_share_a_file) {
  const Directory directory;
  const auto path = directory / "several.h5";
  Array<double, 2> a(world(), {4, 5});
  Array<std::int32_t, 1> b(world(), {9});
  Array<std::complex<double>, 3> c(world(), {2, 3, 4});
  number_own_elements(a);
  number_own_elements(b);
  number_own_elements(c);
  io::save(path, {{"a", a}, {"run 1/step/b", b}, {"run 1/gr\u00f6\u00dfe", c}});
  expect_raw<double, 2>(path, "a", {4, 5});
  expect_raw<std::int32_t, 1>(path, "run 1/step/b", {9});
  expect_raw<std::complex<double>, 3>(path, "/run 1/gr\u00f6\u00dfe", {2, 3, 4});
  EXPECT_EQ((io::load<std::int32_t, 1>(world(), path, "/run 1/step/b").dims()), b.dims());
  auto loaded = io::load<std::complex<double>, 3>(world(), path, "run 1/gr\u00f6\u00dfe");
  EXPECT_TRUE(own_are_numbered(loaded));

  const std::vector<io::Item> items{{"only", a}};
  io::save(path, items);
  expect_raw<double, 2>(path, "only", {4, 5});
  EXPECT_THROW((io::load<double, 2>(world(), path, "a")), io::IoError) << "the old file was not replaced";
}

TEST(Io, unusual_file_names_work) {
  const Directory directory;
  Array<double, 1> a(world(), {10});
  number_own_elements(a);
  const std::string longest = std::string(252, 'n') + ".h5";
  for (const std::string name :
       {"with blanks.h5", "12:30:00.h5", "no-suffix", "\u00fcber.h5", longest.c_str()}) {
    SCOPED_TRACE(name);
    io::save(directory / name, "a", a);
    expect_raw<double, 1>(directory / name, "a", {10});
    spoil(a);
    io::load_into(directory / name, "a", a);
    EXPECT_TRUE(own_are_numbered(a));
  }
  EXPECT_EQ(directory.names().size(), 5U);

  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory / ".");
  io::save("relative.h5", "a", a);
  io::load_into("relative.h5", "a", a);
  std::filesystem::current_path(before);
  expect_raw<double, 1>(directory / "relative.h5", "a", {10});
}

// The file behind a symbolic link is replaced, not the link. The file's permissions stay the same.
TEST(Io, links_and_permissions_stay) {
  using std::filesystem::perms;
  const Directory directory;
  on_rank_0([&] {
    std::filesystem::create_directory(directory / "deep");
    std::filesystem::create_symlink("deep/file.h5", directory / "link.h5");
    std::filesystem::create_symlink("link.h5", directory / "second.h5");
  });
  Array<double, 1> a(world(), {30});
  for (int round = 0; round < 2; ++round) {
    fill(a, 1.0 + round);
    io::save(directory / "second.h5", "a", a);
    on_rank_0([&] {
      EXPECT_TRUE(std::filesystem::is_symlink(directory / "link.h5"));
      EXPECT_TRUE(std::filesystem::is_symlink(directory / "second.h5"));
      EXPECT_EQ(read_raw<double>(directory / "deep/file.h5", "a").elements,
                std::vector<double>(30, 1.0 + round));
      if (round == 1) {
        EXPECT_EQ(std::filesystem::status(directory / "deep/file.h5").permissions(), perms{0440});
      }
      std::filesystem::permissions(directory / "deep/file.h5", perms{0440});
    });
  }
  on_rank_0([&] { std::filesystem::create_symlink("loop.h5", directory / "loop.h5"); });
  message_of<io::IoError>([&] { io::save(directory / "loop.h5", "a", a); });
}

// Another group would get the permissions of the file's.
TEST(Io, the_group_of_a_file_stays) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files to any group";
  const Directory directory;
  const auto path = directory / "a.h5";
  constexpr gid_t group = 4321;
  Array<double, 1> a(world(), {30});
  fill(a, 1.0);
  io::save(path, "a", a);
  on_rank_0([&] {
    EXPECT_EQ(chown(path.c_str(), static_cast<uid_t>(-1), group), 0);
    std::filesystem::permissions(path, std::filesystem::perms{0640});
  });
  io::save(path, "a", a);
  on_rank_0([&] {
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_gid, group);
    EXPECT_EQ(found.st_mode & 0777, mode_t{0640});
  });
}

TEST(Io, save_has_what_other_ranks_put) {
  const Directory directory;
  Array<double, 1> a(world(), {64});
  spoil(a);
  if (world().rank() == world().size() - 1) {
    std::vector<double> values;
    for (index_t i = 0; i < 64; ++i) values.push_back(element<double>(i));
    a.put({{0}, {64}}, View<const double, 1>(values.data(), {64}));
  }
  io::save(directory / "put.h5", "a", a);
  expect_raw<double, 1>(directory / "put.h5", "a", {64});
}

TEST(Io, load_is_visible_to_other_ranks) {
  const Directory directory;
  on_rank_0([&] { write_raw<double>(directory / "a.h5", "a", {64}); });
  Array<double, 1> a(world(), Layout<1>::block_cyclic({64}, {3}, {{world().size()}}, world().size()));
  io::load_into(directory / "a.h5", "a", a);
  Comparison compared;
  for (index_t i = 0; i < 64; ++i) compared(i, element<double>(i), a.load({i}));
  EXPECT_TRUE(compared.equal());
  world().barrier();
}

TEST(Io, file_is_loaded_on_other_numbers_of_ranks) {
  const Directory directory;
  const auto all = directory / "all.h5", some = directory / "some.h5";
  Array<double, 2> a(world(), {17, 6});
  number_elements(a);
  io::save(all, "a", a);
  // A smaller group in another order reads what all ranks wrote. Then all ranks read what it writes.
  const int half = (world().size() + 1) / 2;
  const Group part = world().split(world().rank() < half ? 0 : Group::no_color, -world().rank());
  if (part) {
    EXPECT_EQ(part.size(), half);
    auto b = io::load<double, 2>(part, all, "a");
    EXPECT_TRUE(own_are_numbered(b));
    io::save(some, "b", b);
  }
  world().barrier();
  expect_raw<double, 2>(some, "b", {17, 6});
  spoil(a);
  io::load_into(some, "b", a);
  EXPECT_TRUE(own_are_numbered(a));
}

TEST(Io, groups_write_their_own_files_at_once) {
  const Directory directory;
  const int parity = world().rank() % 2;
  const Group part = world().split(parity);
  Array<double, 1> a(part, {50});
  number_own_elements(a);
  io::save(directory / ("part" + std::to_string(parity)), "a", a);
  world().barrier();
  expect_raw<double, 1>(directory / "part0", "a", {50});
  if (world().size() > 1) expect_raw<double, 1>(directory / "part1", "a", {50});
}

// Features that other programs use and Tessera does not: another byte order, chunks, tags.
TEST(Io, files_of_other_programs_are_loaded) {
  const Directory directory;
  const hid_t tagged = good(H5Tcreate(H5T_OPAQUE, sizeof(Bytes)));
  good(H5Tset_tag(tagged, "colour"));
  on_rank_0([&] {
    write_raw<double>(directory / "big.h5", "a", {7, 5}, {.type = H5T_IEEE_F64BE});
    write_raw<double>(directory / "chunks.h5", "a", {7, 5}, {.chunk = {3, 2}});
    write_raw<Bytes>(directory / "tag.h5", "a", {7, 5}, {.type = tagged});
  });
  good(H5Tclose(tagged));
  for (const char* name : {"big.h5", "chunks.h5"}) {
    SCOPED_TRACE(name);
    auto a = io::load<double, 2>(world(), directory / name, "a");
    EXPECT_TRUE(own_are_numbered(a));
  }
  auto a = io::load<Bytes, 2>(world(), directory / "tag.h5", "a");
  EXPECT_TRUE(own_are_numbered(a));
}

}  // namespace
