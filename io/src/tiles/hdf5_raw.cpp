// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tiles/hdf5_raw.hpp"

#include <algorithm>

#include <tessera/io/error.hpp>

#include "format.hpp"
#include "hdf5/hdf5_check.hpp"
#include "hdf5/hdf5_losses.hpp"

namespace tessera::io::hdf5 {
namespace {

Type text_type(std::size_t size) {
  Type type(check(H5Tcopy(H5T_C_S1), "H5Tcopy"));
  check(H5Tset_size(type.get(), size), "H5Tset_size");
  check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
  return type;
}

// The elements of a text are its bytes, but HDF5 stores it as one string.
Type type_of(const detail::Entry& entry) {
  if (entry.kind != detail::EntryKind::text) return element_type(entry.type);
  return text_type(static_cast<std::size_t>(std::max<index_t>(1, entry.size())));
}

Space space_of(const detail::Entry& entry) {
  if (entry.kind == detail::EntryKind::text || entry.extents.empty())
    return Space(check(H5Screate(H5S_SCALAR), "H5Screate"));
  const std::vector<hsize_t> extents(entry.extents.begin(), entry.extents.end());
  return Space(
      check(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), "H5Screate_simple"));
}

Attribute create_attribute(const File& file, const char* name, const Type& type) {
  const Space space(check(H5Screate(H5S_SCALAR), "H5Screate"));
  return Attribute(check(
      H5Acreate_by_name(file.get(), "/", name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      "H5Acreate_by_name"));
}

}  // namespace

File create_alone(const std::filesystem::path& path, index_t user_bytes) {
  const Properties access(check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
  check(H5Pset_alignment(access.get(), static_cast<hsize_t>(detail::page_bytes),
                         static_cast<hsize_t>(detail::page_bytes)),
        "H5Pset_alignment");
  check(H5Pset_file_locking(access.get(), false, true), "H5Pset_file_locking");
  const Properties creation(check(H5Pcreate(H5P_FILE_CREATE), "H5Pcreate"));
  check(H5Pset_userblock(creation.get(), static_cast<hsize_t>(user_bytes)), "H5Pset_userblock");
  const OpenOurs ours(access.get());
  return File(check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), "cannot be created"));
}

Dataset create_placed(const File& file, const detail::Entry& entry) {
  const Type type = type_of(entry);
  const Space space = space_of(entry);
  const Properties creation(check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate"));
  check(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), "H5Pset_layout");
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  const Properties link(check(H5Pcreate(H5P_LINK_CREATE), "H5Pcreate"));
  check(H5Pset_char_encoding(link.get(), H5T_CSET_UTF8), "H5Pset_char_encoding");
  check(H5Pset_create_intermediate_group(link.get(), 1), "H5Pset_create_intermediate_group");
  return Dataset(check(H5Dcreate2(file.get(), entry.name.c_str(), type.get(), space.get(), link.get(),
                                  creation.get(), H5P_DEFAULT),
                       formatted("dataset \"{}\" cannot be created", entry.name)));
}

index_t offset(const Dataset& dataset) {
  const haddr_t at = H5Dget_offset(dataset.get());
  return at == HADDR_UNDEF ? 0 : static_cast<index_t>(at);
}

void write_root_attribute(const File& file, const char* name, const std::string& value) {
  const Type type = text_type(std::max<std::size_t>(1, value.size()));
  const Attribute attribute = create_attribute(file, name, type);
  check(H5Awrite(attribute.get(), type.get(), value.c_str()), "H5Awrite");
}

void write_root_attribute(const File& file, const char* name, std::int64_t value) {
  const Type type(check(H5Tcopy(H5T_NATIVE_INT64), "H5Tcopy"));
  const Attribute attribute = create_attribute(file, name, type);
  check(H5Awrite(attribute.get(), type.get(), &value), "H5Awrite");
}

}  // namespace tessera::io::hdf5
