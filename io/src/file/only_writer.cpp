// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "file/only_writer.hpp"

#include <set>

#include <sys/stat.h>

#include <tessera/io/error.hpp>

namespace tessera::io::detail {
namespace {

// Never destroyed: dropped files are closed when MPI ends, which may be later.
std::set<FileIdentity>& open_files() {
  static auto& files = *new std::set<FileIdentity>;
  return files;
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

OnlyWriter::OnlyWriter(const Descriptor& file) {
  const FileIdentity found = identity(file);
  require_none(found);
  if (found != FileIdentity{}) open_files().insert(found);
  file_ = found;
}

void OnlyWriter::require_none(const FileIdentity& file) {
  if (!open_files().contains(file)) return;
  throw IoError(
      "this program has the file open for writing already (HDF5 would lose datasets of one of both); use that "
      "File, or close() it first");
}

OnlyWriter::~OnlyWriter() {
  if (file_ != FileIdentity{}) open_files().erase(file_);
}

}  // namespace tessera::io::detail
