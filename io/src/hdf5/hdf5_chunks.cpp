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

// The bytes of a chunk in the file, 0 if it has no space there. HDF5 1.10 finds it by its place, whereas its
// H5Dget_chunk_info_by_coord, H5Dget_num_chunks and H5Dget_space_status visit all chunks that the dataset may
// ever have.
hsize_t bytes_of_chunk(const Dataset& dataset, const std::vector<hsize_t>& first) {
  hsize_t bytes = 0;
  return H5Dget_chunk_storage_size(dataset.get(), first.data(), &bytes) < 0 ? 0 : bytes;
}

// The chunks from the one that begins at `begin` to those that begin before `end`.
struct Chunks {
  std::vector<hsize_t> begin, end, size;

  bool are_none() const {
    for (std::size_t d = 0; d < begin.size(); ++d) {
      if (begin[d] >= end[d]) return true;
    }
    return size.empty();
  }
  // Goes to the next one; false behind the last.
  bool next(std::vector<hsize_t>& at) const {
    std::size_t d = at.size();
    while (d > 0 && (at[d - 1] += size[d - 1]) >= end[d - 1]) {
      at[d - 1] = begin[d - 1];
      --d;
    }
    return d > 0;
  }
};

// None unless the dataset has chunks.
Chunks all_chunks(const Dataset& dataset) {
  auto dims = extents(dataset);
  return {std::vector<hsize_t>(dims.size()), std::move(dims), storage(dataset).chunk};
}

// Those that a box touches, which may lie beyond the end of the dataset.
Chunks touched_chunks(const Dataset& dataset, const Box& box, int rank) {
  Chunks chunks = all_chunks(dataset);
  for (std::size_t d = 0; d < chunks.size.size() && d < static_cast<std::size_t>(rank); ++d) {
    const auto lo = static_cast<hsize_t>(box.lo[d]);
    chunks.begin[d] = lo / chunks.size[d] * chunks.size[d];
    chunks.end[d] = std::min(chunks.end[d], static_cast<hsize_t>(box.hi[d]));
    if (box.lo[d] >= box.hi[d]) chunks.end[d] = chunks.begin[d];
  }
  return chunks;
}

bool lacks_one(const Dataset& dataset, const Chunks& chunks) {
  if (chunks.are_none()) return false;
  std::vector<hsize_t> at = chunks.begin;
  do {
    if (bytes_of_chunk(dataset, at) == 0) return true;
  } while (chunks.next(at));
  return false;
}

// Of the elements of a chunk, which no filter makes much larger.
hsize_t plain_bytes(const Dataset& dataset, const Chunks& chunks) {
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  hsize_t bytes = H5Tget_size(type.get());
  for (const hsize_t extent : chunks.size) bytes *= extent;  // HDF5 has no chunk of more than 4 GiB
  return bytes;
}

// Chunks that a filter has left as they are, though others are packed.
void require_packed(const Dataset& dataset, const std::vector<hsize_t>& first, hsize_t most_bytes) {
  const hsize_t bytes = bytes_of_chunk(dataset, first);
  if (bytes == 0) return;
  if (bytes > most_bytes) throw IoError("a chunk of the dataset takes too many bytes; is the file damaged?");
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes));
  std::uint32_t left_out = 0;
  check(H5Dread_chunk(dataset.get(), H5P_DEFAULT, first.data(), &left_out, stored.data()),
        "a chunk of the dataset that is to be changed cannot be read; is the file damaged?");
  if (left_out == 0) return;
  throw IoError(
      "some chunks of the dataset are not packed as the others are, and HDF5 cannot write them in a parallel "
      "program; copy the file with h5repack first, or write under another name");
}

// HDF5 1.10 numbers the chunks of these indices by the most extents, and in a parallel program by the present
// extents: it would lose packed chunks, whose places change.
void require_numbers(const Dataset& dataset) {
  H5D_chunk_index_t index{};
  check(H5Dget_chunk_index_type(dataset.get(), &index), "H5Dget_chunk_index_type");
  if (index != H5D_CHUNK_IDX_FARRAY && index != H5D_CHUNK_IDX_EARRAY) return;
  const Chunks chunks = all_chunks(dataset);
  const Space space(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  std::vector<hsize_t> most(chunks.size.size());
  check(H5Sget_simple_extent_dims(space.get(), nullptr, most.data()), "H5Sget_simple_extent_dims");
  for (std::size_t d = 1; d < most.size(); ++d) {
    const auto number = [&](hsize_t extent) {
      return extent / chunks.size[d] + (extent % chunks.size[d] != 0 ? 1 : 0);
    };
    if (most[d] != H5S_UNLIMITED && number(most[d]) == number(chunks.end[d])) continue;
    throw IoError(formatted(
        "the dataset is compressed and may grow along dimension {}, where HDF5 would lose chunks in a "
        "parallel program; unpack it (h5repack -f NONE), or write under another name",
        d));
  }
}

// Reads one element, for which HDF5 unpacks the chunk.
void read_element(const Dataset& dataset, const std::vector<hsize_t>& at) {
  const std::vector<hsize_t> one(at.size(), 1);
  const Space file(check(H5Dget_space(dataset.get()), "H5Dget_space"));
  const Space memory(check(H5Screate(H5S_SCALAR), "H5Screate"));
  check(H5Sselect_hyperslab(file.get(), H5S_SELECT_SET, at.data(), nullptr, one.data(), nullptr),
        "H5Sselect_hyperslab");
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  std::vector<std::byte> element(H5Tget_size(type.get()));
  check(H5Dread(dataset.get(), type.get(), memory.get(), file.get(), H5P_DEFAULT, element.data()),
        "a part of the dataset that is to be changed cannot be unpacked; is the file damaged?");
}

// Tries the chunks that a box touches: all must be packed, and those that it covers only in part are unpacked.
void try_piece(const Dataset& dataset, const Box& box, int rank) {
  const Chunks chunks = touched_chunks(dataset, box, rank);
  if (chunks.are_none()) return;
  const hsize_t most_bytes = 2 * plain_bytes(dataset, chunks) + 4096;
  std::vector<hsize_t> at = chunks.begin;
  do {
    bool is_whole = true;
    for (std::size_t d = 0; d < at.size(); ++d) {
      is_whole = is_whole && static_cast<hsize_t>(box.lo[d]) <= at[d] &&
                 static_cast<hsize_t>(box.hi[d]) >= at[d] + chunks.size[d];
    }
    require_packed(dataset, at, most_bytes);
    if (!is_whole) read_element(dataset, at);
  } while (chunks.next(at));
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

// HDF5's parallel calls pack all chunks, also those at the ends of a dataset that asks for another treatment.
void require_alike_chunks(const Properties& creation) {
  unsigned options = 0;
  check(H5Pget_chunk_opts(creation.get(), &options), "H5Pget_chunk_opts");
  if (options == 0) return;
  throw IoError(
      "chunks at the ends of the dataset are not packed as the others are, and HDF5 cannot write such chunks "
      "in a "
      "parallel program; copy the file with h5repack first, or write under another name");
}

}  // namespace

void try_chunks(const Dataset& dataset, const Memory& memory, const Box& box, int rank) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return;
  const int filters = check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters");
  if (filters == 0) return;
  require_filters(creation, filters);
  require_numbers(dataset);
  require_alike_chunks(creation);
  if (plain_bytes(dataset, all_chunks(dataset)) > static_cast<hsize_t>(max_packed_chunk)) {
    throw IoError(formatted(
        "the dataset is compressed or checked in chunks of more than {} bytes, which HDF5 cannot write in a "
        "parallel program; copy the file with h5repack and smaller chunks first, or write under another name",
        max_packed_chunk));
  }
  const detail::BoxChunks pieces(box, rank, memory.stride, max_bytes);
  for (index_t i = 0; i < pieces.count(); ++i) try_piece(dataset, pieces.piece(i), rank);
}

bool lacks_chunks(const Dataset& dataset) { return lacks_one(dataset, all_chunks(dataset)); }

bool lacks_chunks(const Dataset& dataset, const Box& box, int rank) {
  return lacks_one(dataset, touched_chunks(dataset, box, rank));
}

void give_space(const Dataset& dataset, hsize_t begin) {
  const Properties creation(check(H5Dget_create_plist(dataset.get()), "H5Dget_create_plist"));
  Chunks chunks = all_chunks(dataset);
  if (chunks.size.empty()) return;
  chunks.begin[0] = (begin + chunks.size[0] - 1) / chunks.size[0] * chunks.size[0];
  // If HDF5 has given the first one space, it has so with all.
  if (chunks.are_none() || bytes_of_chunk(dataset, chunks.begin) > 0) return;
  require_alike_chunks(creation);
  const Type type(check(H5Dget_type(dataset.get()), "H5Dget_type"));
  std::vector<std::byte> stored = fill_values(creation, type, chunks.size);
  if (check(H5Pget_nfilters(creation.get()), "H5Pget_nfilters") > 0)
    stored = packed(creation, type, chunks.size, stored);
  std::vector<hsize_t> at = chunks.begin;
  do {
    check(H5Dwrite_chunk(dataset.get(), H5P_DEFAULT, 0, at.data(), stored.size(), stored.data()),
          "a new chunk of the dataset gets no space");
  } while (chunks.next(at));
}

}  // namespace tessera::io::hdf5
