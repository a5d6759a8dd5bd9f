// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file_model.hpp"

// Chunks that other programs have written, or not written, or left unpacked: they are written right, or
// refused.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

constexpr hsize_t step_rows = 60, step_columns = 10;
const Extents<2> step_dims{step_rows, step_columns};

enum class Written { nothing, a_chunk, everything };

// A dataset of another program, with two steps, to which more may be added.
void write_steps(const std::filesystem::path& path, Written written, bool is_packed, hsize_t steps_of_chunk) {
  const hsize_t all[] = {2, step_rows, step_columns}, most[] = {H5S_UNLIMITED, step_rows, step_columns};
  const hsize_t chunk[] = {steps_of_chunk, 7, 6}, first[] = {0, 0, 0}, some[] = {1, 7, 6};
  const double fill = 3.5;
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(3, all, most)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_chunk(creation, 3, chunk));
  if (is_packed) good(H5Pset_deflate(creation, 4));
  good(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &fill));
  const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  if (written != Written::nothing) {
    const bool is_part = written == Written::a_chunk;
    const hsize_t count = is_part ? 42 : 2 * step_rows * step_columns;
    const std::vector<double> ones(count, 1);
    if (is_part) good(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, some, nullptr));
    const hid_t memory = good(H5Screate_simple(1, &count, nullptr));
    good(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, ones.data()));
    good(H5Sclose(memory));
  }
  good(H5Dclose(set));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

// Steps are appended to a dataset of another program, whose chunks come into being when they are written. They
// are refused if only some of the earlier chunks exist.
void check_appended(const std::filesystem::path& path, Written written, bool is_packed,
                    hsize_t steps_of_chunk) {
  on_rank_0([&] { write_steps(path, written, is_packed, steps_of_chunk); });
  FileModel<double, 3> model{
      {2, step_rows, step_columns},
      std::vector<double>(2 * step_rows * step_columns, written == Written::everything ? 1 : 3.5)};
  if (written == Written::a_chunk) model.put({{0, 0, 0}, {1, 7, 6}}, std::vector<double>(42, 1));
  std::vector<double> expected = model.elements;
  Array<double, 2> step(world(), step_dims, {.name = "step"});
  File file(world(), path, Mode::read_write);
  for (const double value : {5.0, 6.0}) {
    fill(step, value);
    if (written == Written::a_chunk) {
      expect_words(message_of<io::IoError>([&] { file.append("x", step); }), {"some chunks", "h5repack"});
      continue;
    }
    file.append("x", step);
    expected.insert(expected.end(), at(step_dims.size()), value);
  }
  file.close();
  EXPECT_TRUE(equal_lists(expected, contents(io::load<double, 3>(world(), path, "x"))));
}

// With H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS, the chunk at the end is stored without the filter.
TEST(ForeignChunks, partial_chunks_that_are_not_packed_are_read_and_not_written) {
  const Directory directory;
  const auto path = directory / "partial.h5";
  std::vector<double> numbers(10);
  for (std::size_t i = 0; i < 10; ++i) numbers[i] = static_cast<double>(i);
  on_rank_0([&] {
    const hsize_t all = 10, chunk = 4;
    const hid_t access = good(H5Pcreate(H5P_FILE_ACCESS));
    good(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110));
    const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
    const hid_t space = good(H5Screate_simple(1, &all, nullptr)),
                creation = good(H5Pcreate(H5P_DATASET_CREATE));
    good(H5Pset_chunk(creation, 1, &chunk));
    good(H5Pset_shuffle(creation));
    good(H5Pset_chunk_opts(creation, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()));
    good(H5Dclose(set));
    good(H5Pclose(creation));
    good(H5Sclose(space));
    good(H5Fclose(file));
    good(H5Pclose(access));
  });
  Array<double, 1> a(world(), {10}, {.name = "a"});
  File file(world(), path, Mode::read_write);
  file.read("x", a);
  EXPECT_TRUE(equal_lists(numbers, contents(a)));
  expect_words(message_of<io::IoError>([&] { file.write("x", a); }), {"ends of the dataset", "h5repack"});
  file.close();
}

TEST(ForeignChunks, steps_are_appended_to_a_dataset_of_another_program) {
  const Directory directory;
  for (const Written written : {Written::nothing, Written::a_chunk, Written::everything}) {
    for (const bool is_packed : {false, true}) {
      for (const hsize_t steps : {hsize_t{1}, hsize_t{3}}) {
        const std::string which = std::to_string(static_cast<int>(written)) +
                                  (is_packed ? ", packed, " : ", ") + std::to_string(steps) +
                                  " steps in a chunk";
        SCOPED_TRACE(which);
        check_appended(directory / (which + ".h5"), written, is_packed, steps);
      }
    }
  }
}

// A dataset of another program that may become larger than a visit of all its possible chunks allows, along the
// first dimension or the second. It lost its chunks if it was made empty and large again.
void write_for_growth(const std::filesystem::path& path, bool is_packed, bool was_emptied, int grows) {
  const hsize_t all[] = {2, step_rows}, chunk[] = {1, 7}, none[] = {0, 0};
  hsize_t most[] = {2, step_rows};
  most[grows] = hsize_t{1} << 33;
  const hid_t access = good(H5Pcreate(H5P_FILE_ACCESS)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
  const hid_t space = good(H5Screate_simple(2, all, most));
  good(H5Pset_chunk(creation, 2, chunk));
  if (is_packed) good(H5Pset_deflate(creation, 4));
  const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  const std::vector<double> ones(2 * step_rows, 1);
  good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones.data()));
  if (was_emptied) {
    good(H5Dset_extent(set, none));
    good(H5Dset_extent(set, all));
  }
  good(H5Dclose(set));
  for (const hid_t list : {access, creation}) good(H5Pclose(list));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

TEST(ForeignChunks, only_those_within_the_extents_are_visited) {
  const Directory directory;
  for (const int shape : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const bool is_packed = (shape & 1) != 0, was_emptied = (shape & 2) != 0;
    const int grows = shape >> 2;
    const auto path = directory / (std::to_string(shape) + ".h5");
    on_rank_0([&] { write_for_growth(path, is_packed, was_emptied, grows); });
    FileModel<double, 2> model{{2, step_rows}, std::vector<double>(2 * step_rows, was_emptied ? 0.0 : 1.0)};
    const Patch<2> patch{{0, 3}, {2, 20}};
    Array<double, 2> part(world(), patch.extents());
    fill(part, 4.0);
    File file(world(), path, Mode::read_write);
    if (was_emptied) {
      expect_words(message_of<io::IoError>([&] { file.write("x", patch, part); }), {"some chunks", "h5repack"});
    } else if (is_packed && grows == 1) {  // HDF5 would lose chunks
      expect_words(message_of<io::IoError>([&] { file.write("x", patch, part); }),
                   {"grow along dimension 1", "h5repack -f NONE"});
    } else {
      file.write("x", patch, part);
      model.put(patch, std::vector<double>(at(patch.size()), 4.0));
    }
    fill(part, 5.0);
    file.read("x", patch, part);
    EXPECT_TRUE(equal_lists(model.get(patch), contents(part)));
    file.close();
    EXPECT_TRUE(equal_lists(model.elements, contents(io::load<double, 2>(world(), path, "x"))));
  }
}

// A growing dataset with a filter that leaves chunks as they are: HDF5 does not have it, it does not pack
// chunks that would not become smaller, or another program has put an unpacked chunk among packed ones.
void write_unpacked_chunks(const std::filesystem::path& path, H5Z_filter_t filter) {
  const hsize_t all[] = {2, step_rows, step_columns}, most[] = {H5S_UNLIMITED, step_rows, step_columns},
                chunk[] = {1, 6, step_columns};
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(3, all, most)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_chunk(creation, 3, chunk));
  const unsigned level = 4;
  filter == H5Z_FILTER_SZIP
      ? good(H5Pset_szip(creation, H5_SZIP_NN_OPTION_MASK, 4))
      : good(H5Pset_filter(creation, filter, H5Z_FLAG_OPTIONAL, filter == H5Z_FILTER_DEFLATE ? 1 : 0, &level));
  const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  const std::vector<double> ones(2 * step_rows * step_columns, 1);
  good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ones.data()));
  const hsize_t first[] = {0, 0, 0};
  if (filter == H5Z_FILTER_DEFLATE)
    good(H5Dwrite_chunk(set, H5P_DEFAULT, 1, first, 6 * step_columns * sizeof(double), ones.data()));
  good(H5Dclose(set));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

// HDF5 1.10 would damage the chunks, or hang.
TEST(ForeignChunks, are_not_written_where_filters_leave_some_as_they_are) {
  const Directory directory;
  constexpr H5Z_filter_t unknown = 32000;
  for (const H5Z_filter_t filter : {unknown, H5Z_filter_t{H5Z_FILTER_SZIP}, H5Z_filter_t{H5Z_FILTER_DEFLATE}}) {
    unsigned abilities = 0;
    const bool is_known = H5Zfilter_avail(filter) > 0;
    if (is_known) good(H5Zget_filter_info(filter, &abilities));
    if (filter == H5Z_FILTER_SZIP && (abilities & H5Z_FILTER_CONFIG_ENCODE_ENABLED) == 0) continue;
    SCOPED_TRACE(filter);
    const auto path = directory / ("filter " + std::to_string(filter) + ".h5");
    on_rank_0([&] { write_unpacked_chunks(path, filter); });
    Array<double, 3> all(world(), {2, step_rows, step_columns}, {.name = "all"}),
        one(world(), {1, 6, step_columns});
    Array<double, 2> step(world(), step_dims, {.name = "step"});
    fill(all, 2.0), fill(one, 2.0), fill(step, 2.0);
    File file(world(), path, Mode::read_write);
    const auto expect_refused = [&](auto&& write) {
      expect_words(message_of<io::IoError>(write),
                   {"\"x\"", filter == H5Z_FILTER_DEFLATE ? "h5repack" : "filter"});
    };
    expect_refused([&] { file.write("x", all); });
    expect_refused([&] { file.write("x", Patch<3>{{0, 0, 0}, {1, 6, step_columns}}, one); });
    std::vector<double> expected(2 * step_rows * step_columns, 1.0);
    if (filter == H5Z_FILTER_DEFLATE) {  // the new chunks are packed
      file.append("x", step);
      expected.insert(expected.end(), step_rows * step_columns, 2.0);
    } else {
      expect_refused([&] { file.append("x", step); });
    }
    file.close();
    EXPECT_TRUE(equal_lists(expected, contents(io::load<double, 3>(world(), path, "x"))));
  }
}

}  // namespace
}  // namespace tessera::test
