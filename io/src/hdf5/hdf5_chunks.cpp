// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <array>
#include <cstddef>

#include "base/box_chunks.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

// Looks for errors that would occur on the one rank that HDF5 lets write a chunk, while the others wait for it.
namespace tessera::io::hdf5 {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;

void require_filters(const Properties& creation, int count) {
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, abilities = 0;
    std::size_t values = 0;
    std::array<char, 80> name{};
    const H5Z_filter_t filter = check(H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags, &values,
                                                     nullptr, name.size() - 1, name.data(), nullptr),
                                      "H5Pget_filter2");
    if ((flags & H5Z_FLAG_OPTIONAL) != 0) continue;
    const bool is_there = H5Zfilter_avail(filter) > 0 && H5Zget_filter_info(filter, &abilities) >= 0 &&
                          (abilities & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0;
    if (!is_there) {
      throw IoError(
          formatted("the dataset is packed with filter {} (\"{}\"), which this HDF5 cannot write with", filter,
                    name.data()));
    }
  }
}

// Reads one element, for which HDF5 unpacks the chunk.
void read_element(const Dataset& dataset, const Coordinates& at, int rank) {
  std::array<hsize_t, static_cast<std::size_t>(max_rank)> start{}, size{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
    start[d] = static_cast<hsize_t>(at[d]), size[d] = 1;
  const Space file(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  const Space memory(check(H5Screate(H5S_SCALAR), "H5Screate"));
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
        "H5Sselect_hyperslab");
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  std::vector<std::byte> element(H5Tget_size(type.get()));
  check(H5Dread(dataset.get(), type.get(), memory.get(), file.get(), H5P_DEFAULT, element.data()),
        "a part of the dataset that is to be changed cannot be unpacked; is the file damaged?");
}

// Tries the chunks that a box covers only in part.
void try_piece(const Dataset& dataset, const Properties& creation, const Box& box, int rank) {
  const auto dims = extents(dataset);
  std::vector<hsize_t> chunk(dims.size());
  check(H5Pget_chunk(creation.get(), rank, chunk.data()), "H5Pget_chunk");
  const auto count = static_cast<std::size_t>(rank);
  const auto size = [&](std::size_t d) { return static_cast<index_t>(chunk[d]); };
  Coordinates first{};
  for (std::size_t d = 0; d < count; ++d) {
    if (box.lo[d] >= box.hi[d]) return;
    first[d] = box.lo[d] / size(d) * size(d);
  }
  for (Coordinates at = first;;) {
    bool is_whole = true, is_there = true;
    for (std::size_t d = 0; d < count; ++d) {
      is_whole = is_whole && box.lo[d] <= at[d] && box.hi[d] >= at[d] + size(d);
      is_there = is_there && at[d] < static_cast<index_t>(dims[d]);
    }
    if (!is_whole && is_there) read_element(dataset, at, rank);
    std::size_t d = count;
    while (d > 0 && (at[d - 1] += size(d - 1)) >= box.hi[d - 1]) {
      at[d - 1] = first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace

void try_chunks(const Dataset& dataset, const Memory& memory, const Box& box, int rank) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return;
  const int filters = check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters");
  if (filters == 0) return;
  require_filters(creation, filters);
  H5D_space_status_t status{};
  check(H5Dget_space_status(dataset.get(), &status), "H5Dget_space_status");
  if (status == H5D_SPACE_STATUS_NOT_ALLOCATED) return;
  const detail::BoxChunks pieces(box, rank, memory.stride, max_bytes);
  for (index_t i = 0; i < pieces.count(); ++i) try_piece(dataset, creation, pieces.piece(i), rank);
}

}  // namespace tessera::io::hdf5
