// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <hdf5.h>
#include <mpi.h>

#include <tessera/core/array_core.hpp>
#include <tessera/io/attribute.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// The HDF5 functions that Tessera calls, each wrapped and checked in one place. A failure throws Hdf5Error with
// HDF5's own reason, only on the rank where it happens; callers must agree on it.
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
using Object = tessera::detail::UniqueHandle<Traits<H5Oclose>>;

/// Keeps HDF5 from printing every error to stderr, for its lifetime.
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

// ---- files: hdf5.cpp

/// Whether the file system has locks that MPI-IO may use.
enum class Locks { work, fail };
/// Creates a file, or empties an existing one. @collective over comm
File create(const std::filesystem::path& path, MPI_Comm comm, Locks locks = Locks::work);
/// Whether a file has HDF5's signature. @local
bool is_hdf5(const std::filesystem::path& path);
/// Opens a file to read, by this process alone. No call on it waits for another rank, which may have failed.
/// @local
File open_alone(const std::filesystem::path& path);
/// Opens a file to write. If it fails on some ranks only, the others wait, so try open_alone first. @collective
/// over comm
File open(const std::filesystem::path& path, MPI_Comm comm, Locks locks = Locks::work);
/// Writes what HDF5 still holds back. @collective over the file's communicator
void flush(const File& file);
/// Closes the file. Reports errors, which ~File cannot, and what was lost meanwhile. @collective over the
/// file's communicator
void close(File file);
/// Gives up a file after an error, without closing it. H5Fclose of HDF5 1.10 may then wait for ranks that do
/// not come. Or it may fail and free the file but keep its handle, so that the library crashes when it ends.
/// The file stays open until then.
/// @local
void abandon(File file) noexcept;

// ---- types of elements: hdf5_types.cpp

/// The type of elements in a file. Complex numbers are a compound {r, i}, which h5py reads as complex.
Type element_type(const tessera::detail::ElementType& type);
/// What the elements of a dataset are, for messages: "float64", "a compound of 24 bytes".
std::string describe_type(const Type& type);
std::string describe_type(const Dataset& dataset);
/// Whether such elements have the same bytes in a dataset as in memory.
bool has_same_bytes(const Dataset& dataset, const tessera::detail::ElementType& type);

/// How an array's elements lie in memory when they are moved between it and a dataset.
struct Memory {
  Type type = {};
  // A native type as an intermediate step, if the dataset has another byte order or an odd size. HDF5 converts
  // such types without saying what was lost, but does say so between native types.
  Type between = {};
  index_t stride = 0;            // bytes from one to the next
  bool is_every_second = false;  // real numbers, each followed by room for an imaginary part
};
/// For reading a dataset. @throws IoError if its elements cannot be converted without losing their meaning
Memory memory_to_read(const Dataset& dataset, const tessera::detail::ElementType& type);
/// For writing a dataset. @throws IoError likewise, or if the dataset is compressed and of another type
Memory memory_to_write(const Dataset& dataset, const tessera::detail::ElementType& type);

/// Detects values that the new type of a conversion cannot represent, such as 70000 or 0.5 in a short integer.
class ConversionWatch {
 public:
  /// Watches the transfers with these properties for its lifetime.
  explicit ConversionWatch(const Properties& transfer);
  /// The problem that was found, such as "values out of range"; empty for none.
  const char* found() const noexcept { return found_; }

 private:
  static H5T_conv_ret_t look(H5T_conv_except_t what, hid_t from, hid_t to, void* value, void*, void* self);
  const char* found_ = "";
};

// ---- names: hdf5_links.cpp

/// Properties for following links: each rank opens the other file by itself, to read.
Properties following_links(hid_t kind);
bool has_dataset(const File& file, const std::string& name);
/// Whether there is a dataset or group; the file itself for "" and "/".
bool has_object(const File& file, const std::string& name);
/// Whether a part of the path is in another file, to which this file links.
bool leads_outside(const File& file, const std::string& name);
Dataset open_dataset(const File& file, const std::string& name);
/// Opens a dataset or group; the file itself for "" and "/".
Object open_object(const File& file, const std::string& name);

// ---- datasets: hdf5_datasets.cpp

/// How a dataset is stored. `chunk` is empty for a contiguous dataset, which is not compressed.
struct Storage {
  std::vector<hsize_t> chunk = {};
  int deflate = 0;
  bool shuffle = false, checksum = false;
  bool grows = false;  // along the first dimension
  bool take_space = false;
  bool in_order = false;  // chunks follow one another in the order of their indices; needs take_space
};

/// Also creates the HDF5 groups of its path. @collective over the file's communicator
Dataset create_dataset(const File& file, const std::string& name, const Type& type,
                       const std::vector<hsize_t>& dims, const Storage& storage);
/// The paths of all datasets.
std::vector<std::string> dataset_names(const File& file);
std::vector<hsize_t> extents(const Dataset& dataset);
/// How it is stored, except take_space and in_order.
Storage storage(const Dataset& dataset);
/// Whether its elements are in other datasets, in a file that ranks have opened together to write. HDF5 cannot
/// move such elements.
bool is_virtual_in_parallel(const Dataset& dataset);
/// Whether its elements are in the description of the dataset, of which each rank that opens a file has a copy.
bool is_compact(const Dataset& dataset);
/// Whether a chunk has no space in the file, or a chunk that a box touches. It visits all of them if each has.
bool lacks_chunks(const Dataset& dataset);
bool lacks_chunks(const Dataset& dataset, const tessera::detail::Box& box, int rank);
/// Changes the extent of the first dimension. @collective over the file's communicator
void resize(const Dataset& dataset, hsize_t extent);
/// Gives space to all chunks from that index of the first dimension on. HDF5 gives none to chunks of a dataset
/// that another program made to get it when they are written, and then cannot write them in a parallel program.
/// @collective over the file's communicator
void give_space(const Dataset& dataset, hsize_t begin);
/// Tries what HDF5 does on one rank for all when they write to a compressed dataset: it unpacks chunks that the
/// box covers only in part. They stay in HDF5's memory until the dataset is closed, so open it anew to write.
/// @local
/// @throws IoError if a chunk cannot be unpacked or is too large, or a filter is missing
void try_chunks(const Dataset& dataset, const Memory& memory, const tessera::detail::Box& box, int rank);

/// The most bytes of a chunk that is compressed or checked. In a parallel program HDF5 gives the length of what
/// is stored to MPI as an int, and some chunks grow a little.
constexpr index_t max_packed_chunk = index_t{2000} << 20;
/// The most bytes in one call of HDF5: MPI-IO counts in int, and a caller may show progress.
constexpr index_t max_bytes = index_t{1} << 28;
enum class Transfer { write, read };
/// How HDF5 moved data: all ranks together, or each by itself, and why; in words.
struct Account {
  bool collective = true;
  std::string reason;
};
/// Moves a box between a dataset and dense row-major memory, in calls of at most 256 MiB. They are collective
/// in files that all ranks have opened to write, except for datasets whose reading can fail, or end early, on
/// some ranks. All ranks make the same number of collective calls, with empty selections for empty boxes.
/// Elements that were never written are read as the fill value. `show(round, rounds)` is called with 0 before
/// the first call, and after each call.
/// @collective
Account transfer(Transfer direction, const Dataset& dataset, const Memory& memory, const Group& group,
                 const tessera::detail::Box& box, int rank, void* data,
                 const std::function<void(index_t round, index_t rounds)>& show);

// ---- places of elements in a file: hdf5_places.cpp

/// Where a dataset's elements lie in its file, if each process can compute it: in tiles of these extents, one
/// after the other. A dataset in one piece is one tile; chunks are the others.
struct Places {
  std::vector<index_t> tile;
  index_t offset = -1;          // of the first tile; -1 if the places are not known
  std::string unknown_because;  // the reason in words
};
/// @throws IoError if they are not inside the file
Places places_in_file(const File& file, const Dataset& dataset, const tessera::detail::ElementType& type);
/// The offset of the first element, if all elements are contiguous in this file and have the same bytes as in
/// memory; else -1. Another file that this one links to does not count.
index_t offset_in_file(const File& file, const Dataset& dataset, const tessera::detail::ElementType& type);

// ---- files of one process: hdf5_rows.cpp

/// Creates a file, or empties an existing one. No other process has it open to write. @local
File create_alone(const std::filesystem::path& path);
/// Opens a file to change it. @local
File open_alone_to_write(const std::filesystem::path& path);
/// Moves whole rows: indices of the first dimension. They must be inside. @local
void write_rows(const Dataset& dataset, const tessera::detail::ElementType& type, index_t first, index_t count,
                const void* data);
void read_rows(const Dataset& dataset, const tessera::detail::ElementType& type, index_t first, index_t count,
               void* data);

// ---- attributes of datasets, groups and files: hdf5_attributes.cpp

void write_attribute(const Dataset& dataset, const char* name, const std::string& value);
/// Replaces an attribute that exists. @collective over the file's communicator
void set_attribute(hid_t object, const std::string& name, const AttributeValue& value);
bool has_attribute(hid_t object, const std::string& name);
/// @throws IoError for elements that are neither numbers nor strings
AttributeValue get_attribute(hid_t object, const std::string& name);
std::vector<std::string> attribute_names(hid_t object);

}  // namespace tessera::io::hdf5
