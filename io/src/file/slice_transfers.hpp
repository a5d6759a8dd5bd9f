// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/core/slice_core.hpp>

#include "hdf5/hdf5.hpp"
#include "posix/descriptor.hpp"

// What moves between slices of arrays and parts of datasets; all errors come on every rank.
namespace tessera::io::detail {

/// Where a slice lies in a dataset: its first element is at `origin`, and its dimensions are the last ones
/// there.
struct DatasetPlace {
  int rank;
  tessera::detail::Coordinates origin{};
};

/// Tries what could fail on some ranks only when a slice is written, and opens the dataset anew. Part of a step
/// of all ranks.
void try_to_write(const hdf5::File& file, const std::string& name, hdf5::Dataset& dataset,
                  const DatasetPlace& place, const tessera::detail::SliceCore& slice);
/// Writes all elements of a slice; what others have put there is visible already. @collective
hdf5::Account write_slice(const hdf5::Dataset& dataset, const DatasetPlace& place,
                          const tessera::detail::SliceCore& slice, const std::string& context);
/// Reads all of them; they are visible to every rank then. What was to be done before is done. @collective
hdf5::Account read_slice(const hdf5::Dataset& dataset, const DatasetPlace& place,
                         const tessera::detail::SliceCore& slice, const std::string& context);
/// The same for a dataset whose elements lie in the file from `offset` on as they would in memory: tile by
/// tile, without HDF5, and without a copy of the whole in any layout. @collective
void read_tiles_of(const tessera::detail::SliceCore& slice, const Descriptor& file, index_t offset,
                   const std::string& context);

/// What files say about the array that a dataset comes from, as attributes. Part of a step of all ranks.
void write_description(const hdf5::Dataset& dataset, const tessera::detail::SliceCore& slice);

/// The extents of a slice as those of datasets. @local
std::vector<hsize_t> dims_of(const tessera::detail::SliceCore& slice);
/// Throws IoError unless a dataset has as many dimensions as expected. @local
void require_rank(const std::vector<hsize_t>& dims, int rank);
/// Throws IoError unless a slice has these extents. @local
void require_extents(const std::vector<hsize_t>& dims, const tessera::detail::SliceCore& slice);
/// Throws IoError unless a slice has the extents of a patch, and that is inside. @local
void require_patch(const std::vector<hsize_t>& dims, const tessera::detail::Box& patch,
                   const tessera::detail::SliceCore& slice);

}  // namespace tessera::io::detail
