// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/load.hpp>

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include <tessera/runtime/detail/fingerprint.hpp>

#include "file_order.hpp"
#include "format.hpp"
#include "hdf5.hpp"
#include "together.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::Coordinates;
using tessera::detail::ElementType;

std::string context(const std::filesystem::path& path, std::string_view dataset) {
  return formatted("load of dataset \"{}\" from {}", dataset, path.string());
}

// What MPI-IO and HDF5 would say too, but not in words that help.
void check_file(const std::filesystem::path& path) {
  if (access(path.c_str(), R_OK) != 0)
    throw IoError(formatted("the file cannot be read: {}", std::strerror(errno)));
  if (std::filesystem::is_directory(path)) throw IoError("this is a directory; an HDF5 file was expected");
  if (!hdf5::is_hdf5(path)) {
    throw IoError(formatted("this is not an HDF5 file (its {} bytes do not begin with HDF5's signature)",
                            std::filesystem::file_size(path)));
  }
}

hdf5::File open_file(const Group& group, const std::filesystem::path& path, const std::string& context) {
  hdf5::File file;
  together(group, context, [&] {
    if (group.rank() == 0) check_file(path);
  });
  together(group, context, [&] { file = hdf5::open(path, group.mpi_comm()); });
  return file;
}

std::string listing(const hdf5::File& file) {
  constexpr std::size_t most = 20;
  auto names = hdf5::dataset_names(file);
  if (names.empty()) return "no datasets";
  const std::size_t more = names.size() - std::min(names.size(), most);
  names.resize(names.size() - more);
  return formatted("\"{}\"{}", joined(names, "\", \""), more == 0 ? "" : formatted(" and {} more", more));
}

hdf5::Dataset open_dataset(const hdf5::File& file, const std::string& name, const ElementType& type, int rank) {
  if (!hdf5::has_dataset(file, name))
    throw IoError(formatted("there is no such dataset; the file has {}", listing(file)));
  hdf5::Dataset dataset = hdf5::open_dataset(file, name);
  if (!hdf5::has_type(dataset, type)) {
    throw IoError(formatted("the dataset holds {}, but elements of {} were expected",
                            hdf5::describe_type(dataset), tessera::detail::to_string(type)));
  }
  if (const auto found = hdf5::extents(dataset); static_cast<int>(found.size()) != rank) {
    throw IoError(formatted("the dataset has {} dimension{} ({}), but {} were expected", found.size(),
                            found.size() == 1 ? "" : "s",
                            found.empty() ? "a single value" : joined(found, " x "), rank));
  }
  return dataset;
}

void check_extents(const hdf5::Dataset& dataset, const ArrayCore& array) {
  const auto found = hdf5::extents(dataset);
  const auto& all = array.layout().dims();
  const std::vector<index_t> expected(all.begin(), all.begin() + array.rank());
  if (std::equal(found.begin(), found.end(), expected.begin(),
                 [](hsize_t a, index_t b) { return a == static_cast<hsize_t>(b); }))
    return;
  throw IoError(formatted("the dataset has extents {}, but array \"{}\" has {}", joined(found, " x "),
                          array.name(), joined(expected, " x ")));
}

void check_agreement(const Group& group, std::string_view path, std::string_view dataset) {
  group.check_agreement("io::load", tessera::detail::Fingerprint().add(path).add(dataset).value());
}

}  // namespace

Coordinates dataset_extents(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                            const ElementType& type, int rank) {
  check_agreement(group, path.native(), dataset);
  const hdf5::Silence silence;
  const std::string what = context(path, dataset);
  const hdf5::File file = open_file(group, path, what);
  Coordinates dims{};
  together(group, what, [&] {
    const auto found = hdf5::extents(open_dataset(file, std::string(dataset), type, rank));
    for (std::size_t d = 0; d < found.size(); ++d) dims[d] = static_cast<index_t>(found[d]);
  });
  return dims;
}

void load(const std::filesystem::path& path, std::string_view dataset, ArrayCore& array) {
  check_agreement(array.group(), path.native(), dataset);
  tessera::detail::begin_operation("load", {array});
  const hdf5::Silence silence;
  const Group& group = array.group();
  const std::string what = context(path, dataset);
  const hdf5::File file = open_file(group, path, what);
  hdf5::Dataset source;
  together(group, what, [&] {
    source = open_dataset(file, std::string(dataset), array.type(), array.rank());
    check_extents(source, array);
  });
  FileOrder ordered(array);
  together(group, what, [&] {
    hdf5::transfer(hdf5::Transfer::read, source, hdf5::memory_type(source, array.type()), group, ordered.box(),
                   array.rank(), ordered.array().local_data());
  });
  if (ordered.is_copy()) return tessera::detail::copy(ordered.array(), array);
  tessera::detail::end_operation(array);
}

}  // namespace tessera::io::detail
