// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::ElementType;

// Why no process can move the elements without HDF5, whatever their order; empty if it can.
std::string obstacle(const File& file, const Dataset& dataset, const Properties& creation,
                     const ElementType& type) {
  if (!has_same_bytes(dataset, type)) {
    return formatted("the dataset's elements of {} are not stored as {} is in memory", describe_type(dataset),
                     tessera::detail::to_string(type));
  }
  H5O_info_t root, found;
  check(H5Oget_info(file.get(), &root), "H5Oget_info");
  check(H5Oget_info(dataset.get(), &found), "H5Oget_info");
  if (root.fileno != found.fileno) return "a link leads to the dataset in another file";
  if (H5Pget_external_count(creation.get()) != 0) return "the dataset's elements are in other files";
  return {};
}

Properties creation_of(const Dataset& dataset) {
  return Properties(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
}

// -1 if it has no space in the file. Of such a dataset behind a user block, HDF5 gives the block's last byte.
index_t contiguous_offset(const Dataset& dataset) {
  if (H5Dget_storage_size(dataset.get()) == 0) return -1;
  const haddr_t offset = H5Dget_offset(dataset.get());
  return offset == HADDR_UNDEF ? -1 : static_cast<index_t>(offset);
}

// Whether chunk after chunk lies in the file in the order of their indices.
bool is_in_order(const File& file, const Dataset& dataset, const Properties& creation) {
  if (check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters") > 0) return false;
  H5D_chunk_index_t index{};
  check(H5Dget_chunk_index_type(dataset.get(), &index), "H5Dget_chunk_index_type");
  if (index != H5D_CHUNK_IDX_NONE && index != H5D_CHUNK_IDX_SINGLE) return false;
  // HDF5 numbers chunks by the most extents.
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  const auto chunk = storage(dataset).chunk;
  std::vector<hsize_t> dims(chunk.size()), most(chunk.size());
  check(H5Sget_simple_extent_dims(space.get(), dims.data(), most.data()), "H5Sget_simple_extent_dims");
  for (std::size_t d = 1; d < chunk.size(); ++d) {
    if (most[d] == H5S_UNLIMITED || (most[d] - 1) / chunk[d] != (dims[d] - 1) / chunk[d]) return false;
  }
  // Before a user block, HDF5 1.10 counts the places of chunks from another byte than that of the file.
  const Properties of_file(check(H5Fget_create_plist(file.get()), "H5Fget_create_plist"));
  hsize_t user_block = 0;
  check(H5Pget_userblock(of_file.get(), &user_block), "H5Pget_userblock");
  return user_block == 0;
}

index_t first_chunk(const Dataset& dataset, std::size_t rank) {
  const std::vector<hsize_t> first(rank);
  haddr_t offset = HADDR_UNDEF;
  hsize_t bytes = 0;
  unsigned filters = 0;
  check(H5Dget_chunk_info_by_coord(dataset.get(), first.data(), &filters, &offset, &bytes),
        "H5Dget_chunk_info_by_coord");
  return offset == HADDR_UNDEF ? -1 : static_cast<index_t>(offset);
}

// A damaged file may give any place. Writing there would damage it further.
void require_inside(const File& file, const Places& places, const std::vector<hsize_t>& dims,
                    index_t element_bytes) {
  hsize_t size = 0, bytes = static_cast<hsize_t>(element_bytes);
  check(H5Fget_filesize(file.get(), &size), "H5Fget_filesize");
  bool is_inside = static_cast<hsize_t>(places.offset) <= size;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto tile = static_cast<hsize_t>(places.tile[d]);
    const hsize_t tiles = tile == 0 ? 0 : (dims[d] + tile - 1) / tile;
    is_inside = is_inside && !__builtin_mul_overflow(bytes, tiles * tile, &bytes);
  }
  if (is_inside && bytes <= size - static_cast<hsize_t>(places.offset)) return;
  throw IoError(formatted("the dataset's {} bytes at byte {} end beyond the file of {} bytes; is it damaged?",
                          bytes, places.offset, size));
}

}  // namespace

Places places_in_file(const File& file, const Dataset& dataset, const ElementType& type) {
  const auto dims = extents(dataset);
  const Properties creation = creation_of(dataset);
  Places places{{dims.begin(), dims.end()}, -1, obstacle(file, dataset, creation, type)};
  if (!places.unknown_because.empty()) return places;
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_CONTIGUOUS) {
    places.offset = contiguous_offset(dataset);
  } else if (layout == H5D_CHUNKED && is_in_order(file, dataset, creation)) {
    const auto chunk = storage(dataset).chunk;
    places.tile.assign(chunk.begin(), chunk.end());
    places.offset = first_chunk(dataset, dims.size());
  } else {
    places.unknown_because = layout == H5D_CHUNKED ? "its chunks are compressed, or not in order"
                                                   : "it is a compact or virtual dataset";
    return places;
  }
  if (places.offset < 0)
    places.unknown_because = "it has no space in the file yet";
  else
    require_inside(file, places, dims, type.size);
  return places;
}

index_t offset_in_file(const File& file, const Dataset& dataset, const ElementType& type) {
  const Properties creation = creation_of(dataset);
  const bool is_in_place =
      obstacle(file, dataset, creation, type).empty() && H5Pget_layout(creation.get()) == H5D_CONTIGUOUS;
  return is_in_place ? contiguous_offset(dataset) : -1;
}

}  // namespace tessera::io::hdf5
