// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <tessera/io/error.hpp>
#include <tessera/slice.hpp>

namespace tessera::io {

/// An array or slice and the name of its dataset. Refers to the array. @local
class Item {
 public:
  template <Operand A>
  Item(std::string_view dataset, const A& array) : dataset_(dataset), slice_(slice_of(array).core()) {}
  /// The same with run-time rank; for Tessera's own modules.
  Item(std::string_view dataset, const tessera::detail::SliceCore& slice) : dataset_(dataset), slice_(slice) {}
  const std::string& dataset() const noexcept { return dataset_; }
  const tessera::detail::SliceCore& slice() const noexcept { return slice_; }

 private:
  std::string dataset_;
  tessera::detail::SliceCore slice_;
};

namespace detail {
void save(const std::filesystem::path& path, std::span<const Item> items);
}

/// Writes arrays and slices of one group to an HDF5 file, one dataset each, in row-major order. h5dump, h5py
/// and any number of ranks can read them.
///
/// An existing file is replaced. Data goes to a temporary file beside it, which is renamed when it is complete
/// and on disk. If anything fails, the old file stays as it was.
///
/// Each rank writes about the same number of bytes, in runs of 1 MiB in file order. A run that is not
/// contiguous in its node's memory is gathered in a buffer of that size.
///
/// A name may be a path such as "run/density", whose HDF5 groups are created. Complex elements become compounds
/// {r, i}, which h5py reads as complex. Elements that are not arithmetic become opaque bytes. @collective
/// @throws IoError on every rank (Hdf5Error if HDF5 failed), also if this program has the file open for writing
/// as a File or DiskArray. UsageError if there are no arrays, or they are of
/// several groups. Also if a name is empty, given twice, or would be both a dataset and an HDF5 group.
/// @completion the file is complete and on disk.
inline void save(const std::filesystem::path& path, std::span<const Item> items) { detail::save(path, items); }
/// The same for a list in braces: save(file, {{"density", d}, {"fock", f}}). @collective
inline void save(const std::filesystem::path& path, std::initializer_list<Item> items) {
  detail::save(path, {items.begin(), items.size()});
}

/// The same for one array or slice. @collective
template <Operand A>
void save(const std::filesystem::path& path, std::string_view dataset, const A& array) {
  save(path, {Item(dataset, array)});
}

}  // namespace tessera::io
