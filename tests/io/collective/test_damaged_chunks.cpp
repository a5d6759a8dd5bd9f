// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstring>
#include <fstream>

#include "file_model.hpp"

// Packed chunks that cannot be unpacked, or not by this HDF5. One rank writes each chunk for all ranks. If it
// fails, every rank must get an error before anything is written.
namespace tessera::test {
namespace {

using io::File;
using io::Mode;

constexpr int strange_filter = 305;

// A filter that keeps the bytes as they are, and that other programs do not have.
std::size_t pass(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

enum class Packing { deflate, checksum, strange };

// A dataset "x" of 12 x 20 elements, or of steps, in chunks of 5 x 6. The chunk at `damaged` is then damaged.
void write_packed(const std::filesystem::path& path, Packing packing, const std::vector<hsize_t>& damaged) {
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hsize_t dims[] = {12, 20}, most[] = {H5S_UNLIMITED, 20}, chunk[] = {5, 6};
  const hid_t space = good(H5Screate_simple(2, dims, most)), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_chunk(creation, 2, chunk));
  const H5Z_class2_t strange{H5Z_CLASS_T_VERS, strange_filter, 1, 1, "strange", nullptr, nullptr, pass};
  if (packing == Packing::deflate) good(H5Pset_deflate(creation, 4));
  if (packing == Packing::checksum) good(H5Pset_fletcher32(creation));
  if (packing == Packing::strange) {
    good(H5Zregister(&strange));
    good(H5Pset_filter(creation, strange_filter, H5Z_FLAG_MANDATORY, 0, nullptr));
  }
  const auto elements = elements_from<double>(0, 240);
  const hid_t set = good(H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  good(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()));
  good(H5Fflush(file, H5F_SCOPE_GLOBAL));
  unsigned mask = 0;
  haddr_t at = 0;
  hsize_t bytes = 0;
  good(H5Dget_chunk_info_by_coord(set, damaged.data(), &mask, &at, &bytes));
  good(H5Dclose(set));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
  if (packing == Packing::strange) return void(good(H5Zunregister(strange_filter)));
  std::fstream raw(path, std::ios::in | std::ios::out | std::ios::binary);
  raw.seekp(static_cast<std::streamoff>(at));
  raw << std::string(static_cast<std::size_t>(bytes), '\x5d');
}

TEST(DamagedChunks, chunk_that_is_written_in_part_is_an_error) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 2> a(world(), {12, 20}, {.name = "a"});
  fill(a, 7.0);
  for (const Packing packing : {Packing::deflate, Packing::checksum}) {
    for (const auto& chunk : {std::vector<hsize_t>{0, 0}, {5, 6}, {10, 18}}) {
      SCOPED_TRACE(testing::Message() << chunk[0] << ", " << chunk[1]);
      on_rank_0([&] { write_packed(path, packing, chunk); });
      const auto row = static_cast<index_t>(chunk[0]), column = static_cast<index_t>(chunk[1]);
      const std::string before = bytes_of(path);
      File file(world(), path, Mode::read_write);
      const std::vector<std::string> words{"write of dataset \"x\"", path.string(), "unpacked", "damaged"};
      for (const index_t more : {1, 2}) {
        const Patch<2> patch{{std::max<index_t>(0, row - 1), std::max<index_t>(0, column - 1)},
                             {row + more, column + more}};
        expect_words(
            message_of<io::Hdf5Error>([&] {
              file.write("x", patch, a.slice({{0, 0}, {patch.hi[0] - patch.lo[0], patch.hi[1] - patch.lo[1]}}));
            }),
            words);
      }
      EXPECT_TRUE(file.is_open());
      // A chunk that one rank overwrites as a whole need not be unpacked.
      if (world().size() == 1 && row < 10) {
        file.write("x", {{row, column}, {row + 5, column + 6}}, a.slice({{0, 0}, {5, 6}}));
        file.close();
        on_rank_0([&] { EXPECT_EQ(raw_dataset<double>(path, "x").elements[at(20 * row + column)], 7.0); });
        continue;
      }
      file.close();
      world().barrier();
      on_rank_0([&] {
        // The metadata come first, and HDF5 may have rewritten them.
        const std::string now = bytes_of(path);
        EXPECT_GE(now.size(), before.size());
        EXPECT_TRUE(equal_lists(before.substr(2048), now.substr(2048, before.size() - 2048)));
      });
    }
  }
}

TEST(DamagedChunks, step_that_shares_a_damaged_chunk_is_an_error) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 1> a(world(), {20}, {.name = "a"});
  fill(a, 7.0);
  on_rank_0([&] { write_packed(path, Packing::deflate, {10, 6}); });
  File file(world(), path, Mode::read_write);
  expect_words(message_of<io::Hdf5Error>([&] { file.append("x", a); }), {"step of dataset \"x\"", "unpacked"});
  EXPECT_EQ(file.steps("x"), 12);
  file.close();
}

TEST(DamagedChunks, chunks_beside_a_damaged_one_are_written) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 2> a(world(), {12, 20}, {.name = "a"});
  fill(a, 7.0);
  on_rank_0([&] { write_packed(path, Packing::deflate, {0, 0}); });
  File file(world(), path, Mode::read_write);
  Array<double, 2> found(world(), {5, 13});
  // HDF5 must not keep in memory what was read.
  for (int round = 0; round < 3; ++round) {
    fill(a, 10.0 * round);
    file.write("x", {{6, 7}, {11, 20}}, a.slice({{0, 0}, {5, 13}}));
    file.read("x", {{6, 7}, {11, 20}}, found);
    EXPECT_TRUE(equal_lists(std::vector<double>(65, 10.0 * round), contents(found)));
    file.write("x", {{7, 8}, {8, 9}}, a.slice({{0, 0}, {1, 1}}));
  }
  file.append("x", a.slice({{0, 0}, {1, 20}}).fix(0, 0));
  file.close();
}

TEST(DamagedChunks, filter_that_is_missing_is_an_error) {
  const Directory directory;
  const auto path = directory / "a.h5";
  Array<double, 2> a(world(), {12, 20}, {.name = "a"}), one(world(), {1, 1}, {.name = "one"});
  fill(a, 7.0);
  on_rank_0([&] { write_packed(path, Packing::strange, {0, 0}); });
  File file(world(), path, Mode::read_write);
  const std::vector<std::string> words{"write of dataset \"x\"", "305", "strange"};
  expect_words(message_of<io::IoError>([&] { file.write("x", a); }), words);
  expect_words(message_of<io::IoError>([&] { file.write("x", {{3, 3}, {4, 4}}, one); }), words);
  expect_words(message_of<io::IoError>([&] { file.read("x", a); }), {"read of dataset \"x\""});
  file.close();
}

}  // namespace
}  // namespace tessera::test
