// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/attribute.hpp>
#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// How a File is opened. `create` makes a file and fails if it exists; `truncate` makes a file or empties an
/// existing one.
enum class Mode : std::uint8_t { read, read_write, create, truncate };

/// How a dataset is stored.
template <std::size_t N>
struct DatasetOptions {
  /// Extents of the chunks, in which the dataset is stored, compressed and grows. By default it is contiguous,
  /// or has chunks of at most 4 MiB if it needs chunks.
  Extents<N> chunks = {};
  /// zlib's level, 1 (fast) to 9 (small); 0 for no compression.
  int deflate = 0;
  /// Before compression, sorts the bytes of each chunk by significance, which helps to compress numbers.
  bool shuffle = false;
  /// Stores a checksum with each chunk, which HDF5 verifies when it reads.
  bool checksum = false;
};

/// What a file says about one of its datasets.
struct DatasetInfo {
  std::string name;  ///< its path, such as "run/density"
  std::vector<index_t> dims;
  std::string type;             ///< "float64", or in words
  std::vector<index_t> chunks;  ///< empty if it is contiguous
  int deflate = 0;
  bool grows = false;  ///< whether steps can be appended
};

/// How the elements of the last transfer were moved.
struct TransferReport {
  bool collective = true;  ///< whether all ranks moved them together
  std::string reason;      ///< if not, why
};

namespace detail {
class DiskArrayCore;
class FileState;
/// DatasetOptions with run-time rank.
struct StorageOptions {
  std::vector<index_t> chunks;
  int deflate;
  bool shuffle, checksum;
  bool in_order = false;  // chunks one after the other, so that processes find them without HDF5
};
}  // namespace detail

/// An open HDF5 file of a group. Move-only. Every call on it is collective. A call that fails on one rank
/// throws on all: IoError (Hdf5Error if HDF5 or MPI-IO failed), or UsageError for a closed file or invalid
/// options.
///
/// Unlike save(), it writes the file in place. If the program dies, data that is being written is lost. The
/// whole file may be lost, too, unless it was flushed or closed. The destructor communicates nothing. A file
/// that was not closed is closed when the same group opens another file or loads, or when MPI ends.
class File {
 public:
  /// @collective @throws IoError if there is no such file, it cannot be read, written or made, or the path
  /// leads to different files on different ranks. Also to write if this program has a File open for writing
  /// already, and for Mode::truncate a DiskArray of it
  File(const Group& group, const std::filesystem::path& path, Mode mode);
  ~File();
  File(File&&) noexcept;
  File& operator=(File&&) noexcept;

  /// Completes the file and closes it. @collective
  void close();
  /// Hands everything to the operating system. If the program dies afterwards, the file can be read, provided
  /// that nothing more was written. @collective
  void flush();
  bool is_open() const noexcept;
  /// @local @throws UsageError once the file is closed, as do all calls below
  const std::filesystem::path& path() const;
  const Group& group() const;

  /// Creates a dataset whose elements are written later; until then they are unspecified. Its name may be a
  /// path such as "run/density", whose HDF5 groups are created. Chunks are cut at the dataset's extents.
  /// @collective
  /// @throws IoError if the name exists, or if the disk has not enough space for the uncompressed dataset
  template <Element T, std::size_t N>
  void create_dataset(std::string_view name, const Extents<N>& dims, const DatasetOptions<N>& options = {}) {
    create_dataset(name, {element_kind<T>(), sizeof(T)}, list(dims), storage(options));
  }

  /// Writes an array or slice to a dataset of the same extents. A dataset that does not exist is created,
  /// contiguous. Elements are converted to the dataset's type as in load(). @collective
  /// @throws IoError if the dataset has another shape, or an element does not fit its type. @completion `from`
  /// may be changed; the file may be read after flush() or close().
  template <Operand A>
  void write(std::string_view name, const A& from) {
    write(name, nullptr, slice_of(from).core());
  }
  /// Writes a patch of an existing dataset. Datasets may thus be larger than the memory of all ranks.
  /// @collective @throws and @completion as above
  template <Operand A>
  void write(std::string_view name, const Patch<rank_v<A>>& patch, const A& from) {
    const auto box = tessera::detail::box_of(patch);
    write(name, &box, slice_of(from).core());
  }
  /// Reads all of a dataset, or a patch of it, into an array or slice, as load_into() does. @collective
  template <WritableOperand A>
  void read(std::string_view name, A&& into) {
    read(name, nullptr, slice_of(into).core());
  }
  template <WritableOperand A>
  void read(std::string_view name, const Patch<rank_v<A>>& patch, A&& into) {
    const auto box = tessera::detail::box_of(patch);
    read(name, &box, slice_of(into).core());
  }

  /// Appends a step to a dataset. The dataset has one more dimension, the first, for the steps. It is created
  /// if it does not exist; the options describe the storage of one step. @collective @throws as write
  template <Operand A>
  requires(rank_v<A> < max_rank) void append(std::string_view name, const A& step,
                                             const DatasetOptions<rank_v<A>>& options = {}) {
    append(name, slice_of(step).core(), storage(options));
  }
  /// The number of steps; 0 if the dataset does not exist. @collective
  index_t steps(std::string_view name) const;
  /// Reads one step. @collective @throws as read
  template <WritableOperand A>
  requires(rank_v<A> < max_rank) void read_step(std::string_view name, index_t step, A&& into) {
    read_step(name, step, slice_of(into).core());
  }

  /// Sets an attribute of a dataset, a group, or the file (""). The value has at most 64 KiB. @collective
  /// @throws UsageError on every rank if ranks pass different values
  void set_attribute(std::string_view object, std::string_view name, const AttributeValue& value);
  /// The value of an attribute: file.attribute("run/density", "time").as<double>(). @collective @throws IoError
  /// if there is no such attribute, or it holds neither numbers nor strings
  AttributeValue attribute(std::string_view object, std::string_view name) const;
  /// The names of all attributes of a dataset, a group, or the file. @collective
  std::vector<std::string> attributes(std::string_view object) const;

  /// Whether there is a dataset of this name. @collective
  bool contains(std::string_view name) const;
  /// The description of a dataset. @collective @throws IoError if there is no such dataset
  DatasetInfo dataset(std::string_view name) const;
  /// The descriptions of all datasets, including datasets in HDF5 groups. @collective
  std::vector<DatasetInfo> datasets() const;

  /// How the last write, read or append went: whether it was collective and, if not, why. @local
  const TransferReport& last_transfer() const;

 private:
  friend class detail::DiskArrayCore;
  template <std::size_t N>
  static std::vector<index_t> list(const Extents<N>& numbers) {
    return {numbers.begin(), numbers.end()};
  }
  template <std::size_t N>
  static detail::StorageOptions storage(const DatasetOptions<N>& options) {
    return {options.chunks == Extents<N>{} ? std::vector<index_t>{} : list(options.chunks), options.deflate,
            options.shuffle, options.checksum};
  }
  void create_dataset(std::string_view name, const tessera::detail::ElementType& type,
                      const std::vector<index_t>& dims, const detail::StorageOptions& options);
  void write(std::string_view name, const tessera::detail::Box* patch, const tessera::detail::SliceCore& from);
  void read(std::string_view name, const tessera::detail::Box* patch, const tessera::detail::SliceCore& into);
  void append(std::string_view name, const tessera::detail::SliceCore& step,
              const detail::StorageOptions& options);
  void read_step(std::string_view name, index_t step, const tessera::detail::SliceCore& into);
  detail::FileState& state() const;

  std::unique_ptr<detail::FileState> state_;
};

}  // namespace tessera::io
