// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/io/detail/stored_value.hpp>
#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// Options of a Checkpoint.
struct CheckpointOptions {
  /// The number of generations to keep; at least 1. Older generations are removed once a new one is on disk.
  /// Generations that restore() found damaged do not count.
  int keep = 2;
  /// The most that each process writes per second in the background (write_async); 0 for no limit.
  index_t bytes_per_second = 0;
  /// Takes over a path that a process on another host holds, although we cannot check whether that process
  /// still lives. Meant for jobs of which the batch system runs only one at a time.
  bool take_over = false;
};

/// A generation that was not restored, and why.
struct Skipped {
  std::filesystem::path file;
  std::string reason;
};

/// What restore() found.
struct Restored {
  std::int64_t step;
  std::filesystem::path file;
  /// Newer generations that are damaged.
  std::vector<Skipped> skipped;
};

namespace detail {
class CheckpointState;

template <class T>
concept Value = Element<T> && !Operand<T>;
}  // namespace detail

/// A checkpoint that is being written in the background. Copies refer to the same checkpoint.
class PendingCheckpoint {
 public:
  /// Whether this process has written its part. If so, wait() waits only for other processes. @local
  bool test() const;
  /// Completes the checkpoint; does nothing if it is already complete. @collective @throws and @completion as
  /// Checkpoint::write, and UsageError if the Checkpoint was destroyed
  void wait();

 private:
  friend class Checkpoint;
  PendingCheckpoint(const std::shared_ptr<detail::CheckpointState>& state, std::int64_t number)
      : state_(state), number_(number) {}
  std::weak_ptr<detail::CheckpointState> state_;
  std::int64_t number_;
};

/// A named set of arrays and values that is written to files from time to time. It is read back when the
/// program starts again, on any number of ranks and into arrays of any layout.
///
/// Each write makes a new file: PREFIX.000001.h5, PREFIX.000002.h5, ... It is an ordinary HDF5 file of
/// contiguous datasets in row-major order. It has a temporary name until all of it is on disk. The newest files
/// are kept. Checksums cover every bit of a file and are verified when it is read.
///
/// Arrays and values are referred to: they must outlive the checkpoint, or at least its last call. If an array
/// was swapped with another or replaced, a write takes it as it then is. A slice stays with its elements.
class Checkpoint {
 public:
  /// Reads and writes nothing yet. A relative prefix keeps its meaning if the program changes its directory.
  /// @collective @throws UsageError if `keep` is not positive, or the prefix does not end with a name
  Checkpoint(const Group& group, const std::filesystem::path& prefix, const CheckpointOptions& options = {});
  /// Discards a background write that was not completed, and releases the path. Waits until this process has
  /// stopped writing. @local
  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  /// Adds an array or a part of one. Its dataset gets this name, which may be a path. @collective
  /// @throws UsageError if the name is taken, begins with "tessera_", has an empty part, "." or "..", is longer
  /// than 1024 bytes, or is not printable UTF-8 text. Also if an element is larger than 64 MiB, or the array
  /// belongs to another group
  template <Element T, std::size_t N>
  void add(std::string_view name, Array<T, N>& array) {
    add_array(name, array.core_owner());
  }
  template <Element T, std::size_t N>
  void add(std::string_view name, const Slice<T, N>& slice) requires(!std::is_const_v<T>) {
    add_slice(name, slice.core());
  }
  /// Adds a value that every rank has. The value of rank 0 is written; restore() sets it on every rank.
  /// @collective
  /// @throws UsageError as above
  template <detail::Value T>
  void add(std::string_view name, T& value) {
    add_value(name, detail::stored(value));
  }
  template <Element T, std::size_t N>
  void add(std::string_view name, std::array<T, N>& values) {
    add_value(name, detail::stored(values));
  }
  template <Element T>
  void add(std::string_view name, std::vector<T>& values) requires(!std::same_as<T, bool>) {
    add_value(name, detail::stored(values));
  }
  void add(std::string_view name, std::string& text) { add_value(name, detail::stored(text)); }

  /// Locks the path for this job now instead of at the first write. @collective
  /// @throws IoError on every rank if another job holds the path, or if no file can be created there. Also if
  /// the file in place of the lock is not a lock of this user
  void claim();
  /// Writes everything, as it is now, to a new generation. Each rank needs memory for a tile of 1 MiB. Locks
  /// the path, or locks it again if its lock was removed or moved away. @collective
  /// @throws IoError on every rank if another job writes to the path, or the file cannot be written. Older
  /// generations are then untouched, and no file is left. @completion it is on disk under its name.
  void write(std::int64_t step);
  /// Like write(), but in the background. Copies everything and returns; a thread of low priority on each rank
  /// writes the copy. The arrays may be changed at once. The generation is complete only after wait(), or after
  /// the next write(), write_async(), restore() or close(). Until then it needs as much memory as the arrays,
  /// evenly on all ranks. @collective @throws as write
  PendingCheckpoint write_async(std::int64_t step);
  /// Reads the newest undamaged generation into the arrays and values. Returns nothing if there is no
  /// generation at all. Ghost cells are not updated. @collective
  /// @throws IoError on every rank if all generations are damaged: the message says how, the arrays are then
  /// unspecified, and the values untouched. Also if the newest undamaged one lacks an array or value that was
  /// added, or has it with another type or shape.
  /// @completion visible to every rank.
  std::optional<Restored> restore();
  /// The step of the newest generation that this Checkpoint has written, begun to write, or restored. Nothing
  /// if there is none, or if the write that was begun failed. A program that is at this step, and has changed
  /// nothing since, need not write it again. @local
  std::optional<std::int64_t> last_step() const;
  /// Completes a background write and releases the path. The Checkpoint may be used again.
  /// @collective @throws as write
  void close();

 private:
  detail::CheckpointState& state() const;
  void add_array(std::string_view name, tessera::detail::CoreOwner& array);
  void add_slice(std::string_view name, const tessera::detail::SliceCore& slice);
  void add_value(std::string_view name, detail::StoredValue value);

  std::shared_ptr<detail::CheckpointState> state_;
};

}  // namespace tessera::io
