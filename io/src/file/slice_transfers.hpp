// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "hdf5/hdf5.hpp"
#include "posix/descriptor.hpp"

// Transfers between slices of arrays and parts of datasets. All errors are thrown on every rank.
namespace tessera::io::detail {

/// Where a slice lies in a dataset: its first element is at `origin`, and its dimensions are the last ones of
/// the dataset.
struct DatasetPlace {
  int rank;
  tessera::detail::Coordinates origin{};
};

/// Tries what could fail on some ranks only in a write of a slice, then opens the dataset anew. Part of a step
/// of all ranks.
void try_to_write(const hdf5::File& file, const std::string& name, hdf5::Dataset& dataset,
                  const DatasetPlace& place, const tessera::detail::SliceCore& slice);
/// Writes all elements of a slice. What other ranks have put there must be visible already. @collective
hdf5::Account write_slice(const hdf5::Dataset& dataset, const DatasetPlace& place,
                          const tessera::detail::SliceCore& slice, const std::string& context);
/// Reads all elements of a slice, which are then visible to every rank. Earlier operations must be complete.
/// @collective
hdf5::Account read_slice(const hdf5::Dataset& dataset, const DatasetPlace& place,
                         const tessera::detail::SliceCore& slice, const std::string& context);
/// Like read_slice, for a dataset whose elements lie in the file from `offset` on as they would in memory.
/// Reads tile by tile, without HDF5 and without a copy of the whole. @collective
void read_tiles_of(const tessera::detail::SliceCore& slice, const Descriptor& file, index_t offset,
                   const std::string& context);

/// Writes attributes that describe the array of a dataset. Part of a step of all ranks.
void write_description(const hdf5::Dataset& dataset, const tessera::detail::SliceCore& slice);

/// Of a patch, which may be null, for comparison between ranks. @local
tessera::detail::Fingerprint fingerprint_of(const tessera::detail::Box* patch, int rank);
/// The extents of a slice, in the type of a dataset's extents. @local
std::vector<hsize_t> dims_of(const tessera::detail::SliceCore& slice);
/// Throws IoError unless a dataset has as many dimensions as expected. @local
void require_rank(const std::vector<hsize_t>& dims, int rank);
/// Throws IoError unless a slice has these extents. @local
void require_extents(const std::vector<hsize_t>& dims, const tessera::detail::SliceCore& slice);
/// Throws IoError unless a slice has the extents of a patch, and the patch is inside the dataset. @local
void require_patch(const std::vector<hsize_t>& dims, const tessera::detail::Box& patch,
                   const tessera::detail::SliceCore& slice);

}  // namespace tessera::io::detail
