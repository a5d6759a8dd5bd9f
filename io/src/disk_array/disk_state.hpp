// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/io/disk_array.hpp>

#include "disk_array/disk_places.hpp"
#include "disk_array/disk_worker.hpp"
#include "disk_array/section_transfer.hpp"
#include "disk_array/sections_in_transfer.hpp"
#include "posix/descriptor.hpp"
#include "posix/only_writer.hpp"

namespace tessera::io::detail {

/// An open disk array.
class DiskState {
 public:
  /// Checks the mode and the options. @local @throws UsageError
  DiskState(const Group& group, const std::filesystem::path& path, std::string_view name,
            const tessera::detail::ElementType& type, std::size_t rank, Mode mode, const DiskOptions& options);

  Group group;
  std::filesystem::path path;
  std::string name;
  std::vector<index_t> dims;
  tessera::detail::ElementType type;
  bool is_writable = false, is_open = false;
  DiskOptions options;
  // Either this process reads and writes the file itself,
  Descriptor file;
  DiskPlaces places;
  OnlyWriter writer;  // of the elements, if it is writable
  // or HDF5 does it, because this process cannot.
  std::optional<File> through_hdf5;
  std::string only_hdf5_because;

  SectionsInTransfer sections;
  DiskWorker worker;  // the last member: its jobs use the others

  std::string context(std::string_view what) const;
  /// A section in words: "[0:5, 0:10)". @local
  std::string text(const tessera::detail::Box& section) const;
  /// Why a section may not be moved: the array is closed or only for reading, the section is not inside, or the
  /// memory has other extents. Empty if it may. @local
  std::string misuse(DiskDirection direction, const tessera::detail::Box& section, const index_t* extents,
                     std::string_view memory) const;
  /// Throws on every rank unless all of them may move these sections of the array and of `slice` together.
  /// Else completes what was written to both before. @collective @throws UsageError
  void begin(DiskDirection direction, const tessera::detail::Box& section,
             const tessera::detail::SliceCore& slice);
  /// That the section is in conflict with a collective transfer that has not been waited for; else empty.
  /// @local
  std::string conflict(DiskDirection direction, const tessera::detail::Box& section);
  /// Moves a box of the array between memory and the file. @local @return the problem, or nothing
  std::string transfer(DiskDirection direction, const tessera::detail::Box& box,
                       const SectionMemory& memory) const;
};

}  // namespace tessera::io::detail
