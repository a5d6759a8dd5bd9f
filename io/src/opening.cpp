// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "opening.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "format.hpp"
#include "mpi_io.hpp"
#include "together.hpp"

namespace tessera::io::detail {
namespace {

// What MPI-IO and HDF5 would say too, but not in words that help.
void check_file(const std::filesystem::path& path, hdf5::Access wish) {
  if (access(path.c_str(), R_OK) != 0)
    throw IoError(formatted("the file cannot be read: {}", std::strerror(errno)));
  if (std::filesystem::is_directory(path)) throw IoError("this is a directory; an HDF5 file was expected");
  if (wish == hdf5::Access::read_write && access(path.c_str(), W_OK) != 0)
    throw IoError(formatted("the file cannot be written: {}", std::strerror(errno)));
  if (!hdf5::is_hdf5(path)) {
    throw IoError(formatted("this is not an HDF5 file (its {} bytes do not begin with HDF5's signature)",
                            std::filesystem::file_size(path)));
  }
}

std::string listing(const hdf5::File& file) {
  constexpr std::size_t most = 20;
  auto names = hdf5::dataset_names(file);
  if (names.empty()) return "no datasets";
  const std::size_t more = names.size() - std::min(names.size(), most);
  names.resize(names.size() - more);
  return formatted("\"{}\"{}", joined(names, "\", \""), more == 0 ? "" : formatted(" and {} more", more));
}

}  // namespace

hdf5::File open_file(const Group& group, const std::filesystem::path& path, hdf5::Access access,
                     const std::string& context) {
  hdf5::File file;
  together(group, context, [&] {
    if (access == hdf5::Access::read_write) require_safe_writing(group);
    if (group.rank() == 0) check_file(path, access);
  });
  const hdf5::Locks locks =
      access == hdf5::Access::read_write ? file_locks(group, path, context) : hdf5::Locks::work;
  together(group, context, [&] { file = hdf5::open(path, group.mpi_comm(), access, locks); });
  return file;
}

hdf5::Dataset find_dataset(const hdf5::File& file, const std::string& name) {
  if (!hdf5::has_dataset(file, name))
    throw IoError(formatted("there is no such dataset; the file has {}", listing(file)));
  return hdf5::open_dataset(file, name);
}

}  // namespace tessera::io::detail
