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

/// What may be said about a checkpoint.
struct CheckpointOptions {
  /// How many generations are kept; at least 1. The older ones are removed when a new one is on disk. Those
  /// that restore() has found damaged do not count.
  int keep = 2;
  /// The most that each process writes in the background (write_async), 0 for as fast as it goes.
  index_t bytes_per_second = 0;
  /// Takes a path that a process of another host has, which cannot be asked whether it lives: for jobs of which
  /// the batch system lets only one run.
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

/// A checkpoint that is written behind the program's back. Copies are the same one.
class PendingCheckpoint {
 public:
  /// Whether this process has written its part; wait() then waits for other processes alone. @local
  bool test() const;
  /// Completes the checkpoint; nothing if it is complete. @collective @throws and @completion as
  /// Checkpoint::write, and UsageError if the Checkpoint is gone
  void wait();

 private:
  friend class Checkpoint;
  PendingCheckpoint(const std::shared_ptr<detail::CheckpointState>& state, std::int64_t number)
      : state_(state), number_(number) {}
  std::weak_ptr<detail::CheckpointState> state_;
  std::int64_t number_;
};

/// A named set of arrays and values that is written to files from time to time and read back when the program
/// starts again, on any number of ranks and into arrays of any layout. Each write makes a new file,
/// PREFIX.000001.h5, PREFIX.000002.h5, ..., an ordinary HDF5 file of contiguous datasets in the order of their
/// indices, under a temporary name until all of it is on disk; the last ones are kept. Checksums cover each bit
/// of it, and are compared when it is read. Arrays and values are referred to: they outlive the checkpoint, or
/// at least its last call. An array that is swapped with another, or replaced, is written as it then is; a
/// slice stays with its elements.
class Checkpoint {
 public:
  /// Nothing is read or written yet. A relative prefix means the same files when the program has changed its
  /// directory. @collective @throws UsageError if `keep` is not positive, or the prefix ends with no name
  Checkpoint(const Group& group, const std::filesystem::path& prefix, const CheckpointOptions& options = {});
  /// Gives up what was written behind the program's back and not completed, and the path. Waits for this
  /// process's own writing to stop. @local
  ~Checkpoint();
  Checkpoint(Checkpoint&&) noexcept;
  Checkpoint& operator=(Checkpoint&&) noexcept;

  /// Adds an array or a part of one, under the name of its dataset, which may be a path. @collective
  /// @throws UsageError if the name is taken, begins with "tessera_", has an empty part, "." or "..", is longer
  /// than 1024 bytes or no UTF-8 text that can be seen, an element is larger than 64 MiB, or the array is of
  /// another group
  template <Element T, std::size_t N>
  void add(std::string_view name, Array<T, N>& array) {
    add_array(name, array.core_owner());
  }
  template <Element T, std::size_t N>
  void add(std::string_view name, const Slice<T, N>& slice) requires(!std::is_const_v<T>) {
    add_slice(name, slice.core());
  }
  /// Adds a value that every rank has: that of rank 0 is written, and every rank's is set by restore().
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

  /// Takes the path for this job now instead of at the first write. @collective
  /// @throws IoError on every rank if another job has it, what is there is no lock of this user's, or no file
  /// can be made there
  void claim();
  /// Writes a new generation with everything as it is now. Each rank needs memory for a tile of 1 MiB. The path
  /// is taken, or taken again if its lock was removed or moved away. @collective
  /// @throws IoError on every rank if another job writes to the path, or the file cannot be written: the older
  /// generations are then untouched, and no file is left. @completion it is on disk under its name.
  void write(std::int64_t step);
  /// The same behind the program's back: takes a copy of everything, which is all that the program waits for,
  /// and writes it in a thread of low priority on each rank. The arrays may be changed at once. It is complete
  /// only after wait(), or after the next collective call here. Needs as much memory as the arrays, evenly on
  /// all ranks, until then. @collective @throws as write
  PendingCheckpoint write_async(std::int64_t step);
  /// Reads the newest generation that is not damaged into the arrays and values; nothing if there is none at
  /// all. Ghost cells are not updated. @collective
  /// @throws IoError on every rank if all are damaged (the message says how; the arrays are then unspecified,
  /// the values untouched), or the newest has other arrays than were added: one is missing, or of another type
  /// or shape.
  /// @completion visible to every rank.
  std::optional<Restored> restore();
  /// The step of the newest generation that this Checkpoint has written, begun to write, or restored; nothing
  /// if there is none, or if what was begun failed. A program that is at this step, and has changed nothing
  /// since, need not write it again. @local
  std::optional<std::int64_t> last_step() const;
  /// Completes what is under way and gives up the path. It may be used again. @collective @throws as write
  void close();

 private:
  detail::CheckpointState& state() const;
  void add_array(std::string_view name, tessera::detail::CoreOwner& array);
  void add_slice(std::string_view name, const tessera::detail::SliceCore& slice);
  void add_value(std::string_view name, detail::StoredValue value);

  std::shared_ptr<detail::CheckpointState> state_;
};

}  // namespace tessera::io
