// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "posix/only_writer.hpp"

#include <mutex>
#include <set>

#include <sys/stat.h>

#include <tessera/io/error.hpp>

namespace tessera::io::detail {
namespace {

using Part = std::pair<FileIdentity, index_t>;

struct Writers {
  std::mutex mutex;
  std::set<Part> parts;
};

// Never destroyed: dropped files are closed when MPI ends, which may be later.
Writers& writers() {
  static auto& all = *new Writers;
  return all;
}

}  // namespace

FileIdentity identity(const Descriptor& file) {
  struct stat status {};
  return fstat(file.get(), &status) == 0 ? FileIdentity{status.st_dev, status.st_ino} : FileIdentity{};
}
FileIdentity identity(const std::filesystem::path& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? FileIdentity{status.st_dev, status.st_ino} : FileIdentity{};
}

OnlyWriter::OnlyWriter(const Descriptor& file, index_t offset) {
  const FileIdentity found = identity(file);
  if (found == FileIdentity{}) return;
  if (offset == all_of_hdf5) require_none_of_hdf5(found);
  const std::lock_guard lock(writers().mutex);
  if (!writers().parts.emplace(found, offset).second) {
    throw IoError(
        "this program has a DiskArray of this dataset open for writing already (their transfers would be "
        "mixed); "
        "use that one, or close() it first");
  }
  file_ = found;
  offset_ = offset;
}

void OnlyWriter::require_none_of_hdf5(const FileIdentity& file) {
  const std::lock_guard lock(writers().mutex);
  if (!writers().parts.contains({file, all_of_hdf5})) return;
  throw IoError(
      "this program has the file open for writing already (HDF5 would lose datasets of one of both); use that "
      "File, or close() it first");
}

void OnlyWriter::require_none(const FileIdentity& file) {
  const std::lock_guard lock(writers().mutex);
  const auto found = writers().parts.lower_bound({file, all_of_hdf5});
  if (found == writers().parts.end() || found->first != file) return;
  throw IoError(
      "this program has the file open for writing already (what it writes would be lost); close() that File or "
      "DiskArray first");
}

void OnlyWriter::release() noexcept {
  if (file_ == FileIdentity{}) return;
  const std::lock_guard lock(writers().mutex);
  writers().parts.erase({std::exchange(file_, {}), offset_});
}

}  // namespace tessera::io::detail
