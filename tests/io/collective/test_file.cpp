// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cmath>

#include <sys/stat.h>

#include "file_model.hpp"

// io::File, and save and load of slices, checked against raw HDF5.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

template <class T, std::size_t N>
void check_slices(const Extents<N>& dims) {
  const Directory directory;
  Random random(31 + N);
  for (int round = 0; round < 2; ++round) {
    TestSlice<T, N> from(random, dims, 1), to(random, dims, 1000), both(random, dims, 2000);
    SCOPED_TRACE(from.description() + " and " + to.description());
    io::save(directory / "a.h5", {{"from", from.slice()}, {"deep/both", both.slice()}});
    on_rank_0([&] {
      const auto found = read_raw<T>(directory / "a.h5", "from");
      EXPECT_EQ(found.dims, raw_dims(dims));
      EXPECT_TRUE(found.elements == from.elements());
    });
    io::load_into(directory / "a.h5", "from", to.slice());
    to.expect(from.elements());
    EXPECT_EQ(to.wrong(), 0);
    EXPECT_EQ(from.wrong(), 0);
    // A patch of the dataset, which may be empty.
    const FileModel<T, N> model{dims, both.elements()};
    const Patch<N> patch = random_patch(random, dims);
    TestSlice<T, N> part(random, patch.extents(), 3000);
    io::load_into(directory / "a.h5", "deep/both", patch, part.slice());
    part.expect(model.get(patch));
    EXPECT_EQ(part.wrong(), 0) << part.description();
    const auto fresh = io::load<T, N>(world(), directory / "a.h5", "deep/both", patch);
    EXPECT_TRUE(contents(fresh) == model.get(patch));
    const auto placed = io::load<T, N>(world(), directory / "a.h5", "deep/both",
                                       any_of(random, layouts_of(random, dims, world().size())));
    EXPECT_TRUE(contents(placed) == model.elements);
  }
}

TEST(Slices, float64InOneDimension) { check_slices<double, 1>({23}); }
TEST(Slices, float64InTwoDimensions) { check_slices<double, 2>({7, 5}); }
TEST(Slices, complex128InThreeDimensions) { check_slices<std::complex<double>, 3>({3, 4, 2}); }
TEST(Slices, int32InEightDimensions) { check_slices<std::int32_t, 8>({2, 1, 2, 3, 1, 2, 1, 2}); }
TEST(Slices, int64) { check_slices<std::int64_t, 2>({4, 6}); }
TEST(Slices, float32) { check_slices<float, 2>({4, 6}); }
TEST(Slices, complex64) { check_slices<std::complex<float>, 2>({4, 6}); }
TEST(Slices, bytes) { check_slices<Bytes, 2>({4, 6}); }
TEST(Slices, WithoutElements) { check_slices<double, 2>({0, 3}); }

// Writes and reads random patches of a dataset. It is stored in one piece or in chunks, compressed or not.
template <class T, std::size_t N>
void check_patches(const Extents<N>& dims, const io::DatasetOptions<N>& options) {
  const Directory directory;
  const auto path = directory / "patches.h5";
  Random random(7 + N);
  FileModel<T, N> model{dims, elements_from<T>(0, dims.size())};
  File file(world(), path, Mode::create);
  file.create_dataset<T, N>("run/x", dims, options);
  {
    TestSlice<T, N> all(random, dims, 0);
    file.write("run/x", all.slice());
    model.put(Patch<N>::whole(dims), all.elements());
  }
  for (int round = 0; round < 3; ++round) {
    const Patch<N> patch = random_patch(random, dims);
    TestSlice<T, N> some(random, patch.extents(), 100 * round);
    file.write("run/x", patch, some.slice());
    model.put(patch, some.elements());
    const Patch<N> other = random_patch(random, dims);
    TestSlice<T, N> found(random, other.extents(), 5000);
    file.read("run/x", other, found.slice());
    found.expect(model.get(other));
    EXPECT_EQ(found.wrong(), 0) << found.description();
    EXPECT_EQ(some.wrong(), 0);
  }
  file.close();
  model.expect_in(path, "run/x");
  File again(world(), path, Mode::read);
  const io::DatasetInfo info = again.dataset("run/x");
  EXPECT_TRUE(std::equal(dims.begin(), dims.end(), info.dims.begin(), info.dims.end()));
  EXPECT_EQ(info.deflate, options.deflate);
  if (options.chunks == Extents<N>{}) {
    EXPECT_EQ(info.chunks.empty(), options.deflate == 0);
  } else {
    EXPECT_TRUE(
        std::equal(options.chunks.begin(), options.chunks.end(), info.chunks.begin(), info.chunks.end()));
  }
  again.close();
}

TEST(Patches, OfOnePiece) { check_patches<double, 2>({11, 9}, {}); }
TEST(Patches, OfOnePieceInOneDimension) { check_patches<std::complex<float>, 1>({40}, {}); }
TEST(Patches, OfOnePieceInEightDimensions) { check_patches<std::int64_t, 8>({2, 2, 1, 3, 1, 2, 2, 1}, {}); }
TEST(Patches, OfChunks) { check_patches<double, 2>({11, 9}, {.chunks = {4, 3}}); }
TEST(Patches, OfChunksInThreeDimensions) { check_patches<float, 3>({5, 4, 6}, {.chunks = {5, 1, 4}}); }
TEST(Patches, OfCompressedChunks) { check_patches<double, 2>({11, 9}, {.chunks = {4, 3}, .deflate = 6}); }
TEST(Patches, OfCompressedComplexNumbers) {
  check_patches<std::complex<double>, 2>({6, 5}, {.deflate = 1, .shuffle = true, .checksum = true});
}
TEST(Patches, OfBytes) { check_patches<Bytes, 2>({6, 5}, {.chunks = {2, 5}, .checksum = true}); }

// The raw reader finds the filters that the options asked for.
TEST(Files, StoredAsAskedFor) {
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

template <std::size_t N>
void check_steps(const Extents<N>& dims, const io::DatasetOptions<N>& options) {
  const Directory directory;
  const auto path = directory / "steps.h5";
  Random random(3);
  std::vector<double> model;
  {
    File file(world(), path, Mode::create);
    EXPECT_EQ(file.steps("run/u"), 0);
    for (int step = 0; step < 3; ++step) {
      TestSlice<double, N> u(random, dims, 100 * step);
      file.append("run/u", u.slice(), options);
      for (const double x : u.elements()) model.push_back(x);
    }
    file.close();
  }
  File file(world(), path, Mode::read_write);
  EXPECT_EQ(file.steps("run/u"), 3);
  TestSlice<double, N> last(random, dims, 300), found(random, dims, 9000);
  file.append("run/u", last.slice());
  for (const double x : last.elements()) model.push_back(x);
  EXPECT_EQ(file.steps("run/u"), 4);
  file.read_step("run/u", 1, found.slice());
  const auto size = dims.size();
  found.expect({model.begin() + size, model.begin() + 2 * size});
  EXPECT_EQ(found.wrong(), 0);
  expect_words(message_of<io::IoError>([&] { file.read_step("run/u", 4, found.slice()); }),
               {"no step 4", "there are 4"});
  EXPECT_TRUE(file.dataset("run/u").grows);
  file.close();
  on_rank_0([&] {
    const auto raw = raw_dataset<double>(path, "run/u");
    std::vector<hsize_t> expected{4};
    for (const index_t extent : dims) expected.push_back(static_cast<hsize_t>(extent));
    EXPECT_EQ(raw.dims, expected);
    EXPECT_TRUE(raw.elements == model);
  });
}

TEST(Steps, OfVectors) { check_steps<1>({13}, {}); }
TEST(Steps, OfMatrices) { check_steps<2>({6, 5}, {.chunks = {4, 4}}); }
TEST(Steps, Compressed) { check_steps<2>({6, 5}, {.chunks = {3, 5}, .deflate = 5, .shuffle = true}); }
TEST(Steps, InSevenDimensions) { check_steps<7>({2, 1, 2, 2, 1, 3, 2}, {}); }
TEST(Steps, WithoutElements) { check_steps<2>({0, 4}, {}); }

TEST(Files, Attributes) {
  const Directory directory;
  const auto path = directory / "attributes.h5";
  File file(world(), path, Mode::create);
  Array<double, 1> u(world(), {5}, {.name = "velocity"});
  fill(u, 1.0);
  file.write("run/u", u);
  file.set_attribute("run/u", "time", 0.25);
  file.set_attribute("run/u", "step", 7);
  file.set_attribute("run", "steps", index_t{1} << 40);
  file.set_attribute("run", "scale", 1.5F);
  file.set_attribute("", "title", "a box of \u03bb");
  file.set_attribute("/", "names", std::vector<std::string>{"x", "", "long enough not to be short"});
  file.set_attribute("", "sizes", std::vector<std::int32_t>{3, -4, 5});
  file.set_attribute("", "none", std::vector<double>{});
  file.set_attribute("", "title", "another title");
  file.close();

  File again(world(), path, Mode::read);
  EXPECT_EQ(again.attribute("run/u", "time").as<double>(), 0.25);
  EXPECT_EQ(again.attribute("run/u", "step").as<std::int32_t>(), 7);
  EXPECT_EQ(again.attribute("run/u", "step").as<double>(), 7.0);
  EXPECT_EQ(again.attribute("run", "steps").as<std::int64_t>(), index_t{1} << 40);
  EXPECT_EQ(again.attribute("/run", "scale").as<float>(), 1.5F);
  EXPECT_EQ(again.attribute("", "title").as<std::string>(), "another title");
  EXPECT_EQ(again.attribute("", "names").as_list<std::string>(),
            (std::vector<std::string>{"x", "", "long enough not to be short"}));
  EXPECT_EQ(again.attribute("", "sizes").as_list<index_t>(), (std::vector<index_t>{3, -4, 5}));
  EXPECT_FALSE(again.attribute("", "sizes").is_scalar());
  EXPECT_TRUE(again.attribute("", "none").as_list<double>().empty());
  EXPECT_EQ(again.attributes("run/u"), (std::vector<std::string>{"element_type", "layout", "name", "shape",
                                                                 "step", "tessera_version", "time"}));
  EXPECT_EQ(again.attribute("run/u", "name").as<std::string>(), "velocity");
  EXPECT_EQ(again.attribute("run/u", "shape").as<index_t>(), 5);
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "time"); }),
               {"\"time\" of \"run\"", path.string(), "no such attribute", "\"scale\", \"steps\""});
  expect_words(message_of<io::IoError>([&] { again.attribute("walk", "time"); }), {"no dataset or group"});
  expect_words(message_of<io::IoError>([&] { again.attribute("", "title").as<int>(); }),
               {"strings", "numbers"});
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "steps").as<int>(); }), {"1099511627776"});
  expect_words(message_of<io::IoError>([&] { again.attribute("run", "scale").as<int>(); }), {"integers"});
  expect_words(message_of<io::IoError>([&] { again.attribute("", "sizes").as<int>(); }), {"3 values"});
  expect_words(message_of<UsageError>([&] { again.set_attribute("", "x", 1); }), {"opened for reading"});
  again.close();
}

// Attributes of other programs: strings of fixed size, numbers of other sizes and byte orders, truth values.
TEST(Files, ForeignAttributes) {
  const Directory directory;
  const auto path = directory / "foreign.h5";
  on_rank_0([&] {
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    auto add = [&](const char* name, hid_t type, hid_t memory, hsize_t count, const void* values) {
      const hid_t space = count == 0 ? good(H5Screate(H5S_SCALAR)) : good(H5Screate_simple(1, &count, nullptr));
      const hid_t attribute = good(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
      good(H5Awrite(attribute, memory, values));
      good(H5Aclose(attribute));
      good(H5Sclose(space));
    };
    const std::int32_t small = -5;
    add("big", H5T_STD_I16BE, H5T_NATIVE_INT32, 0, &small);
    const std::uint64_t huge[] = {1, ~std::uint64_t{0}};
    add("huge", H5T_STD_U64LE, H5T_NATIVE_UINT64, 2, huge);
    add("fits", H5T_STD_U64BE, H5T_NATIVE_UINT64, 1, huge);
    const hid_t text = good(H5Tcopy(H5T_C_S1));
    good(H5Tset_size(text, 4));
    add("text", text, text, 2, "abcdef\0");
    good(H5Tset_strpad(text, H5T_STR_SPACEPAD));
    add("padded", text, text, 0, "ab  ");
    good(H5Tclose(text));
    const double real = 1.5;
    add("real", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 0, &real);
    good(H5Fclose(file));
  });
  File file(world(), path, Mode::read);
  EXPECT_EQ(file.attribute("", "big").as<int>(), -5);
  EXPECT_EQ(file.attribute("", "fits").as<index_t>(), 1);
  EXPECT_EQ(file.attribute("", "text").as_list<std::string>(), (std::vector<std::string>{"abcd", "ef"}));
  EXPECT_EQ(file.attribute("", "padded").as<std::string>(), "ab");
  EXPECT_EQ(file.attribute("", "real").as<double>(), 1.5);
  expect_words(message_of<io::IoError>([&] { file.attribute("", "huge"); }), {"18446744073709551615", "int64"});
  file.close();
}

TEST(Files, Listing) {
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

TEST(Files, TransfersAreCollectiveOrSayWhyNot) {
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
TEST(Files, WriteConverts) {
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

// Dropped without close(), on all ranks or by one before the others. The next File of the group closes it.
TEST(Files, DroppedFilesAreClosedLater) {
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
  const Group part = world().split(world().rank() % 2);
  File one(part, directory / ("part" + std::to_string(world().rank() % 2)), Mode::create);
  one = File(part, directory / ("other" + std::to_string(world().rank() % 2)), Mode::create);
  one.close();
  world().barrier();  // before the directory is removed
}

// A File is dropped with its group. Another group may get the group's communicator.
TEST(Files, DroppedFilesOfDroppedGroups) {
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
TEST(Files, ReadWhatTheyOpened) {
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
  EXPECT_EQ(contents(found), std::vector<double>(2000, 1.0));
  fill(found, 0.0);
  disk.read(found);
  EXPECT_EQ(contents(found), std::vector<double>(2000, 1.0));
  file.close();
  disk.close();
}

// A dataset of another file. Its place there must not be used as a place in this file.
TEST(Files, ExternalLinks) {
  const Directory directory;
  on_rank_0([&] {
    write_raw<double>(directory / "there.h5", "x", {40, 5});
    write_raw<float>(directory / "here.h5", "y", {5000});
    const hid_t file = good(H5Fopen((directory / "here.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    good(H5Lcreate_external("there.h5", "x", file, "link", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Fclose(file));
  });
  const auto expected = elements_from<double>(0, 200);
  EXPECT_EQ(contents(io::load<double, 2>(world(), directory / "here.h5", "link")), expected);
  Array<double, 2> found(world(), {40, 5});
  File file(world(), directory / "here.h5", Mode::read);
  file.read("link", found);
  EXPECT_EQ(contents(found), expected);
  file.close();
  fill(found, 0.0);
  io::DiskArray<double, 2> disk(world(), directory / "here.h5", "link", Mode::read);
  EXPECT_FALSE(disk.is_asynchronous());
  disk.read(found);
  EXPECT_EQ(contents(found), expected);
  disk.close();
}

// Compressed chunks first take the space they might need, and then give the rest back.
TEST(Files, CompressedDatasetsTakeWhatTheyNeed) {
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
    EXPECT_EQ(raw_dataset<double>(directory / "zeros.h5", "zeros").elements, std::vector<double>(n, 0.0));
  });
}

TEST(Files, AttributesThatCannotBeReplacedStay) {
  const Directory directory;
  File file(world(), directory / "a.h5", Mode::create);
  file.set_attribute("", "note", "old");
  const std::vector<double> large(10'000, 1.0);
  expect_words(message_of<io::IoError>([&] { file.set_attribute("", "note", large); }), {"\"note\"", "64 KiB"});
  EXPECT_EQ(file.attribute("", "note").as<std::string>(), "old");
  EXPECT_EQ(file.attributes("").size(), 1U);
  file.set_attribute("", "note", 1e300);
  EXPECT_EQ(file.attribute("", "note").as<double>(), 1e300);
  EXPECT_EQ(file.attributes("").size(), 1U);
  const auto value = file.attribute("", "note");
  expect_words(message_of<io::IoError>([&] { value.as<float>(); }), {"does not fit"});
  EXPECT_EQ(io::AttributeValue(HUGE_VAL).as<float>(), HUGE_VALF);
  EXPECT_EQ(io::AttributeValue(0.1).as<float>(), 0.1F);
  file.close();
}

// Several files are open at once. A file that was flushed is complete.
TEST(Files, FlushedFilesCanBeRead) {
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
