// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/file_state.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <tessera/core/operations.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

#include "base/names.hpp"
#include "file/open_checks.hpp"
#include "file/same_file.hpp"
#include "format.hpp"
#include "hdf5/mpi_io.hpp"
#include "posix/disk_space.hpp"
#include "posix/links.hpp"

namespace tessera::io::detail {
namespace {

constexpr index_t for_hdf5 = 65536;  // what it writes about the file itself and into its groups

// Creates the file, or throws an error that says more than HDF5's. Says which file is new.
void make_file(const std::filesystem::path& path, bool exclusive, std::filesystem::path& made) {
  const std::filesystem::path real = safe_to_change(path);
  std::error_code ignored;  // if nothing is known about it, opening it says why
  const auto status = std::filesystem::status(path, ignored);
  if (is_directory(status)) throw IoError("this is a directory; give the name of a file");
  if (exists(status) && !is_regular_file(status))
    throw IoError("this is a pipe or a device; give the name of a file");
  constexpr int flags = O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  Descriptor file(::open(real.c_str(), flags | O_EXCL, 0666));
  if (file) made = real;
  if (!file && errno == EEXIST && !exclusive) file = Descriptor(::open(real.c_str(), flags, 0666));
  if (!file) {
    throw IoError(formatted("the file cannot be made: {}{}", std::strerror(errno),
                            errno == EEXIST ? " (Mode::truncate would empty it)" : ""));
  }
  // HDF5 does not survive a full disk. It frees this space again when it empties the file, so this only checks
  // the space.
  reserve_space(file, 0, for_hdf5, Size::stays);
}

// Opens the file that rank 0 has made.
Descriptor open_made(const std::filesystem::path& path) {
  try {
    return open_to_write(path);
  } catch (const IoError& error) {
    throw IoError(formatted("{}; is the directory the same on all nodes?", error.what()));
  }
}

}  // namespace

FileState::FileState(const Group& group, std::filesystem::path path, Mode mode)
    : path_(std::move(path)), is_writable_(mode != Mode::read) {
  open_.group = group;
  tessera::detail::Fingerprint print;
  print.add(std::string_view(path_.native())).add(static_cast<int>(mode));
  group.check_agreement("io::File", print.value());
  const hdf5::Silence silence;
  close_dropped(group);
  open_.number = next_file_number(group);
  const std::string context = "opening of " + path_.string();
  if (mode == Mode::create || mode == Mode::truncate)
    create(mode == Mode::create, context);
  else
    open_.file = open_file(group, path_, is_writable_ ? Access::read_write : Access::read, context);
}

void FileState::create(bool exclusive, const std::string& context) {
  std::filesystem::path made;  // if it is new; on rank 0
  try {
    collectively(group(), context, [&] {
      require_safe_writing(group());
      if (group().rank() == 0) make_file(path_, exclusive, made);
    });
    fill_new(context);
  } catch (const IoError&) {  // on every rank
    if (!made.empty()) ::unlink(made.c_str());
    group().barrier();  // it is gone
    throw;
  }
}

void FileState::fill_new(const std::string& context) {
  const hdf5::Locks locks = file_locks(group(), path_, context);
  collectively(group(), context, [&] {
    open_.file.bytes = open_made(path_);
    OnlyWriter::require_none(identity(open_.file.bytes));
    open_.file.writer = OnlyWriter(open_.file.bytes);
    hdf5::prepare_to_open_together();
  });
  // Before HDF5 empties them.
  const std::string problem =
      difference(group(), path_, open_.file.bytes, Access::read_write, Numbers::may_differ);
  throw_on_all(group(), context, problem, Source::file, {});
  try {
    collectively(group(), context, [&] {
      hdf5::without_loss([&] { open_.file.hdf5 = hdf5::create(path_, group().mpi_comm(), locks); });
    });
    take_space(0, Use::now, context);
  } catch (const IoError&) {  // one rank could not create it, or another program took the space
    give_up(group(), std::move(open_.file.hdf5));
    throw;
  }
}

FileState::~FileState() { drop(); }

// The file is closed when its group opens another one, or when MPI ends.
void FileState::drop() noexcept {
  if (!is_open()) return;
  try {
    leave_dropped(std::move(open_));
  } catch (...) {  // then it stays open until MPI ends
    hdf5::abandon(std::move(open_.file.hdf5));
  }
}

// On every rank HDF5 believes that all of the file was written, so it can close the file.
void FileState::drop_if_damaged() {
  if (group().all_reduce(static_cast<int>(hdf5::take_lost_structure()), Reduce::max) != 0) drop();
}

bool FileState::agreed(const std::string& context, bool found) {
  const int mine = static_cast<int>(found);
  std::array<int, 2> least{mine, -mine};
  group().all_reduce(std::span<int>(least), Reduce::min);
  const bool differs = least[0] != -least[1];
  collectively(group(), context, [&] {
    if (differs)
      throw IoError(
          "some ranks find it in the file and some do not; are all of them able to read the file, and what it "
          "links to?");
  });
  return found;
}

void FileState::close() {
  if (!is_open()) return;
  const hdf5::Silence silence;
  open_.close("closing of " + path_.string());
}

std::string FileState::context(std::string_view what, std::string_view name) const {
  check_name_in_file(formatted("{} in {}", what, path_.string()), name);
  return formatted("{} of dataset \"{}\" in {}", what, name, path_.string());
}

void FileState::require_open() const {
  if (!is_open()) throw UsageError(formatted("file {} is closed", path_.string()));
}

void FileState::require_writable(const std::string& context) const {
  require_open();
  if (!is_writable_) throw UsageError(context + ": the file was opened for reading; use Mode::read_write");
}

void FileState::require_shared(const hdf5::Dataset& dataset, const std::string& name) {
  if (shared_.contains(name)) return;
  detail::require_shared(dataset, group().size());
  shared_.insert(name);
}

void FileState::require_agreement(const std::string& context,
                                  const tessera::detail::Fingerprint& arguments) const {
  detail::require_agreement(group(), context, arguments);
}

void FileState::begin(const std::string& context, const tessera::detail::SliceCore& slice,
                      tessera::detail::Fingerprint arguments) const {
  if (!(slice.array().group() == group()))
    throw UsageError(formatted("{}: {} is of another group than the file", context, slice.description()));
  require_agreement(context, arguments.add(slice.fingerprint()));
  tessera::detail::begin_operation(context, {slice});
}

void FileState::take_space(index_t bytes, Use use, const std::string& context) {
  // What HDF5 writes about a dataset or attribute, and does not write at once.
  constexpr index_t for_each = 4096, most_for_structure = index_t{4} << 20;
  if (for_structure_ >= most_for_structure) flush(context);
  step(context, [&] {
    if (group().rank() != 0) return;
    const index_t begin = std::max(kept_, size_of_file(this->bytes()));
    open_.took_space = true;
    reserve_space(this->bytes(), begin, bytes + for_each + for_hdf5, Size::stays);
    kept_ = begin + for_each + (use == Use::later ? bytes : 0);
  });
  for_structure_ += for_each;
}

void FileState::flush(const std::string& context) {
  step(context, [&] { hdf5::flush(file()); });
  kept_ -= std::exchange(for_structure_, 0);
}

}  // namespace tessera::io::detail
