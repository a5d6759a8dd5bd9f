// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/save.hpp>

#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <tessera/runtime/runtime.hpp>

#include "file_order.hpp"
#include "hdf5.hpp"

namespace tessera::io::detail {
namespace {

using tessera::detail::ArrayCore;

std::string flush_to_disk(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool good = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  return good ? std::string()
              : fmt::format("{} could not be flushed to disk: {}", path.string(), std::strerror(error));
}

// Runs a step that every rank takes part in; the error of one becomes the error of all.
template <class F>
std::string attempt(const Group& group, F&& step) {
  std::string problem;
  try {
    step();
  } catch (const Error& error) {
    problem = error.what();
  }
  return group.agree(problem);
}

void write_array(const hdf5::File& file, const Item& item) {
  // The core is only read: what is written to is a copy.
  auto& array = const_cast<ArrayCore&>(item.array());
  FileOrder ordered(array);
  if (ordered.is_copy()) tessera::detail::copy(array, ordered.array());
  const Group& group = array.group();
  const auto& type = array.type();
  const auto problem = attempt(group, [&] {
    const hdf5::Type element = hdf5::element_type(type);
    const hdf5::Dataset dataset = hdf5::create_dataset(file, item.dataset(), element, array);
    hdf5::write_attribute(dataset, "tessera_version", version());
    hdf5::write_attribute(dataset, "element_type", tessera::detail::to_string(type));
    hdf5::write_attribute(dataset, "layout", array.layout().description());
    const auto box = ordered.box();
    index_t rounds = hdf5::rounds_needed(box, array.rank(), type.size);
    rounds = group.all_reduce(rounds, Reduce::max);
    hdf5::transfer(hdf5::Transfer::write, dataset, element, box, array.rank(), ordered.array().local_data(),
                   type.size, rounds);
  });
  if (!problem.empty()) throw IoError(problem);
}

}  // namespace

void save(const std::filesystem::path& path, std::span<const Item> items) {
  if (items.empty()) throw UsageError(fmt::format("save to {}: there is nothing to save", path.string()));
  const Group& group = items.front().array().group();
  std::set<std::string_view> names;
  for (const Item& item : items) {
    item.array().require_open();
    if (item.dataset().empty())
      throw UsageError(fmt::format("save to {}: a dataset needs a name", path.string()));
    if (!names.insert(item.dataset()).second) {
      throw UsageError(fmt::format("save to {}: dataset \"{}\" is given twice", path.string(), item.dataset()));
    }
    if (!(item.array().group() == group)) {
      throw UsageError(
          fmt::format("save to {}: array \"{}\" is of another group", path.string(), item.array().name()));
    }
  }
  group.sync();
  const hdf5::Silence silence;
  auto temporary = path;
  temporary += fmt::format(".tmp-{}", group.broadcast(static_cast<std::int64_t>(getpid()), 0));
  std::string problem;
  // Asked on one rank first: MPI-IO's own message for a missing directory helps nobody.
  if (group.rank() == 0) {
    const int fd = ::open(temporary.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0)
      problem = fmt::format("{} cannot be created: {}", temporary.string(), std::strerror(errno));
    else
      ::close(fd);
  }
  problem = group.agree(problem);
  hdf5::File file;
  if (problem.empty()) problem = attempt(group, [&] { file = hdf5::create(temporary, group.mpi_comm()); });
  if (problem.empty()) {
    problem = attempt(group, [&] {
      for (const Item& item : items) write_array(file, item);
    });
    const auto closing = attempt(group, [&] { hdf5::close(std::move(file)); });
    if (problem.empty()) problem = closing;
  }
  if (problem.empty()) problem = group.agree(flush_to_disk(temporary));
  if (problem.empty() && group.rank() == 0) {
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error)
      problem =
          fmt::format("{} cannot be renamed to {}: {}", temporary.string(), path.string(), error.message());
    else
      problem = flush_to_disk(path.has_parent_path() ? path.parent_path() : ".");
  }
  problem = group.agree(problem);
  if (problem.empty()) return;
  if (group.rank() == 0) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
  }
  throw IoError(fmt::format("save to {}: {} (the file was left as it was)", path.string(), problem));
}

}  // namespace tessera::io::detail
