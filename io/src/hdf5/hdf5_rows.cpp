// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>

#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"
#include "hdf5/hdf5_losses.hpp"

namespace tessera::io::hdf5 {
namespace {

using tessera::detail::ElementType;

// The driver of a single process, without locks, which some file systems have not.
Properties lone_access() {
  Properties access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_file_locking(access.get(), false, true), "H5Pset_file_locking");
  return access;
}

struct RowSelection {
  Space file, memory;
};

RowSelection select_rows(const Dataset& dataset, index_t first, index_t count) {
  std::vector<hsize_t> sizes = extents(dataset), starts(sizes.size(), 0);
  starts.front() = static_cast<hsize_t>(first);
  sizes.front() = static_cast<hsize_t>(count);
  RowSelection selection{Space(check(H5Dget_space(dataset.get()), "H5Dget_space")),
                         Space(check(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr),
                                     "H5Screate_simple"))};
  check(
      H5Sselect_hyperslab(selection.file.get(), H5S_SELECT_SET, starts.data(), nullptr, sizes.data(), nullptr),
      "H5Sselect_hyperslab");
  return selection;
}

}  // namespace

File create_alone(const std::filesystem::path& path) {
  const Properties access = lone_access();
  const OpenOurs ours(access.get());
  return File(check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "cannot be created"));
}

File open_alone_to_write(const std::filesystem::path& path) {
  const Properties access = lone_access();
  const OpenOurs ours(access.get());
  return File(check(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()),
                    "cannot be opened as an HDF5 file; is it damaged?"));
}

void write_rows(const Dataset& dataset, const ElementType& type, index_t first, index_t count,
                const void* data) {
  if (count == 0) return;
  const RowSelection rows = select_rows(dataset, first, count);
  check(
      H5Dwrite(dataset.get(), element_type(type).get(), rows.memory.get(), rows.file.get(), H5P_DEFAULT, data),
      "rows cannot be written");
}

void read_rows(const Dataset& dataset, const ElementType& type, index_t first, index_t count, void* data) {
  if (count == 0) return;
  const RowSelection rows = select_rows(dataset, first, count);
  check(H5Dread(dataset.get(), element_type(type).get(), rows.memory.get(), rows.file.get(), H5P_DEFAULT, data),
        "rows cannot be read");
}

}  // namespace tessera::io::hdf5
