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

/// A file of the ranks' parts one after another, by pwrite and pread. It is written as safely as by save(): to
/// a file of another name, whose space is allocated first, and which is on disk before it is renamed. With
/// `overwrite` it is written over the file of the time before, to compare with a program that does less.
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

/// A rank's part of a matrix, as H5Sselect_hyperslab takes it: blocks at even distances.
struct Selection {
  std::array<index_t, 2> start, stride, count, block;
  index_t rows() const noexcept { return count[0] * block[0]; }
  index_t columns() const noexcept { return count[1] * block[1]; }
};

/// A dataset of doubles. Every rank moves its hyperslab, collectively, with the usual HDF5 calls. It is written
/// as by PlainFile: space first, on disk, then renamed.
class HyperslabFile {
 public:
  /// @local; `calls`: into how many calls each transfer is split, because MPI-IO takes less than 2 GiB at once.
  /// It is the same on every rank.
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
