// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tessera/io/disk_array.hpp>

#include "base/box_chunks.hpp"
#include "disk_array/disk_worker.hpp"
#include "posix/descriptor.hpp"

namespace tessera::io::detail {

/// An open disk array.
class DiskState {
 public:
  Group group;
  std::filesystem::path path;
  std::string name;
  std::vector<index_t> dims;
  tessera::detail::ElementType type{};
  bool is_writable = false, is_open = false;
  DiskOptions options;
  // Either this process reads and writes the file itself,
  Descriptor file;
  index_t offset = -1;
  // or HDF5 does it.
  std::optional<File> through_hdf5;

  /// Sections that are being moved; the same on every rank.
  struct Move {
    DiskArrayCore::Direction direction;
    tessera::detail::Box section;
  };
  std::list<Move> moves;
  DiskWorker worker;  // the last member: its jobs use the others

  std::string context(std::string_view what) const;
  /// Moves a dense row-major box of the array between memory and the file. @local
  /// @return the problem, or nothing
  std::string transfer(DiskArrayCore::Direction direction, const tessera::detail::Box& box,
                       std::byte* data) const;
};

/// The transfer of one section, in pieces that fit the buffer.
class DiskTransfer {
 public:
  using Direction = DiskArrayCore::Direction;
  /// @collective
  DiskTransfer(std::shared_ptr<DiskState> state, Direction direction, const tessera::detail::Box& section,
               const tessera::detail::SliceCore& slice);
  ~DiskTransfer();
  DiskTransfer(const DiskTransfer&) = delete;
  DiskTransfer& operator=(const DiskTransfer&) = delete;
  /// @collective
  void wait();
  bool test() { return !outcome_ || outcome_->is_known(); }

 private:
  void stage(index_t piece);
  void start();
  void finish();
  tessera::detail::SliceCore part(const tessera::detail::Box& piece) const;

  std::shared_ptr<DiskState> state_;
  Direction direction_;
  tessera::detail::Box section_;
  tessera::detail::SliceCore slice_;
  BoxChunks pieces_;
  index_t next_ = 0;  // the next piece
  std::list<DiskState::Move>::iterator move_;
  std::optional<tessera::detail::ArrayCore> buffer_;  // holds the piece before next_
  tessera::detail::Box here_{};                       // this rank's part of that piece, in the disk array
  std::unique_ptr<Outcome> outcome_;                  // of the job that moves it
};

}  // namespace tessera::io::detail
