// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>

#include <tessera/index.hpp>
#include <tessera/runtime/group.hpp>

/// What a programmer writes without a library for arrays.
namespace tessera::benchmark::io {

/// A file of the ranks' parts one after another, by pwrite and pread. What is written is as safe as by save():
/// it goes to a file of another name, whose space is taken first, and is on disk before that is renamed; or,
/// to be compared with what does less, over the file of the time before.
class PlainFile {
 public:
  /// @collective
  PlainFile(const Group& group, std::filesystem::path path, index_t own_bytes, bool overwrite);
  /// @collective @throws Error on the rank where it fails, as all of these
  void write(std::span<const std::byte> own) const;
  void read(std::span<std::byte> own) const;

 private:
  Group group_;
  std::filesystem::path path_, written_;
  index_t total_, first_;
};

/// What a rank has of a matrix, as H5Sselect_hyperslab takes it: blocks at even distances.
struct Selection {
  std::array<index_t, 2> start, stride, count, block;
  index_t rows() const noexcept { return count[0] * block[0]; }
  index_t columns() const noexcept { return count[1] * block[1]; }
};

/// A dataset of doubles that every rank moves its hyperslab of, collectively, with the usual HDF5 calls. It is
/// written as PlainFile does: space first, on disk, then renamed.
class HyperslabFile {
 public:
  /// @local; `calls`: into how many each transfer is split, as MPI-IO takes less than 2 GiB at once; the same
  /// on every rank
  HyperslabFile(const Group& group, std::filesystem::path path, const Extents<2>& dims, const Selection& own,
                int calls);
  /// The rank's part in row-major order. @collective @throws as above
  void write(const double* own) const;
  void read(double* own) const;

 private:
  template <class Move>
  void move(std::int64_t dataset, Move&& move) const;

  Group group_;
  std::filesystem::path path_;
  Extents<2> dims_;
  Selection own_;
  int calls_;
};

}  // namespace tessera::benchmark::io
