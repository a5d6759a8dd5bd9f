// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <tessera/io/io.hpp>
#include <tessera/reductions.hpp>

#include "../../ga/onesided_model.hpp"
#include "../../ga/slice_model.hpp"
#include "comparison.hpp"
#include "expect_words.hpp"
#include "file_bytes.hpp"
#include "raw_file.hpp"

// Shared by the tests of files: arrays and slices with known elements, and raw HDF5 for the other side.
namespace tessera::test {

/// The type of T in memory, for HDF5; the caller closes it. @local
template <class T>
hid_t raw_memory_type() {
  return raw_type<T>();  // tests run on machines of this byte order only
}

/// All of a dataset, however it is stored. @local
template <class T>
RawDataset<T> raw_dataset(const std::filesystem::path& path, const std::string& name) {
  RawDataset<T> result;
  const hid_t file = good(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const hid_t dataset = good(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const hid_t space = good(H5Dget_space(dataset)), type = raw_memory_type<T>();
  result.dims.resize(static_cast<std::size_t>(good(H5Sget_simple_extent_ndims(space))));
  good(H5Sget_simple_extent_dims(space, result.dims.data(), nullptr));
  result.elements.resize(static_cast<std::size_t>(good(H5Sget_simple_extent_npoints(space))));
  if (!result.elements.empty())
    good(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.elements.data()));
  good(H5Tclose(type));
  good(H5Sclose(space));
  good(H5Dclose(dataset));
  good(H5Fclose(file));
  return result;
}

/// Writes a new file with a dataset of these elements, in another type and storage if wanted. @local
template <class T>
void write_raw_elements(const std::filesystem::path& path, const std::string& name,
                        const std::vector<hsize_t>& dims, const std::vector<T>& elements, hid_t type_in_file,
                        hid_t type_in_memory, const std::vector<hsize_t>& chunk = {}, unsigned deflate = 0) {
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
  const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
  if (!chunk.empty()) good(H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data()));
  if (deflate > 0) good(H5Pset_deflate(creation, deflate));
  const hid_t dataset =
      good(H5Dcreate2(file, name.c_str(), type_in_file, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  good(H5Dwrite(dataset, type_in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()));
  good(H5Dclose(dataset));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

/// Makes a new file with a dataset in one piece that takes no space on disk until it is written. @local
template <class T>
void write_sparse(const std::filesystem::path& path, const std::string& name,
                  const std::vector<hsize_t>& dims) {
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
  const hid_t type = raw_type<T>(), creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY));
  good(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER));
  good(H5Dclose(good(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT))));
  good(H5Pclose(creation));
  good(H5Tclose(type));
  good(H5Sclose(space));
  good(H5Fclose(file));
}

/// How many seeds to try: few in the quick set of tests. @local
inline int seeds(int few, int many) { return std::getenv("TESSERA_TEST_MANY_SEEDS") == nullptr ? few : many; }

/// Extents of chunks of an array of these extents; none for one in one piece. @local
template <std::size_t N>
std::vector<index_t> random_chunks(Random& random, const Extents<N>& dims) {
  std::vector<index_t> chunks;
  if (pick(random, 0, 1) == 0) return chunks;
  for (const index_t extent : dims) chunks.push_back(pick(random, 1, extent + 1));
  return chunks;
}

/// Compares two lists of elements, or two texts. @local
template <class List>
testing::AssertionResult equal_lists(const List& expected, const List& found) {
  if (found.size() != expected.size())
    return testing::AssertionFailure() << found.size() << " elements instead of " << expected.size();
  Comparison compared;
  for (std::size_t i = 0; i < found.size(); ++i) compared(i, expected[i], found[i]);
  return compared.equal();
}

/// `count` elements of a test, from number `first` on. @local
template <class T>
std::vector<T> elements_from(index_t first, index_t count) {
  std::vector<T> list;
  for (index_t i = 0; i < count; ++i) list.push_back(element<T>(first + i));
  return list;
}

/// A random slice of an array with random extents and layout, and the elements that the array should have.
template <class T, std::size_t N>
class TestSlice {
 public:
  /// A slice with these extents. Its array holds the elements from `first` on. @collective
  TestSlice(Random& random, const Extents<N>& dims, index_t first)
      : array_dims_(larger(random, dims)),
        choice_(random, array_dims_, dims),
        array_(world(), any_of(random, layouts_of(random, array_dims_, world().size())), {.name = "test"}),
        all_(elements_from<T>(first, array_dims_.size())) {
    set_contents(array_, all_);
  }
  auto slice() { return choice_.of(array_); }
  /// The elements that the slice should have, row by row. @local
  std::vector<T> elements() const {
    std::vector<T> list;
    for (const index_t number : choice_.model.numbers) list.push_back(all_[at(number)]);
    return list;
  }
  void expect(const std::vector<T>& elements) {
    for (std::size_t i = 0; i < elements.size(); ++i) all_[at(choice_.model.numbers[i])] = elements[i];
  }
  /// Whether the whole array is as it should be. @collective
  testing::AssertionResult is_right() { return equal_lists(all_, contents(array_)); }
  std::string description() { return slice().core().description() + " of " + array_.layout().description(); }

 private:
  static Extents<N> larger(Random& random, const Extents<N>& dims) {
    index_t most = 1;
    for (const index_t extent : dims) most = std::max(most, extent);
    Extents<N> all;
    // With few dimensions, there is room for another order of dimensions and for strides.
    for (std::size_t d = 0; d < N; ++d)
      all[d] = N <= 3 ? most * pick(random, 1, 2) + pick(random, 0, 2) : dims[d] + pick(random, 0, 1);
    return all;
  }

  Extents<N> array_dims_;
  RandomSlice<N> choice_;
  Array<T, N> array_;
  std::vector<T> all_;
};

/// The array that a file should hold, in the memory of every rank.
template <class T, std::size_t N>
struct FileModel {
  Extents<N> dims;
  std::vector<T> elements;

  void put(const Patch<N>& patch, const std::vector<T>& values) {
    std::size_t i = 0;
    for_each_index(patch, [&](const Index<N>& at) { elements[test::at(number_of(at, dims))] = values[i++]; });
  }
  std::vector<T> get(const Patch<N>& patch) const {
    std::vector<T> values;
    for_each_index(patch,
                   [&](const Index<N>& at) { values.push_back(elements[test::at(number_of(at, dims))]); });
    return values;
  }
  /// Compares with the file. @collective
  void expect_in(const std::filesystem::path& path, const std::string& name) const {
    on_rank_0([&] {
      const auto found = raw_dataset<T>(path, name);
      EXPECT_EQ(found.dims, raw_dims(dims));
      EXPECT_TRUE(equal_lists(elements, found.elements));
    });
  }
};

}  // namespace tessera::test
