// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/load.hpp>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "file_order.hpp"
#include "hdf5.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;
using tessera::detail::Coordinates;
using tessera::detail::ElementType;

template <class F>
void together(const Group& group, const std::filesystem::path& path, F&& step) {
  std::string problem;
  try {
    step();
  } catch (const Error& error) {
    problem = error.what();
  }
  if (problem = group.agree(problem); !problem.empty())
    throw IoError(fmt::format("load of {}: {}", path.string(), problem));
}

hdf5::File open_file(const Group& group, const std::filesystem::path& path) {
  hdf5::File file;
  // Asked on one rank first: MPI-IO's own message for a missing file helps nobody.
  together(group, path, [&] {
    if (group.rank() == 0 && access(path.c_str(), R_OK) != 0) throw IoError(std::strerror(errno));
  });
  together(group, path, [&] { file = hdf5::open(path, group.mpi_comm()); });
  return file;
}

hdf5::Dataset open_dataset(const hdf5::File& file, const std::string& name, const ElementType& type, int rank) {
  if (!hdf5::has_dataset(file, name)) {
    throw IoError(fmt::format("there is no dataset \"{}\"; the file has: {}", name,
                              fmt::join(hdf5::dataset_names(file), ", ")));
  }
  hdf5::Dataset dataset = hdf5::open_dataset(file, name);
  if (!hdf5::has_type(dataset, type)) {
    throw IoError(fmt::format("dataset \"{}\" holds {}, and the array is of {}", name,
                              hdf5::describe_type(dataset), tessera::detail::to_string(type)));
  }
  if (const auto found = hdf5::extents(dataset); static_cast<int>(found.size()) != rank) {
    throw IoError(
        fmt::format("dataset \"{}\" has {} dimensions, and the array has {}", name, found.size(), rank));
  }
  return dataset;
}

}  // namespace

Coordinates dataset_extents(const Group& group, const std::filesystem::path& path, std::string_view dataset,
                            const ElementType& type, int rank) {
  const hdf5::Silence silence;
  const hdf5::File file = open_file(group, path);
  Coordinates dims{};
  together(group, path, [&] {
    const auto found = hdf5::extents(open_dataset(file, std::string(dataset), type, rank));
    for (std::size_t d = 0; d < found.size(); ++d) dims[d] = static_cast<index_t>(found[d]);
  });
  return dims;
}

void load(const std::filesystem::path& path, std::string_view dataset, ArrayCore& array) {
  tessera::detail::begin_operation("load", {&array});
  const hdf5::Silence silence;
  const Group& group = array.group();
  const std::string name(dataset);
  const hdf5::File file = open_file(group, path);
  FileOrder ordered(array);
  hdf5::Dataset source;
  together(group, path, [&] {
    source = open_dataset(file, name, array.type(), array.rank());
    const auto found = hdf5::extents(source);
    for (std::size_t d = 0; d < found.size(); ++d) {
      if (static_cast<index_t>(found[d]) == array.layout().dims()[d]) continue;
      throw IoError(fmt::format("dataset \"{}\" has extents {}, and array \"{}\" has {} in dimension {}", name,
                                fmt::join(found, " x "), array.name(), array.layout().dims()[d], d));
    }
  });
  const auto box = ordered.box();
  index_t rounds = hdf5::rounds_needed(box, array.rank(), array.type().size);
  rounds = group.all_reduce(rounds, Reduce::max);
  together(group, path, [&] {
    hdf5::transfer(hdf5::Transfer::read, source, hdf5::element_type(array.type()), box, array.rank(),
                   ordered.array().local_data(), array.type().size, rounds);
  });
  if (ordered.is_copy()) return tessera::detail::copy(ordered.array(), array);
  tessera::detail::end_operation(array);
}

}  // namespace tessera::io::detail
