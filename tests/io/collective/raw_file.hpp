// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <hdf5.h>

#include <tessera/array.hpp>

#include "mpi_test.hpp"
#include "temporary_directory.hpp"

// Files as another program would write and read them: serial HDF5 calls on one rank, nothing of tessera::io.
namespace tessera::test {

template <class Result>
Result good(Result result) {
  if (result < 0) throw std::runtime_error("an HDF5 call of the test failed");
  return result;
}

/// An element that is nothing but bytes.
struct Bytes {
  unsigned char b[3];
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// The value of element `number` of a test array. @local
template <class T>
T element(index_t number) {
  if constexpr (std::is_same_v<T, Bytes>) {
    const auto low = static_cast<unsigned char>(number);
    return {{low, static_cast<unsigned char>(number / 256), static_cast<unsigned char>(255 - low)}};
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(number * 3 - 100) / T{2};
  } else {
    using Part = typename T::value_type;
    return {static_cast<Part>(number) / 2, static_cast<Part>(7 - number)};
  }
}

/// The type of T in files, built here from HDF5's names; the caller closes it. @local
template <class T>
hid_t raw_type() {
  if constexpr (std::is_same_v<T, std::int32_t>) return good(H5Tcopy(H5T_STD_I32LE));
  if constexpr (std::is_same_v<T, std::int64_t>) return good(H5Tcopy(H5T_STD_I64LE));
  if constexpr (std::is_same_v<T, float>) return good(H5Tcopy(H5T_IEEE_F32LE));
  if constexpr (std::is_same_v<T, double>) return good(H5Tcopy(H5T_IEEE_F64LE));
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    const hid_t part = raw_type<typename T::value_type>();
    const hid_t type = good(H5Tcreate(H5T_COMPOUND, sizeof(T)));
    good(H5Tinsert(type, "r", 0, part));
    good(H5Tinsert(type, "i", sizeof(T) / 2, part));
    good(H5Tclose(part));
    return type;
  }
  return good(H5Tcreate(H5T_OPAQUE, sizeof(T)));
}

template <std::size_t N>
std::vector<hsize_t> raw_dims(const Extents<N>& dims) {
  return {dims.begin(), dims.end()};
}

template <class T>
struct RawDataset {
  std::vector<hsize_t> dims;
  std::vector<T> elements;
};

/// How to write a dataset differently from Tessera. The caller closes the types.
struct RawOptions {
  hid_t type = H5I_INVALID_HID;  // in the file
  std::vector<hsize_t> chunk = {};
};

/// Reads a dataset; its type and storage must be as documented. @local
template <class T>
RawDataset<T> read_raw(const std::filesystem::path& path, const std::string& name) {
  RawDataset<T> result;
  const hid_t file = good(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  const hid_t dataset = good(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
  const hid_t type = good(H5Dget_type(dataset)), expected = raw_type<T>();
  EXPECT_GT(H5Tequal(type, expected), 0) << name;
  const hid_t creation = good(H5Dget_create_plist(dataset));
  EXPECT_EQ(H5Pget_layout(creation), H5D_CONTIGUOUS) << name;
  const hid_t space = good(H5Dget_space(dataset));
  result.dims.resize(static_cast<std::size_t>(good(H5Sget_simple_extent_ndims(space))));
  good(H5Sget_simple_extent_dims(space, result.dims.data(), nullptr));
  result.elements.resize(static_cast<std::size_t>(good(H5Sget_simple_extent_npoints(space))));
  if (!result.elements.empty())
    good(H5Dread(dataset, expected, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.elements.data()));
  for (const hid_t object : {type, expected}) good(H5Tclose(object));
  good(H5Sclose(space));
  good(H5Pclose(creation));
  good(H5Dclose(dataset));
  good(H5Fclose(file));
  return result;
}

/// Writes a new file with a dataset of element<T>(0), element<T>(1), ... @local
template <class T>
void write_raw(const std::filesystem::path& path, const std::string& name, const std::vector<hsize_t>& dims,
               const RawOptions& options = {}) {
  std::size_t count = 1;
  for (const hsize_t extent : dims) count *= static_cast<std::size_t>(extent);
  std::vector<T> elements;
  for (std::size_t i = 0; i < count; ++i) elements.push_back(element<T>(static_cast<index_t>(i)));
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t memory =
      std::is_same_v<T, Bytes> && options.type >= 0 ? good(H5Tcopy(options.type)) : raw_type<T>();
  const hid_t space = good(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr));
  const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
  if (!options.chunk.empty())
    good(H5Pset_chunk(creation, static_cast<int>(options.chunk.size()), options.chunk.data()));
  const hid_t dataset = good(H5Dcreate2(file, name.c_str(), options.type >= 0 ? options.type : memory, space,
                                        H5P_DEFAULT, creation, H5P_DEFAULT));
  good(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()));
  good(H5Dclose(dataset));
  good(H5Pclose(creation));
  good(H5Sclose(space));
  good(H5Tclose(memory));
  good(H5Fclose(file));
}

/// A new directory that every rank knows. It is removed with its contents at the end. @collective
class Directory {
 public:
  Directory() {
    if (world().rank() == 0) own_.emplace();
    std::string name = own_ ? own_->path().string() : std::string();
    name.resize(static_cast<std::size_t>(world().broadcast(static_cast<index_t>(name.size()), 0)));
    world().broadcast(std::span<char>(name), 0);
    path_ = name;
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// The names in it, sorted. Waits for all ranks before it looks. @collective
  Names names() const {
    world().barrier();
    Names list = names_in(path_);
    world().barrier();
    return list;
  }

 private:
  std::optional<TemporaryDirectory> own_;  // on rank 0
  std::filesystem::path path_;
};

/// Runs something on rank 0 while the other ranks wait. No exception leaves it. @collective
template <class Action>
void on_rank_0(Action&& action) {
  if (world().rank() == 0) {
    try {
      action();
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  world().barrier();
}

}  // namespace tessera::test
