// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/elementwise.hpp>
#include <tessera/io/io.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>

#include "../../ga/array_model.hpp"
#include "raw_file.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

template <class T, std::size_t N>
void set_to_elements(Array<T, N>& array) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = element<T>(number_of(at, dims)); });
}

// How many of this rank's elements are wrong.
template <class T, std::size_t N>
int wrong_elements(Array<T, N>& array) {
  const Extents<N> dims = array.dims();
  int wrong = 0;
  for_each_local(array, [&](const Index<N>& at, T& x) {
    wrong += static_cast<int>(!(x == element<T>(number_of(at, dims))));
  });
  return wrong;
}

// Overwrites all elements, so that only loading can make them right.
template <class T, std::size_t N>
void spoil(Array<T, N>& array) {
  fill(array, element<T>(-1));
}

template <std::size_t N>
std::vector<hsize_t> raw_dims(const Extents<N>& dims) {
  return {dims.begin(), dims.end()};
}

template <class T>
void expect_raw(const std::filesystem::path& path, const std::string& name, const std::vector<hsize_t>& dims) {
  on_rank_0([&] {
    const auto found = read_raw<T>(path, name);
    EXPECT_EQ(found.dims, dims);
    std::size_t count = 1;
    for (const hsize_t extent : dims) count *= static_cast<std::size_t>(extent);
    EXPECT_EQ(found.elements.size(), count);
    int wrong = 0;
    for (std::size_t i = 0; i < found.elements.size(); ++i)
      wrong += static_cast<int>(!(found.elements[i] == element<T>(static_cast<index_t>(i))));
    EXPECT_EQ(wrong, 0);
  });
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
    EXPECT_EQ(wrong_elements(array), 0);
    set_to_elements(array);
    array.sync();
    io::save(ours, "A", array);
    expect_raw<T>(ours, "A", raw_dims(dims));
    EXPECT_EQ(wrong_elements(array), 0) << "saving changed the array";
  }
  auto loaded = io::load<T, N>(world(), ours, "A");
  EXPECT_EQ(loaded.dims(), dims);
  EXPECT_EQ(loaded.name(), "A");
  EXPECT_EQ(wrong_elements(loaded), 0);
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

TEST(Io, float64InOneDimension) { check_layouts<double, 1>({101}); }
TEST(Io, float64InTwoDimensions) { check_layouts<double, 2>({13, 9}); }
TEST(Io, float64InThreeDimensions) { check_layouts<double, 3>({5, 4, 7}); }
TEST(Io, float64InEightDimensions) { check_layouts<double, 8>({2, 3, 1, 2, 2, 3, 1, 4}); }
TEST(Io, LargeMatrices) { check_large<double, 2>({701, 613}, {128, 128}); }
TEST(Io, LargeVolumes) { check_large<Bytes, 3>({97, 101, 103}, {50, 50, 60}); }
TEST(Io, int32) { check_layouts<std::int32_t, 2>({6, 7}); }
TEST(Io, int64) { check_layouts<std::int64_t, 2>({6, 7}); }
TEST(Io, float32) { check_layouts<float, 2>({6, 7}); }
TEST(Io, complex64) { check_layouts<std::complex<float>, 2>({6, 7}); }
TEST(Io, complex128) { check_layouts<std::complex<double>, 2>({6, 7}); }
TEST(Io, bytes) { check_layouts<Bytes, 2>({6, 7}); }

template <std::size_t N>
void check_few_elements(const Extents<N>& dims) {
  const Directory directory;
  const auto path = directory / "few.h5";
  Array<double, N> array(world(), dims);
  set_to_elements(array);
  array.sync();
  io::save(path, "few", array);
  expect_raw<double>(path, "few", raw_dims(dims));
  auto loaded = io::load<double, N>(world(), path, "few");
  EXPECT_EQ(loaded.dims(), dims);
  EXPECT_EQ(wrong_elements(loaded), 0);
}

TEST(Io, FewerElementsThanRanksAndNone) {
  check_few_elements<1>({1});
  check_few_elements<1>({2});
  check_few_elements<1>({0});
  check_few_elements<2>({0, 4});
  check_few_elements<2>({3, 0});
  check_few_elements<2>({1, 2});
}

TEST(Io, BlockCyclicWithoutElements) {
  const Directory directory;
  Array<float, 2> array(world(),
                        Layout<2>::block_cyclic({0, 3}, {2, 2}, {{world().size(), 1}}, world().size()));
  io::save(directory / "none.h5", "none", array);
  io::load_into(directory / "none.h5", "none", array);
  expect_raw<float>(directory / "none.h5", "none", {0, 3});
}

TEST(Io, SeveralArraysInOneFile) {
  const Directory directory;
  const auto path = directory / "several.h5";
  Array<double, 2> a(world(), {4, 5});
  Array<std::int32_t, 1> b(world(), {9});
  Array<std::complex<double>, 3> c(world(), {2, 3, 4});
  set_to_elements(a);
  set_to_elements(b);
  set_to_elements(c);
  io::save(path, {{"a", a}, {"run 1/step/b", b}, {"run 1/gr\u00f6\u00dfe", c}});
  expect_raw<double>(path, "a", {4, 5});
  expect_raw<std::int32_t>(path, "run 1/step/b", {9});
  expect_raw<std::complex<double>>(path, "/run 1/gr\u00f6\u00dfe", {2, 3, 4});
  EXPECT_EQ((io::load<std::int32_t, 1>(world(), path, "/run 1/step/b").dims()), b.dims());
  auto loaded = io::load<std::complex<double>, 3>(world(), path, "run 1/gr\u00f6\u00dfe");
  EXPECT_EQ(wrong_elements(loaded), 0);

  const std::vector<io::Item> items{{"only", a}};
  io::save(path, items);
  expect_raw<double>(path, "only", {4, 5});
  EXPECT_THROW((io::load<double, 2>(world(), path, "a")), io::IoError) << "the old file was not replaced";
}

TEST(Io, UnusualFileNames) {
  const Directory directory;
  Array<double, 1> a(world(), {10});
  set_to_elements(a);
  for (const char* name : {"with blanks.h5", "12:30:00.h5", "no-suffix", "\u00fcber.h5"}) {
    SCOPED_TRACE(name);
    io::save(directory / name, "a", a);
    expect_raw<double>(directory / name, "a", {10});
    spoil(a);
    io::load_into(directory / name, "a", a);
    EXPECT_EQ(wrong_elements(a), 0);
  }
  EXPECT_EQ(directory.names().size(), 4U);

  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory / ".");
  io::save("relative.h5", "a", a);
  io::load_into("relative.h5", "a", a);
  std::filesystem::current_path(before);
  expect_raw<double>(directory / "relative.h5", "a", {10});
}

// The file behind a symbolic link is replaced, not the link. The file's permissions stay the same.
TEST(Io, LinksAndPermissionsStay) {
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

TEST(Io, SaveSeesWhatOthersPut) {
  const Directory directory;
  Array<double, 1> a(world(), {64});
  spoil(a);
  if (world().rank() == world().size() - 1) {
    std::vector<double> values;
    for (index_t i = 0; i < 64; ++i) values.push_back(element<double>(i));
    a.put({{0}, {64}}, View<const double, 1>(values.data(), {64}));
  }
  io::save(directory / "put.h5", "a", a);
  expect_raw<double>(directory / "put.h5", "a", {64});
}

TEST(Io, LoadIsVisibleToOthers) {
  const Directory directory;
  on_rank_0([&] { write_raw<double>(directory / "a.h5", "a", {64}); });
  Array<double, 1> a(world(), Layout<1>::block_cyclic({64}, {3}, {{world().size()}}, world().size()));
  io::load_into(directory / "a.h5", "a", a);
  int wrong = 0;
  for (index_t i = 0; i < 64; ++i) wrong += static_cast<int>(a.load({i}) != element<double>(i));
  EXPECT_EQ(wrong, 0);
  world().barrier();
}

TEST(Io, OtherNumbersOfRanks) {
  const Directory directory;
  const auto all = directory / "all.h5", some = directory / "some.h5";
  Array<double, 2> a(world(), {17, 6});
  set_to_elements(a);
  a.sync();
  io::save(all, "a", a);
  // A smaller group in another order reads what all ranks wrote. Then all ranks read what it writes.
  const int half = (world().size() + 1) / 2;
  const Group part = world().split(world().rank() < half ? 0 : Group::no_color, -world().rank());
  if (part) {
    EXPECT_EQ(part.size(), half);
    auto b = io::load<double, 2>(part, all, "a");
    EXPECT_EQ(wrong_elements(b), 0);
    io::save(some, "b", b);
  }
  world().barrier();
  expect_raw<double>(some, "b", {17, 6});
  spoil(a);
  io::load_into(some, "b", a);
  EXPECT_EQ(wrong_elements(a), 0);
}

TEST(Io, GroupsWriteTheirOwnFilesAtOnce) {
  const Directory directory;
  const int parity = world().rank() % 2;
  const Group part = world().split(parity);
  Array<double, 1> a(part, {50});
  set_to_elements(a);
  io::save(directory / ("part" + std::to_string(parity)), "a", a);
  world().barrier();
  expect_raw<double>(directory / "part0", "a", {50});
  if (world().size() > 1) expect_raw<double>(directory / "part1", "a", {50});
}

// Features that other programs use and Tessera does not: another byte order, chunks, tags.
TEST(Io, FilesOfOtherPrograms) {
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
    EXPECT_EQ(wrong_elements(a), 0);
  }
  auto a = io::load<Bytes, 2>(world(), directory / "tag.h5", "a");
  EXPECT_EQ(wrong_elements(a), 0);
}

}  // namespace
