// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <tessera/io/file.hpp>
#include <tessera/runtime/group.hpp>

#include "base/collectively.hpp"
#include "file/dropped_files.hpp"
#include "file/open_checks.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_losses.hpp"

namespace tessera::io::detail {

/// An open file, and what its group must know about it.
class FileState {
 public:
  /// @collective
  FileState(const Group& group, std::filesystem::path path, Mode mode);
  /// Leaves a file that is still open to the next FileState of its group, which closes it.
  ~FileState();
  FileState(const FileState&) = delete;
  FileState& operator=(const FileState&) = delete;

  const Group& group() const noexcept { return open_.group; }
  const std::filesystem::path& path() const noexcept { return path_; }
  const hdf5::File& file() const noexcept { return open_.file.hdf5; }
  /// A descriptor of the same file, even if its name has changed or is gone.
  const Descriptor& bytes() const noexcept { return open_.file.bytes; }
  /// Takes the descriptor; afterwards the file may only be closed.
  Descriptor take_bytes() noexcept { return std::move(open_.file.bytes); }
  bool is_open() const noexcept { return static_cast<bool>(file()); }
  bool is_writable() const noexcept { return is_writable_; }
  /// @collective
  void close();
  /// What messages begin with: "write of dataset "a" in run.h5". @local
  /// @throws UsageError if HDF5 would take the name for another one
  std::string context(std::string_view what, std::string_view name) const;
  /// Throws UsageError unless the file is open (and may be written). @local
  void require_open() const;
  void require_writable(const std::string& context) const;
  /// Throws UsageError on every rank unless all make the same call, with the same arguments. @collective
  void require_agreement(const std::string& context, const tessera::detail::Fingerprint& arguments) const;
  /// Begins a transfer: makes visible what other ranks have put into the slice. @collective
  /// @throws UsageError if the slice is of another group, or ranks disagree, also on other `arguments`
  void begin(const std::string& context, const tessera::detail::SliceCore& slice,
             tessera::detail::Fingerprint arguments) const;
  /// Like require_shared, but once for each dataset, as the visit of all chunks takes time. Part of a step.
  void require_shared(const hdf5::Dataset& dataset, const std::string& name);
  /// Reserves disk space for `bytes` bytes of elements before HDF5 needs it, because HDF5 does not survive a
  /// full disk. With Use::now they are written at once; with Use::later the space is kept for later.
  /// @collective
  /// @throws IoError on every rank
  enum class Use { now, later };
  void take_space(index_t bytes, Use use, const std::string& context);
  /// Writes what HDF5 holds back. @collective
  void flush(const std::string& context);

  /// Runs a step of all ranks. It is an error if HDF5 loses data meanwhile. @collective
  template <class Step>
  void step(const std::string& context, Step&& work) {
    const hdf5::Silence silence;
    while_whole([&] { collectively(group(), context, [&] { hdf5::without_loss(work); }); });
  }
  /// Runs an action whose errors are thrown on every rank. If part of the file was lost, the file is then
  /// closed. @collective
  template <class Action>
  auto while_whole(Action&& action) {
    try {
      return action();
    } catch (const IoError&) {
      drop_if_damaged();
      throw;
    }
  }
  /// Returns `found`, on which all ranks must agree, because the calls that follow depend on it. @collective
  /// @throws IoError unless all ranks have found the same
  bool agreed(const std::string& context, bool found);

  TransferReport last;

 private:
  void create(bool exclusive, const std::string& context);
  void fill_new(const std::string& context);
  void drop() noexcept;
  void drop_if_damaged();

  std::filesystem::path path_;
  GroupFile open_;
  bool is_writable_;
  std::set<std::string> shared_;  // datasets that have passed require_shared: their chunks keep their space
  index_t kept_ = 0;              // end of the space that is kept for later; on rank 0
  index_t for_structure_ = 0;     // of it, for what HDF5 holds back until it is flushed
};

}  // namespace tessera::io::detail
