// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <complex>
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "file_model.hpp"

// io::File: storage, lists, conversions, links, and files that are dropped. Raw HDF5 reads the results.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

// The raw reader finds the filters that the options asked for.
TEST(Files, are_stored_as_the_options_say) {
  const Directory directory;
  const auto path = directory / "stored.h5";
  Array<double, 2> a(world(), {64, 64}, {.name = "a"});
  fill(a, 1.0);
  File file(world(), path, Mode::create);
  file.create_dataset<double, 2>("a", a.dims(),
                                 {.chunks = {16, 100}, .deflate = 4, .shuffle = true, .checksum = true});
  file.write("a", a);
  file.create_dataset<float, 1>("none", {0}, {.deflate = 3});
  file.close();
  on_rank_0([&] {
    const hid_t raw = good(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const hid_t dataset = good(H5Dopen2(raw, "a", H5P_DEFAULT)), list = good(H5Dget_create_plist(dataset));
    std::array<hsize_t, 2> chunk{};
    EXPECT_EQ(H5Pget_layout(list), H5D_CHUNKED);
    good(H5Pget_chunk(list, 2, chunk.data()));
    EXPECT_EQ(chunk, (std::array<hsize_t, 2>{16, 64})) << "chunks end where the dataset does";
    EXPECT_EQ(H5Pget_nfilters(list), 3);
    EXPECT_LT(H5Dget_storage_size(dataset), 64U * 64U) << "not compressed";
    good(H5Pclose(list));
    good(H5Dclose(dataset));
    good(H5Fclose(raw));
  });
}

TEST(Files, datasets_are_listed_with_their_shape_and_storage) {
  const Directory directory;
  File file(world(), directory / "list.h5", Mode::truncate);
  EXPECT_TRUE(file.datasets().empty());
  file.create_dataset<double, 2>("a/b/c", {3, 4}, {.chunks = {2, 2}, .deflate = 2});
  file.create_dataset<std::complex<float>, 1>("a/z", {5});
  EXPECT_TRUE(file.contains("a/z"));
  EXPECT_FALSE(file.contains("a"));
  EXPECT_FALSE(file.contains("nothing/there"));
  const auto list = file.datasets();
  EXPECT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].name, "a/b/c");
  EXPECT_EQ(list[0].dims, (std::vector<index_t>{3, 4}));
  EXPECT_EQ(list[0].type, "float64");
  EXPECT_EQ(list[0].chunks, (std::vector<index_t>{2, 2}));
  EXPECT_EQ(list[0].deflate, 2);
  EXPECT_FALSE(list[0].grows);
  EXPECT_EQ(list[1].name, "a/z");
  EXPECT_EQ(list[1].type, "complex64");
  EXPECT_TRUE(list[1].chunks.empty());
  file.close();
}

TEST(Files, transfers_are_collective_or_say_why_not) {
  const Directory directory;
  File file(world(), directory / "transfers.h5", Mode::create);
  Array<double, 2> a(world(), {20, 20});
  Array<float, 2> b(world(), {20, 20});
  fill(a, 2.0);
  file.write("a", a);
  EXPECT_TRUE(file.last_transfer().collective) << file.last_transfer().reason;
  EXPECT_EQ(file.last_transfer().reason, "");
  file.read("a", a);
  EXPECT_TRUE(file.last_transfer().collective) << file.last_transfer().reason;
  file.read("a", b);
  EXPECT_FALSE(file.last_transfer().collective);
  EXPECT_NE(file.last_transfer().reason.find("another type"), std::string::npos) << file.last_transfer().reason;
  EXPECT_EQ(reduce(b, Reduce::min), 2.0F);
  world().barrier();
  file.close();
  File again(world(), directory / "transfers.h5", Mode::read);
  fill(a, 0.0);
  again.read("a", a);
  EXPECT_FALSE(again.last_transfer().collective);
  EXPECT_NE(again.last_transfer().reason.find("as in memory"), std::string::npos)
      << again.last_transfer().reason;
  EXPECT_EQ(reduce(a, Reduce::min), 2.0);
  again.read("a", {{0, 0}, {20, 20}}, a);
  EXPECT_FALSE(again.last_transfer().collective);
  EXPECT_NE(again.last_transfer().reason.find("for itself"), std::string::npos) << again.last_transfer().reason;
  world().barrier();
  again.close();
}

// Numbers are converted to the dataset's type when they are written. If they cannot be, the error says why.
TEST(Files, write_converts_numbers_or_says_why_not) {
  const Directory directory;
  File file(world(), directory / "converted.h5", Mode::create);
  file.create_dataset<std::int32_t, 1>("small", {6});
  file.create_dataset<std::complex<float>, 1>("complex", {6});
  file.create_dataset<float, 1>("packed", {6}, {.deflate = 1});
  Array<double, 1> a(world(), {6});
  fill(a, 3.0);
  file.write("small", a);
  Array<std::int32_t, 1> found(world(), {6});
  file.read("small", found);
  EXPECT_EQ(reduce(found, Reduce::sum), 18);
  fill(a, 0.5);
  expect_words(message_of<io::IoError>([&] { file.write("small", a); }),
               {"float64", "no whole numbers", "int32"});
  fill(a, 1e10);
  expect_words(message_of<io::IoError>([&] { file.write("small", a); }), {"out of range", "int32"});
  expect_words(message_of<io::IoError>([&] { file.write("complex", a); }), {"complex64", "float64"});
  expect_words(message_of<io::IoError>([&] { file.write("packed", a); }), {"compressed", "float32", "float64"});
  file.close();
}

// Dropped without close(), on all ranks or by one before the others. The next File or load of the group closes
// it.
TEST(Files, dropped_files_are_closed_later) {
  const Directory directory;
  Array<double, 1> a(world(), {60}, {.name = "a"});
  fill(a, 3.0);
  for (const char* name : {"first.h5", "second.h5"}) {
    File file(world(), directory / name, Mode::create);
    file.write("a", a);
  }
  {
    File next(world(), directory / "third.h5", Mode::create);
    on_rank_0([&] {
      EXPECT_EQ(raw_dataset<double>(directory / "first.h5", "a").elements.size(), 60U);
      EXPECT_EQ(raw_dataset<double>(directory / "second.h5", "a").elements.back(), 3.0);
    });
    next.close();
  }
  {
    File file(world(), directory / "fourth.h5", Mode::create);
    file.write("a", a);
  }
  EXPECT_EQ(contents(io::load<double, 1>(world(), directory / "fourth.h5", "a")), std::vector<double>(60, 3.0));
  const Group part = world().split(world().rank() % 2);
  File one(part, directory / ("part" + std::to_string(world().rank() % 2)), Mode::create);
  one = File(part, directory / ("other" + std::to_string(world().rank() % 2)), Mode::create);
  one.close();
  world().barrier();  // before the directory is removed
}

// A File is dropped with its group. Another group may get the group's communicator.
TEST(Files, dropped_files_of_dropped_groups_are_closed) {
  const Directory directory;
  {
    const Group all = world().split(0, -world().rank());
    const File file(all, directory / "dropped.h5", Mode::create);
  }
  world().sync();
  const bool is_in = world().rank() == 0;
  if (const Group part = world().split(is_in ? 0 : Group::no_color)) {
    File file(part, directory / "part.h5", Mode::create);
    file.close();
  }
  world().barrier();
}

// Once a file is open, its name does not matter: it may be replaced, and the program may change its directory.
TEST(Files, read_what_they_opened) {
  const Directory directory;
  const auto before = std::filesystem::current_path();
  Array<double, 1> a(world(), {2000}), found(world(), {2000});
  fill(a, 1.0);
  io::save(directory / "a.h5", "a", a);
  std::filesystem::current_path(directory / ".");
  File file(world(), "a.h5", Mode::read);
  io::DiskArray<double, 1> disk(world(), "a.h5", "a", Mode::read);
  std::filesystem::current_path(before);
  Array<float, 1> other(world(), {4000});
  io::save(directory / "a.h5", {{"b", other}, {"a", other}});
  file.read("a", found);
  EXPECT_TRUE(equal_lists(std::vector<double>(2000, 1.0), contents(found)));
  fill(found, 0.0);
  disk.read(found);
  EXPECT_TRUE(equal_lists(std::vector<double>(2000, 1.0), contents(found)));
  file.close();
  disk.close();
}

// A file that is open to read keeps what HDF5 knew of it then. Others must not be told that.
TEST(Files, are_not_read_by_the_structure_of_an_earlier_reader) {
  const Directory directory;
  const auto path = directory / "f.h5";
  Array<double, 1> a(world(), {200}), b(world(), {200}), found(world(), {200});
  fill(a, 1.0), fill(b, 2.0);
  File first(world(), path, Mode::create);
  first.write("b", b);
  first.write("a", a);
  first.close();
  File reader(world(), path, Mode::read);
  reader.read("b", found);
  File second(world(), path, Mode::truncate);
  second.write("a", a);
  second.write("b", b);
  second.close();
  io::load_into(path, "b", found);
  EXPECT_TRUE(equal_lists(std::vector<double>(200, 2.0), contents(found)));
  File third(world(), path, Mode::read_write);
  third.write("c", a);
  third.close();
  io::load_into(path, "c", found);
  EXPECT_TRUE(equal_lists(std::vector<double>(200, 1.0), contents(found)));
  reader.close();
}

// The space that is kept for what HDF5 holds back is bounded.
TEST(Files, that_grow_in_small_steps_take_little_space) {
  const Directory directory;
  const auto path = directory / "steps.h5";
  File file(world(), path, Mode::create);
  Array<double, 1> one(world(), {1});
  fill(one, 1.0);
  const int steps = world().size() <= 3 ? 1000 : 100;
  for (int i = 0; i < steps; ++i) {
    file.append("e", one, {.chunks = {1}});
    file.set_attribute("e", "time", 0.1 * i);
  }
  on_rank_0([&] {
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_LT(512 * info.st_blocks, info.st_size + (9 << 19));
  });
  EXPECT_EQ(file.steps("e"), steps);
  file.close();
}

// A dataset of another file. Its place there must not be used as a place in this file.
TEST(Files, external_links_are_followed_to_the_other_file) {
  const Directory directory;
  on_rank_0([&] {
    write_raw<double>(directory / "there.h5", "x", {40, 5});
    write_raw<float>(directory / "here.h5", "y", {5000});
    const hid_t file = good(H5Fopen((directory / "here.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    good(H5Lcreate_external("there.h5", "x", file, "link", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Fclose(file));
  });
  const auto expected = elements_from<double>(0, 200);
  EXPECT_TRUE(equal_lists(expected, contents(io::load<double, 2>(world(), directory / "here.h5", "link"))));
  Array<double, 2> found(world(), {40, 5});
  File file(world(), directory / "here.h5", Mode::read);
  file.read("link", found);
  EXPECT_TRUE(equal_lists(expected, contents(found)));
  file.close();
  fill(found, 0.0);
  io::DiskArray<double, 2> disk(world(), directory / "here.h5", "link", Mode::read);
  EXPECT_FALSE(disk.is_asynchronous());
  disk.read(found);
  EXPECT_TRUE(equal_lists(expected, contents(found)));
  disk.close();
}

// Compressed chunks first take the space they might need, and then give the rest back.
TEST(Files, compressed_datasets_take_the_space_that_they_need) {
  const Directory directory;
  constexpr index_t n = 1 << 20;
  Array<double, 1> zeros(world(), {n});
  fill(zeros, 0.0);
  File file(world(), directory / "zeros.h5", Mode::create);
  file.create_dataset<double, 1>("zeros", {n}, {.deflate = 1});
  file.write("zeros", zeros);
  file.close();
  on_rank_0([&] {
    struct stat status {};
    good(stat((directory / "zeros.h5").c_str(), &status));
    EXPECT_LT(status.st_blocks * 512, n);
    EXPECT_TRUE(equal_lists(std::vector<double>(n, 0.0),
                            raw_dataset<double>(directory / "zeros.h5", "zeros").elements));
  });
}

// Several files are open at once. A file that was flushed is complete.
TEST(Files, flushed_files_can_be_read) {
  const Directory directory;
  File one(world(), directory / "one.h5", Mode::create), two(world(), directory / "two.h5", Mode::create);
  Array<std::int32_t, 2> a(world(), {5, 4});
  fill(a, 9);
  one.write("a", a);
  two.write("b", a);
  one.flush();
  on_rank_0([&] { EXPECT_EQ(raw_dataset<std::int32_t>(directory / "one.h5", "a").elements[7], 9); });
  two.close();
  one.close();
}

}  // namespace
}  // namespace tessera::test
