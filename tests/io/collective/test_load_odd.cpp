// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <fstream>

#include "file_model.hpp"

// Other things in files of other programs: datasets that were never written, virtual datasets, links that lead
// nowhere, missing filters, elements that are no numbers. The result is right, or every rank gets an error.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

constexpr hsize_t rows = 60, columns = 10;
const Extents<2> dims{rows, columns};

// The storage of a dataset of which nothing or little was written.
struct Storage {
  const char* name;
  H5D_layout_t layout;
  H5D_alloc_time_t when = H5D_ALLOC_TIME_DEFAULT;
  double fill = 0;
  bool is_packed = false, is_external = false, is_partly_written = false, has_no_fill = false;
  hsize_t user_block = 0;
};

std::vector<Storage> storages() {
  return {{.name = "contiguous", .layout = H5D_CONTIGUOUS},
          {.name = "contiguous, filled", .layout = H5D_CONTIGUOUS, .fill = 3.5},
          {.name = "contiguous, early", .layout = H5D_CONTIGUOUS, .when = H5D_ALLOC_TIME_EARLY, .fill = 3.5},
          {.name = "contiguous, no fill value", .layout = H5D_CONTIGUOUS, .has_no_fill = true},
          {.name = "compact", .layout = H5D_COMPACT, .fill = 3.5},
          {.name = "chunked", .layout = H5D_CHUNKED, .fill = 3.5},
          {.name = "chunked, early", .layout = H5D_CHUNKED, .when = H5D_ALLOC_TIME_EARLY, .fill = 3.5},
          {.name = "chunked, no fill value", .layout = H5D_CHUNKED, .has_no_fill = true},
          {.name = "chunked, a part", .layout = H5D_CHUNKED, .fill = 3.5, .is_partly_written = true},
          {.name = "compressed", .layout = H5D_CHUNKED, .fill = 3.5, .is_packed = true},
          {.name = "compressed, a part", .layout = H5D_CHUNKED, .is_packed = true, .is_partly_written = true},
          {.name = "contiguous, behind a user block", .layout = H5D_CONTIGUOUS, .fill = 3.5, .user_block = 512},
          {.name = "external", .layout = H5D_CONTIGUOUS, .is_external = true}};
}

void write_storage(const std::filesystem::path& path, const Storage& storage) {
  const hsize_t all[] = {rows, columns}, chunk[] = {7, 6}, first[] = {0, 0}, some[] = {7, 6};
  const hid_t of_file = good(H5Pcreate(H5P_FILE_CREATE));
  good(H5Pset_userblock(of_file, storage.user_block));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, of_file, H5P_DEFAULT));
  good(H5Pclose(of_file));
  const hid_t space = good(H5Screate_simple(2, all, nullptr)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_layout(creation, storage.layout));
  if (storage.layout == H5D_CHUNKED) good(H5Pset_chunk(creation, 2, chunk));
  if (storage.is_packed) good(H5Pset_deflate(creation, 4));
  if (storage.is_external)
    good(H5Pset_external(creation, (path.string() + ".raw").c_str(), 0, sizeof(double) * rows * columns));
  good(H5Pset_alloc_time(creation, storage.when));
  if (storage.has_no_fill || storage.fill != 0) {
    good(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, storage.has_no_fill ? nullptr : &storage.fill));
  }
  const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  if (storage.is_partly_written) {
    const std::vector<double> ones(42, 1);
    good(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, some, nullptr));
    const hsize_t count = 42;
    const hid_t memory = good(H5Screate_simple(1, &count, nullptr));
    good(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, ones.data()));
    good(H5Sclose(memory));
  }
  if (storage.is_external) std::ofstream(path.string() + ".raw", std::ios::binary);
  good(H5Dclose(set));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

TEST(Unwritten, elements_are_the_fill_value) {
  const Directory directory;
  for (const Storage& storage : storages()) {
    SCOPED_TRACE(storage.name);
    const auto path = directory / (std::string(storage.name) + ".h5");
    on_rank_0([&] { write_storage(path, storage); });
    if (storage.has_no_fill) {
      const auto message = message_of<io::Hdf5Error>([&] {
        io::load<double, 2>(world(), path, "x", Patch<2>{{0, 0}, {1, 2}});
      });
      expect_words(message, {"no data can be read"});
      continue;
    }
    FileModel<double, 2> model{dims, std::vector<double>(at(dims.size()), storage.fill)};
    if (storage.is_partly_written) model.put({{0, 0}, {7, 6}}, std::vector<double>(42, 1));
    // The smaller patches give some ranks nothing. In others, some ranks have only written elements.
    const Patch<2> patches[] = {{{0, 0}, {1, 2}}, {{5, 5}, {8, 7}}, {{59, 9}, {60, 10}}, {{0, 0}, {60, 10}}};
    EXPECT_TRUE(equal_lists(model.elements, contents(io::load<double, 2>(world(), path, "x"))));
    for (const Patch<2>& patch : patches)
      EXPECT_TRUE(equal_lists(model.get(patch), contents(io::load<double, 2>(world(), path, "x", patch))));
    EXPECT_TRUE(equal_lists(std::vector<float>(model.elements.begin(), model.elements.end()),
                            contents(io::load<float, 2>(world(), path, "x"))));
    for (const Mode mode : {Mode::read, Mode::read_write}) {
      if (mode == Mode::read_write && storage.is_external) continue;
      File file(world(), path, mode);
      for (const Patch<2>& patch : patches) {
        Array<double, 2> part(world(), patch.extents());
        fill(part, -1.0);
        file.read("x", patch, part);
        EXPECT_TRUE(equal_lists(model.get(patch), contents(part))) << static_cast<int>(mode);
        if (mode == Mode::read || (storage.layout == H5D_COMPACT && world().size() > 1)) continue;
        fill(part, 2.0);
        if (storage.is_partly_written) {
          expect_words(message_of<io::IoError>([&] { file.write("x", patch, part); }),
                       {"some chunks", "h5repack"});
          continue;
        }
        file.write("x", patch, part);
        model.put(patch, std::vector<double>(at(patch.extents().size()), 2.0));
      }
      file.close();
    }
    io::DiskArray<double, 2> disk(world(), path, "x", Mode::read);
    Array<double, 2> all(world(), dims);
    disk.read(all);
    EXPECT_TRUE(equal_lists(model.elements, contents(all)));
    disk.close();
  }
}

// Chunks come into being when they are written. A write may need some that are there and some that are not.
TEST(Chunks, are_written_whether_they_exist_or_not) {
  const Directory directory;
  for (const int deflate : {0, 1}) {
    const auto path = directory / ("chunks " + std::to_string(deflate) + ".h5");
    FileModel<double, 2> model{{rows, columns}, std::vector<double>(rows * columns)};
    const auto write_next = [&](const Patch<2>& patch, double value) {
      Array<double, 2> part(world(), patch.extents(), {.name = "part"});
      fill(part, value);
      model.put(patch, std::vector<double>(at(patch.extents().size()), value));
      return part;
    };
    {
      File file(world(), path, Mode::create);
      file.create_dataset<double, 2>("x", {rows, columns}, {.chunks = {7, 6}, .deflate = deflate});
      for (const Patch<2>& patch : {Patch<2>{{0, 0}, {1, 2}}, Patch<2>{{5, 5}, {8, 7}}})
        file.write("x", patch, write_next(patch, static_cast<double>(patch.lo[0] + 1)));
      file.close();
    }
    EXPECT_TRUE(equal_lists(model.elements, contents(io::load<double, 2>(world(), path, "x")))) << deflate;
    {
      File file(world(), path, Mode::read_write);
      for (const Patch<2>& patch : {Patch<2>{{6, 0}, {20, 10}}, Patch<2>{{0, 0}, {rows, columns}}})
        file.write("x", patch, write_next(patch, static_cast<double>(patch.hi[0] + 1)));
      file.close();
    }
    EXPECT_TRUE(equal_lists(model.elements, contents(io::load<double, 2>(world(), path, "x")))) << deflate;
  }
}

// Each rank has a copy of a compact dataset's elements. What the others write would be lost.
TEST(Compact, dataset_is_written_by_one_rank_only) {
  const Directory directory;
  const auto path = directory / "compact.h5";
  on_rank_0([&] { write_storage(path, {.name = "compact", .layout = H5D_COMPACT, .fill = 3.5}); });
  Array<double, 2> all(world(), {rows, columns}, {.name = "all"});
  fill(all, 2.0);
  const bool is_alone = world().size() == 1;
  {
    File file(world(), path, Mode::read_write);
    if (is_alone) {
      file.write("x", all);
    } else {
      expect_words(message_of<io::IoError>([&] { file.write("x", all); }), {"\"x\"", "compact"});
      expect_words(message_of<io::IoError>([&] {
                     file.write("x", {{0, 0}, {rows, columns}}, all);
                   }),
                   {"compact"});
    }
    file.close();
  }
  {
    io::DiskArray<double, 2> disk(world(), path, "x", Mode::read_write);
    if (!is_alone) expect_words(message_of<io::IoError>([&] { disk.write(all); }), {"compact"});
    disk.close();
  }
  EXPECT_TRUE(equal_lists(std::vector<double>(rows * columns, is_alone ? 2.0 : 3.5),
                          contents(io::load<double, 2>(world(), path, "x"))));
}

// A file "whole.h5" whose virtual dataset "x" is made of "x" in "part.h5".
void write_virtual(const std::filesystem::path& whole, const std::filesystem::path& part,
                   const std::vector<double>& elements, hid_t type_of_part = H5T_IEEE_F64LE) {
  write_raw_elements(part, "x", {rows, columns}, elements, type_of_part, H5T_NATIVE_DOUBLE);
  const hsize_t all[] = {rows, columns};
  const hid_t file = good(H5Fcreate(whole.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(2, all, nullptr)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_virtual(creation, space, part.c_str(), "x", space));
  good(H5Dclose(good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT))));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

// HDF5 converts from the type of the part, and by itself finds no whole numbers in big-endian ones.
TEST(Virtual, whole_numbers_of_other_types_are_read_as_integers) {
  const Directory directory;
  const auto path = directory / "whole.h5";
  std::vector<std::int64_t> expected;
  for (index_t i = 0; i < dims.size(); ++i) expected.push_back(i - 5);
  on_rank_0([&] {
    write_virtual(path, directory / "part.h5", {expected.begin(), expected.end()}, H5T_IEEE_F32BE);
  });
  EXPECT_TRUE(equal_lists(expected, contents(io::load<std::int64_t, 2>(world(), path, "x"))));
}

TEST(Virtual, dataset_is_read_but_not_from_files_to_write) {
  const Directory directory;
  const auto path = directory / "whole.h5";
  on_rank_0([&] { write_virtual(path, directory / "part.h5", elements_from<double>(0, dims.size())); });
  EXPECT_TRUE(
      equal_lists(elements_from<double>(0, dims.size()), contents(io::load<double, 2>(world(), path, "x"))));
  Array<double, 2> a(world(), dims, {.name = "a"});
  File file(world(), path, Mode::read_write);
  expect_words(message_of<io::IoError>([&] { file.read("x", a); }), {"virtual", "Mode::read"});
  expect_words(message_of<io::IoError>([&] { file.write("x", a); }), {"virtual"});
  file.close();
}

TEST(Links, that_lead_nowhere_are_no_dataset) {
  const Directory directory;
  const auto path = directory / "links.h5";
  on_rank_0([&] {
    write_raw<double>(path, "y", {4});
    const hid_t file = good(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    good(H5Gclose(good(H5Gcreate2(file, "a b", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
    good(H5Lmove(file, "y", file, "a b/\u03c8", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Lcreate_soft("/nowhere", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Lcreate_soft("/loop", file, "loop", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Lcreate_external("missing.h5", "/x", file, "outside", H5P_DEFAULT, H5P_DEFAULT));
    good(H5Lcreate_hard(file, "/", file, "again", H5P_DEFAULT, H5P_DEFAULT));  // a cycle
    good(H5Fclose(file));
  });
  for (const Mode mode : {Mode::read, Mode::read_write}) {
    File file(world(), path, mode);
    Array<double, 1> a(world(), {4}, {.name = "a"});
    for (const char* name : {"soft", "loop", "outside", "soft/x", "again"})
      expect_words(message_of<io::IoError>([&] { file.read(name, a); }), {"no such dataset", name});
    file.read("again/again/a b/\u03c8", a);
    EXPECT_TRUE(equal_lists(elements_from<double>(0, 4), contents(a)));
    EXPECT_EQ(file.datasets().size(), 1U);
    file.close();
  }
}

// Elements that are no numbers, dataspaces that are null or scalar, and more dimensions than arrays have.
TEST(Odd, elements_that_are_no_numbers_are_an_error_on_every_rank) {
  const Directory directory;
  const auto path = directory / "odd.h5";
  const hid_t text = good(H5Tcopy(H5T_C_S1)), list = good(H5Tvlen_create(H5T_NATIVE_DOUBLE));
  good(H5Tset_size(text, H5T_VARIABLE));
  const std::pair<const char*, hid_t> types[] = {{"bits", H5T_STD_B16LE},
                                                 {"reference", H5T_STD_REF_OBJ},
                                                 {"region", H5T_STD_REF_DSETREG},
                                                 {"text", text},
                                                 {"list", list}};
  on_rank_0([&] {
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const auto make = [&](const char* name, hid_t type, hid_t space) {
      good(H5Dclose(good(H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT))));
      if (H5Sget_simple_extent_ndims(space) > 1) return good(H5Sclose(space));
      good(H5Aclose(good(H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT))));
      return good(H5Sclose(space));
    };
    const hsize_t four = 4, nine[] = {1, 1, 1, 1, 1, 1, 1, 1, 2}, none[] = {3, 0};
    for (const auto& [name, type] : types) make(name, type, good(H5Screate_simple(1, &four, nullptr)));
    make("null", H5T_NATIVE_DOUBLE, good(H5Screate(H5S_NULL)));
    make("scalar", H5T_NATIVE_DOUBLE, good(H5Screate(H5S_SCALAR)));
    make("nine", H5T_NATIVE_DOUBLE, good(H5Screate_simple(9, nine, nullptr)));
    make("none", H5T_NATIVE_DOUBLE, good(H5Screate_simple(2, none, nullptr)));
    good(H5Fclose(file));
  });
  for (const auto& [name, type] : types)
    expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, name); }),
                 {"float64 were expected"});
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "null"); }),
               {"single value", "1 were"});
  expect_words(message_of<io::IoError>([&] { io::load<double, 1>(world(), path, "scalar"); }),
               {"single value"});
  expect_words(message_of<io::IoError>([&] { io::load<double, 8>(world(), path, "nine"); }), {"9 dimensions"});
  EXPECT_EQ((io::load<double, 2>(world(), path, "none").dims()), (Extents<2>{3, 0}));
  File file(world(), path, Mode::read);
  EXPECT_EQ(file.datasets().size(), 9U);
  for (const char* name : {"bits", "reference", "region", "list"})
    expect_words(message_of<io::IoError>([&] { file.attribute("", name); }), {"neither numbers nor strings"});
  EXPECT_EQ(file.attribute("", "text").as_list<std::string>(), std::vector<std::string>(4));
  EXPECT_TRUE(file.attribute("", "null").as_list<double>().empty());
  EXPECT_EQ(file.attribute("", "scalar").as<double>(), 0.0);
  file.close();
  good(H5Tclose(text));
  good(H5Tclose(list));
}

std::size_t keep(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

// Nothing is in it, but its other extents have no product.
TEST(Odd, empty_dataset_with_extents_beyond_numbers_is_an_error) {
  const Directory directory;
  const auto path = directory / "empty.h5";
  on_rank_0([&] {
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t extents[] = {0, hsize_t{1} << 33, hsize_t{1} << 31};
    const hid_t space = good(H5Screate_simple(3, extents, nullptr));
    const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    good(H5Dclose(set));
    good(H5Sclose(space));
    good(H5Fclose(file));
  });
  expect_words(message_of<io::IoError>([&] { io::load<double, 3>(world(), path, "x"); }),
               {"0 x 8589934592 x 2147483648", "damaged"});
}

TEST(Odd, filter_that_is_missing_is_an_error) {
  const Directory directory;
  const auto path = directory / "filter.h5";
  on_rank_0([&] {
    const H5Z_class2_t filter{H5Z_CLASS_T_VERS, 300, 1, 1, "odd", nullptr, nullptr, keep};
    good(H5Zregister(&filter));
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hsize_t count = 40, chunk = 8;
    const hid_t space = good(H5Screate_simple(1, &count, nullptr)),
                creation = good(H5Pcreate(H5P_DATASET_CREATE));
    good(H5Pset_chunk(creation, 1, &chunk));
    good(H5Pset_filter(creation, 300, H5Z_FLAG_MANDATORY, 0, nullptr));
    const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    const std::vector<double> ones(40, 1);
    good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones.data()));
    good(H5Dclose(set));
    good(H5Pclose(creation));
    good(H5Sclose(space));
    good(H5Fclose(file));
    good(H5Zunregister(300));
  });
  expect_words(message_of<io::Hdf5Error>([&] { io::load<double, 1>(world(), path, "x"); }), {"filter"});
  for (const Mode mode : {Mode::read, Mode::read_write}) {
    File file(world(), path, mode);
    Array<double, 1> one(world(), {1}, {.name = "one"});
    expect_words(message_of<io::Hdf5Error>([&] { file.read("x", {{3}, {4}}, one); }), {"filter"});
    file.close();
  }
}

}  // namespace
}  // namespace tessera::test
