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

/// Writes arrays and slices of one group to an HDF5 file, one dataset each, in the order of their indices
/// (row-major), so that h5dump, h5py and any number of ranks read them. An existing file is replaced: data goes
/// to a temporary name beside it, which is renamed when it is complete and on disk; if anything fails the old
/// file stays as it was. Each rank writes about as many bytes, runs of 1 MiB in the order of the file; what
/// does not lie so in its node's memory is gathered in a buffer of that size. A name may be a path, as
/// "run/density": its HDF5 groups are made. Complex elements become compounds {r, i} (complex to h5py),
/// elements that are not arithmetic become opaque bytes. @collective
/// @throws IoError on every rank (Hdf5Error if HDF5 failed); UsageError if there are no arrays, they
/// are of several groups, or a name is empty, given twice or would be a dataset and an HDF5 group. @completion
/// the file is complete and on disk.
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
