// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>
#include <mpi.h>

#include <tessera/detail/array_core.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// Every HDF5 function that Tessera calls, checked, in one place. A failure throws Hdf5Error with HDF5's own
// reason, on the rank that has it: callers agree.
namespace tessera::io::hdf5 {

template <herr_t (*close)(hid_t)>
struct Traits {
  using Handle = hid_t;
  static Handle null() noexcept { return H5I_INVALID_HID; }
  static void free(Handle handle) noexcept { close(handle); }
};
using File = tessera::detail::UniqueHandle<Traits<H5Fclose>>;
using Dataset = tessera::detail::UniqueHandle<Traits<H5Dclose>>;
using Space = tessera::detail::UniqueHandle<Traits<H5Sclose>>;
using Type = tessera::detail::UniqueHandle<Traits<H5Tclose>>;
using Properties = tessera::detail::UniqueHandle<Traits<H5Pclose>>;
using Attribute = tessera::detail::UniqueHandle<Traits<H5Aclose>>;

/// HDF5 prints every error to stderr by itself; not while one of these lives.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// @collective over comm
File create(const std::filesystem::path& path, MPI_Comm comm);
/// Whether a file has HDF5's signature. @local
bool is_hdf5(const std::filesystem::path& path);
/// @collective over comm
File open(const std::filesystem::path& path, MPI_Comm comm);
/// Writes what HDF5 still holds back. @collective over the file's communicator
void flush(const File& file);
/// Closes and reports what ~File could not. @collective over the file's communicator
void close(File file);
/// Gives up a file after an error: H5Fclose of HDF5 1.10 may then wait for ranks that do not come, or fail,
/// free the file and yet keep its handle, over which the end of the library crashes. It stays open until then.
/// @local
void abandon(File file) noexcept;

/// The type that stands for elements in a file: complex as a compound {r, i}, which h5py reads as complex.
Type element_type(const tessera::detail::ElementType& type);
/// What the elements of a dataset are, for messages: "float64", "a compound of 24 bytes".
std::string describe_type(const Dataset& dataset);
bool has_type(const Dataset& dataset, const tessera::detail::ElementType& type);
/// The type to read the elements of a dataset as, after has_type.
Type memory_type(const Dataset& dataset, const tessera::detail::ElementType& type);

Dataset create_dataset(const File& file, const std::string& name, const Type& type,
                       const tessera::detail::ArrayCore& array);
void write_attribute(const Dataset& dataset, const char* name, const std::string& value);
/// The paths of all datasets.
std::vector<std::string> dataset_names(const File& file);
bool has_dataset(const File& file, const std::string& name);
Dataset open_dataset(const File& file, const std::string& name);
std::vector<hsize_t> extents(const Dataset& dataset);

enum class Transfer { write, read };
/// Moves a box between a dataset and dense row-major memory: in collective calls of at most 1 GiB, as many on
/// every rank; ranks with an empty box take part with an empty selection. @collective
void transfer(Transfer direction, const Dataset& dataset, const Type& type, const Group& group,
              const tessera::detail::Box& box, int rank, void* data);

}  // namespace tessera::io::hdf5
