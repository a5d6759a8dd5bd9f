// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/open_checks.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <unistd.h>

#include <tessera/runtime/detail/wait.hpp>

#include "base/collectively.hpp"
#include "file/same_file.hpp"
#include "format.hpp"
#include "hdf5/hdf5_losses.hpp"
#include "hdf5/mpi_io.hpp"
#include "posix/links.hpp"

namespace tessera::io::detail {
namespace {

// MPI-IO and HDF5 would find these problems, too, but their messages help less.
void check_file(const std::filesystem::path& path, Access wish) {
  if (access(path.c_str(), R_OK) != 0)
    throw IoError(formatted("the file cannot be read: {}", std::strerror(errno)));
  if (std::filesystem::is_directory(path)) throw IoError("this is a directory; an HDF5 file was expected");
  if (!std::filesystem::is_regular_file(path))
    throw IoError("this is a pipe or a device; an HDF5 file was expected");
  if (wish == Access::read_write) safe_to_change(path);
  if (wish == Access::read_write && access(path.c_str(), W_OK) != 0)
    throw IoError(formatted("the file cannot be written: {}", std::strerror(errno)));
  if (!hdf5::is_hdf5(path)) {
    throw IoError(formatted("this is not an HDF5 file (its {} bytes do not begin with HDF5's signature)",
                            std::filesystem::file_size(path)));
  }
}

constexpr int max_attempts = 5;
constexpr std::chrono::milliseconds between_attempts{20}, between_polls{1};

// Pauses, and serves requests of other processes meanwhile.
void pause_between_attempts(const Group& group) {
  const auto end = std::chrono::steady_clock::now() + between_attempts;
  tessera::detail::wait_until(group, [&] {
    std::this_thread::sleep_for(between_polls);
    return std::chrono::steady_clock::now() >= end;
  });
}

hdf5::File open_together(const Group& group, const std::filesystem::path& path, hdf5::Locks locks,
                         const std::string& context) {
  hdf5::File file;
  try {
    collectively(group, context,
                 [&] { hdf5::without_loss([&] { file = hdf5::open(path, group.mpi_comm(), locks); }); });
  } catch (...) {
    give_up(group, std::move(file));
    throw;
  }
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

}  // namespace

void give_up(const Group& group, hdf5::File file) {
  const bool is_everywhere = group.all_reduce(static_cast<int>(static_cast<bool>(file)), Reduce::min) != 0;
  if (!is_everywhere) return hdf5::abandon(std::move(file));  // closing would wait for the others
  try {
    hdf5::close(std::move(file));
  } catch (const IoError&) {  // the first error tells more
  }
}

OpenFile open_file(const Group& group, const std::filesystem::path& path, Access access,
                   const std::string& context) {
  const bool writes = access == Access::read_write;
  collectively(group, context, [&] {
    if (writes) require_safe_writing(group);
    if (writes) OnlyWriter::require_none_of_hdf5(identity(path));  // before it is found to be no HDF5 file yet
    if (group.rank() == 0) check_file(path, access);
  });
  const hdf5::Locks locks = writes ? file_locks(group, path, context) : hdf5::Locks::work;
  for (int attempt = 1;; ++attempt) {
    const bool is_last = attempt == max_attempts;
    OpenFile file;
    collectively(group, context, [&] {
      file.bytes = writes ? open_to_write(path) : open_to_read(path);
      if (!writes) return;
      file.writer = OnlyWriter(file.bytes);
      hdf5::prepare_to_open_together();
    });
    // HDF5 would damage different files that it opens as one.
    std::string problem =
        difference(group, path, file.bytes, access, is_last ? Numbers::may_differ : Numbers::must_agree);
    if (problem.empty()) {
      // Open alone first: what fails on some ranks only would make the others wait in HDF5.
      collectively(group, context, [&] { file.hdf5 = hdf5::open_alone(path); });
      if (writes) {
        file.hdf5.reset();
        file.hdf5 = open_together(group, path, locks, context);
      }
      // If a program replaces the file now, HDF5's offsets must not be used in the other file.
      const bool replaced = identity(file.bytes) != identity(path);
      problem = group.agree(
          replaced ? "the file is being replaced again and again; open it when its writer has ended" : "");
    }
    if (problem.empty()) return file;
    collectively(group, context, [&] {
      if (file.hdf5) hdf5::close(std::move(file.hdf5));
      if (is_last) throw IoError(problem);
    });
    pause_between_attempts(group);
  }
}

void require_inside(const hdf5::File& file, const std::string& name) {
  if (hdf5::leads_outside(file, name)) {
    throw IoError(
        "the name leads into another file, to which this one has an external link; open that file to write "
        "there");
  }
}

void require_shared(const hdf5::Dataset& dataset, int ranks) {
  if (ranks > 1 && hdf5::is_compact(dataset)) {
    throw IoError(
        "the dataset is compact: HDF5 keeps its elements in its description, of which each rank has a copy, so "
        "ranks cannot write parts of it; write it on one rank, or under another name");
  }
  // A parallel program gives space to all chunks when it opens a dataset to write, but only if none has any.
  if (hdf5::lacks_chunks(dataset)) {
    throw IoError(
        "only some chunks of the dataset have space in the file, as another program has written it; then HDF5 "
        "cannot write in a parallel program; copy the file with h5repack first, or write under another name");
  }
}

hdf5::Dataset find_dataset(const hdf5::File& file, const std::string& name) {
  if (!hdf5::has_dataset(file, name))
    throw IoError(formatted("there is no such dataset; the file has {}", listing(file)));
  hdf5::Dataset dataset = hdf5::open_dataset(file, name);
  if (hdf5::is_virtual_in_parallel(dataset)) {
    throw IoError(
        "the dataset is virtual: its elements are in other files, where HDF5 finds them only for a file opened "
        "with "
        "Mode::read (or by load)");
  }
  return dataset;
}

}  // namespace tessera::io::detail
