// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/load.hpp>

#include <tessera/core/operations.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/collectively.hpp"
#include "base/names.hpp"
#include "file/dropped_files.hpp"
#include "file/open_checks.hpp"
#include "file/slice_transfers.hpp"
#include "format.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::SliceCore;

std::string context(const std::filesystem::path& path, std::string_view dataset) {
  return formatted("load of dataset \"{}\" from {}", dataset, path.string());
}

// What a dropped File of the group has written is read, too.
void prepare(const Group& group, std::string_view path, std::string_view dataset,
             tessera::detail::Fingerprint others) {
  require_agreement(group, "io::load", others.add(path).add(dataset));
  check_name_in_file("io::load", dataset);
  close_dropped(group);
}

}  // namespace

Coordinates dataset_extents(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                            int rank) {
  const hdf5::Silence silence;
  prepare(group, path.native(), dataset, {});
  const std::string what = context(path, dataset);
  const hdf5::File file = open_file(group, path, Access::read, what).hdf5;
  Coordinates dims{};
  collectively(group, what, [&] {
    const auto found = hdf5::extents(find_dataset(file, std::string(dataset)));
    require_rank(found, rank);
    for (std::size_t d = 0; d < found.size(); ++d) dims[d] = static_cast<index_t>(found[d]);
  });
  return dims;
}

void load(const std::filesystem::path& path, std::string_view dataset, const Box* patch,
          const SliceCore& slice) {
  const Group& group = slice.array().group();
  const Phase phase(group, "load");
  const hdf5::Silence silence;
  prepare(group, path.native(), dataset, fingerprint_of(patch, slice.rank()).add(slice.fingerprint()));
  tessera::detail::begin_operation("load", {slice});
  const std::string what = context(path, dataset);
  const OpenFile file = open_file(group, path, Access::read, what);
  hdf5::Dataset source;
  index_t offset = -1;
  collectively(group, what, [&] {
    source = find_dataset(file.hdf5, std::string(dataset));
    hdf5::memory_to_read(source, slice.type());
    const auto dims = hdf5::extents(source);
    patch == nullptr ? require_extents(dims, slice) : require_patch(dims, *patch, slice);
    if (patch == nullptr) offset = hdf5::offset_in_file(file.hdf5, source, slice.type());
  });
  if (offset >= 0) return read_tiles_of(slice, file.bytes, offset, what);
  read_slice(source, {slice.rank(), patch == nullptr ? Coordinates{} : patch->lo}, slice, what);
}

}  // namespace tessera::io::detail
