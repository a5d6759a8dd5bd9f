// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/slice_transfers.hpp"

#include <optional>

#include <tessera/core/operations.hpp>
#include <tessera/runtime/runtime.hpp>

#include "base/collectively.hpp"
#include "base/progress.hpp"
#include "file/file_order.hpp"
#include "file/open_checks.hpp"
#include "format.hpp"
#include "hdf5/hdf5_losses.hpp"
#include "tiles/tile_transfer.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::SliceCore;

// Converts a box of a slice to a box of the dataset. In the dimensions before the slice's it has one position.
Box box_at(const DatasetPlace& place, const Box& box, int rank) {
  Box moved;
  const int before = place.rank - rank;
  for (int d = 0; d < place.rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    moved.lo[at] = place.origin[at] + (d < before ? 0 : box.lo[static_cast<std::size_t>(d - before)]);
    moved.hi[at] = place.origin[at] + (d < before ? 1 : box.hi[static_cast<std::size_t>(d - before)]);
  }
  return moved;
}

std::vector<index_t> extents_of(const SliceCore& slice) {
  return {slice.extents().begin(), slice.extents().begin() + slice.rank()};
}

// Moves elements in file order to or from the dataset, on all members at once.
hdf5::Account move(hdf5::Transfer direction, const hdf5::Dataset& dataset, const DatasetPlace& place,
                   const SliceCore& slice, FileOrder& ordered, const std::string& context) {
  const Group& group = slice.array().group();
  hdf5::Account account;
  collectively(group, context, [&] {
    std::optional<Progress> progress;
    auto show = [&](index_t round, index_t rounds) {
      if (round == 0)
        progress.emplace(group, context, rounds);
      else
        progress->advance(1);
    };
    hdf5::without_loss([&] {
      const auto& type = slice.type();
      const hdf5::Memory memory = direction == hdf5::Transfer::write ? hdf5::memory_to_write(dataset, type)
                                                                     : hdf5::memory_to_read(dataset, type);
      account = hdf5::transfer(direction, dataset, memory, group, box_at(place, ordered.box(), slice.rank()),
                               place.rank, ordered.array().local_data(), show);
    });
  });
  return account;
}

}  // namespace

void try_to_write(const hdf5::File& file, const std::string& name, hdf5::Dataset& dataset,
                  const DatasetPlace& place, const SliceCore& slice) {
  hdf5::try_chunks(dataset, hdf5::memory_to_write(dataset, slice.type()),
                   box_at(place, FileOrder::box_of(slice), slice.rank()), place.rank);
  dataset.reset();  // first, as all handles of a dataset share HDF5's cache of chunks
  dataset = hdf5::open_dataset(file, name);
}

hdf5::Account write_slice(const hdf5::Dataset& dataset, const DatasetPlace& place, const SliceCore& slice,
                          const std::string& context) {
  FileOrder ordered(slice);
  if (ordered.is_copy()) tessera::detail::copy(slice, ordered.array());
  return move(hdf5::Transfer::write, dataset, place, slice, ordered, context);
}

hdf5::Account read_slice(const hdf5::Dataset& dataset, const DatasetPlace& place, const SliceCore& slice,
                         const std::string& context) {
  FileOrder ordered(slice);
  hdf5::Account account = move(hdf5::Transfer::read, dataset, place, slice, ordered, context);
  if (ordered.is_copy())
    tessera::detail::copy(ordered.array(), slice);
  else
    tessera::detail::end_operation(slice);
  return account;
}

void read_tiles_of(const SliceCore& slice, const Descriptor& file, index_t offset, const std::string& context) {
  const StoredItem item{{}, nullptr, slice, {}};
  std::vector<Entry> entries{item.entry()};
  entries.front().offset = offset;
  entries.front().divide(slice.array().group().size());
  number_tiles(entries);
  const TileSink sink{[&](std::size_t e, const Tile& tile) { return place_of(item, entries[e], tile); },
                      {},
                      [&](std::size_t e, const Tile& tile, std::span<const std::byte> bytes) {
                        store(item, entries[e], tile, bytes.data());
                      }};
  const Group& group = slice.array().group();
  collectively(group, context, [&] { read_tiles(group, context, file, entries, sink); });
  settle(group, {item});
}

void write_description(const hdf5::Dataset& dataset, const SliceCore& slice) {
  const auto& array = slice.array();
  hdf5::write_attribute(dataset, "tessera_version", version());
  hdf5::write_attribute(dataset, "element_type", tessera::detail::to_string(slice.type()));
  hdf5::write_attribute(dataset, "name", array.name());
  hdf5::set_attribute(dataset.get(), "shape", extents_of(slice));
  hdf5::write_attribute(dataset, "layout", array.layout().description());
}

tessera::detail::Fingerprint fingerprint_of(const tessera::detail::Box* patch, int rank) {
  tessera::detail::Fingerprint print;
  for (std::size_t d = 0; patch != nullptr && d < static_cast<std::size_t>(rank); ++d)
    print.add(patch->lo[d]).add(patch->hi[d]);
  return print;
}

std::vector<hsize_t> dims_of(const SliceCore& slice) {
  return {slice.extents().begin(), slice.extents().begin() + slice.rank()};
}

void require_rank(const std::vector<hsize_t>& dims, int rank) {
  if (static_cast<int>(dims.size()) == rank) return;
  throw IoError(formatted("the dataset has {} dimension{} ({}), but {} were expected", dims.size(),
                          dims.size() == 1 ? "" : "s", dims.empty() ? "a single value" : joined(dims, " x "),
                          rank));
}

void require_extents(const std::vector<hsize_t>& dims, const SliceCore& slice) {
  require_rank(dims, slice.rank());
  if (dims == dims_of(slice)) return;
  const std::string whose =
      slice.is_whole() ? formatted("array \"{}\"", slice.array().name()) : slice.description();
  throw IoError(formatted("the dataset has extents {}, but {} has {}", joined(dims, " x "), whose,
                          joined(extents_of(slice), " x ")));
}

void require_patch(const std::vector<hsize_t>& dims, const Box& patch, const SliceCore& slice) {
  require_rank(dims, slice.rank());
  std::vector<std::string> ranges;
  bool is_inside = true, is_same = true;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    ranges.push_back(formatted("{}:{}", patch.lo[d], patch.hi[d]));
    is_inside = is_inside && patch.lo[d] >= 0 && patch.lo[d] <= patch.hi[d] &&
                patch.hi[d] <= static_cast<index_t>(dims[d]);
    is_same = is_same && patch.hi[d] - patch.lo[d] == slice.extents()[d];
  }
  const std::string text = joined(ranges, ", ");
  if (!is_inside)
    throw IoError(formatted("patch [{}) exceeds the dataset of extents {}", text, joined(dims, " x ")));
  if (!is_same) {
    throw IoError(
        formatted("patch [{}) and {} of extents {} are of different shapes", text,
                  slice.is_whole() ? formatted("array \"{}\"", slice.array().name()) : slice.description(),
                  joined(extents_of(slice), " x ")));
  }
}

}  // namespace tessera::io::detail
