// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/box_chunks.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

// Looks for errors that would occur on the one rank that HDF5 lets write a chunk, while the others wait for it;
// and gives chunks the space that HDF5 cannot give them in a parallel program.
namespace tessera::io::hdf5 {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;

// Filters that pack every chunk. Others leave some chunks as they are, and note this beside the chunk.
// HDF5 1.10 ignores the note in a parallel program: the chunk is then wrong, or one rank fails while the others
// wait.
bool packs_everything(H5Z_filter_t filter) {
  constexpr std::array known{H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, H5Z_FILTER_NBIT,
                             H5Z_FILTER_SCALEOFFSET};
  return std::find(known.begin(), known.end(), filter) != known.end();
}

void require_filters(const Properties& creation, int count) {
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, abilities = 0;
    std::size_t values = 0;
    std::array<char, 80> name{};
    const H5Z_filter_t filter = check(H5Pget_filter2(creation.get(), static_cast<unsigned>(i), &flags, &values,
                                                     nullptr, name.size() - 1, name.data(), nullptr),
                                      "H5Pget_filter2");
    const bool is_there = H5Zfilter_avail(filter) > 0 && H5Zget_filter_info(filter, &abilities) >= 0 &&
                          (abilities & H5Z_FILTER_CONFIG_ENCODE_ENABLED) != 0;
    if (is_there && packs_everything(filter)) continue;
    throw IoError(formatted(
        "the dataset is packed with filter {} (\"{}\"), which this HDF5 cannot write with{}; pack it with gzip "
        "(h5repack -f GZIP=4), or write under another name",
        filter, name.data(), is_there ? " in a parallel program" : ""));
  }
}

// Chunks that a filter has left as they are, though others are packed.
void require_packed(const Dataset& dataset, const Coordinates& at, int rank) {
  std::array<hsize_t, static_cast<std::size_t>(max_rank)> first{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) first[d] = static_cast<hsize_t>(at[d]);
  unsigned left_out = 0;
  haddr_t place = HADDR_UNDEF;
  hsize_t bytes = 0;
  check(H5Dget_chunk_info_by_coord(dataset.get(), first.data(), &left_out, &place, &bytes),
        "H5Dget_chunk_info_by_coord");
  if (place == HADDR_UNDEF || left_out == 0) return;
  throw IoError(
      "some chunks of the dataset are not packed as the others are, and HDF5 cannot write them in a parallel "
      "program; copy the file with h5repack first, or write under another name");
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
    if (is_there) require_packed(dataset, at, rank);
    if (!is_whole && is_there) read_element(dataset, at, rank);
    std::size_t d = count;
    while (d > 0 && (at[d - 1] += size(d - 1)) >= box.hi[d - 1]) {
      at[d - 1] = first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

// A chunk of fill values.
std::vector<std::byte> fill_values(const Properties& creation, const Type& type,
                                   const std::vector<hsize_t>& chunk) {
  const std::size_t size = H5Tget_size(type.get());
  std::vector<std::byte> one(size);
  H5D_fill_value_t defined{};
  check(H5Pfill_value_defined(creation.get(), &defined), "H5Pfill_value_defined");
  if (defined != H5D_FILL_VALUE_UNDEFINED)
    check(H5Pget_fill_value(creation.get(), type.get(), one.data()), "H5Pget_fill_value");
  std::size_t count = 1;
  for (const hsize_t extent : chunk) count *= static_cast<std::size_t>(extent);
  std::vector<std::byte> all(count * size);
  for (std::size_t i = 0; i < count; ++i) std::memcpy(all.data() + i * size, one.data(), size);
  return all;
}

// A chunk as its filters leave it. HDF5 applies them when it writes a file that is in memory only.
std::vector<std::byte> packed(const Properties& creation, const Type& type, const std::vector<hsize_t>& chunk,
                              const std::vector<std::byte>& elements) {
  const Properties in_memory(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_fapl_core(in_memory.get(), std::size_t{1} << 20, 0), "H5Pset_fapl_core");
  const File file(check(H5Fcreate("a chunk", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory.get()), "H5Fcreate"));
  const Space space(
      check(H5Screate_simple(static_cast<int>(chunk.size()), chunk.data(), nullptr), "H5Screate_simple"));
  const Dataset dataset(
      check(H5Dcreate2(file.get(), "chunk", type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
            "H5Dcreate"));
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, elements.data()), "H5Dwrite");
  check(H5Dflush(dataset.get()), "H5Dflush");
  const std::vector<hsize_t> first(chunk.size());
  hsize_t bytes = 0;
  check(H5Dget_chunk_storage_size(dataset.get(), first.data(), &bytes), "H5Dget_chunk_storage_size");
  std::vector<std::byte> found(static_cast<std::size_t>(bytes));
  std::uint32_t filters = 0;
  check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, first.data(), &filters, found.data()), "H5Dread_chunk");
  if (filters != 0) throw IoError("a filter of the dataset leaves chunks of fill values as they are");
  return found;
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

void give_space(const Dataset& dataset, hsize_t begin) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  const auto dims = extents(dataset), chunk = storage(dataset).chunk;
  if (chunk.empty() || std::find(dims.begin(), dims.end(), hsize_t{0}) != dims.end()) return;
  std::vector<hsize_t> at(dims.size());
  at[0] = (begin + chunk[0] - 1) / chunk[0] * chunk[0];
  if (at[0] >= dims[0]) return;
  // If HDF5 has given the first one space, it has so with all.
  haddr_t place = HADDR_UNDEF;
  check(H5Dget_chunk_info_by_coord(dataset.get(), at.data(), nullptr, &place, nullptr),
        "H5Dget_chunk_info_by_coord");
  if (place != HADDR_UNDEF) return;
  unsigned options = 0;
  check(H5Pget_chunk_opts(creation.get(), &options), "H5Pget_chunk_opts");
  if (options != 0) {
    throw IoError(
        "chunks at the ends of the dataset are not packed as the others are, and HDF5 cannot add such chunks "
        "in "
        "a parallel program; copy the file with h5repack first, or write under another name");
  }
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  std::vector<std::byte> stored = fill_values(creation, type, chunk);
  if (check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters") > 0)
    stored = packed(creation, type, chunk, stored);
  while (at[0] < dims[0]) {
    check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, at.data(), stored.size(), stored.data()),
          "a new chunk of the dataset gets no space");
    std::size_t d = dims.size() - 1;
    while ((at[d] += chunk[d]) >= dims[d] && d > 0) at[d--] = 0;
  }
}

}  // namespace tessera::io::hdf5
