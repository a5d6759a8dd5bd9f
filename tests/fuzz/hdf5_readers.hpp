// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <tessera/runtime/runtime.hpp>

namespace tessera::fuzz {

/// A directory in memory, where there is such a place, and MPI with a Runtime of one rank. Both live as long as
/// the process.
class Hdf5World {
 public:
  Hdf5World(const Hdf5World&) = delete;
  Hdf5World& operator=(const Hdf5World&) = delete;
  static Hdf5World& instance();
  const std::filesystem::path& directory() const noexcept { return directory_; }
  const Runtime& runtime() const noexcept { return *runtime_; }
  /// The file that inputs are written to. @local
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Files that Tessera and HDF5 have written: one of io::File, one of io::save, one of io::Probes.
  const std::vector<std::string>& originals() const noexcept { return originals_; }

  /// Asks a file for all that it has. Then, by `way`: loads a dataset as elements of one kind; or writes into
  /// the file; or goes on with it as an array on disk or as a recording of probes. Each call returns, or throws
  /// an error of files or memory; no id of HDF5 stays open. @local
  void use_file(unsigned way);

 private:
  Hdf5World();
  ~Hdf5World();
  void write_into_file();
  void go_on_with_file(unsigned way);

  std::unique_ptr<Runtime> runtime_;  // ends before the variables of the library
  std::filesystem::path directory_, path_;
  std::vector<std::string> originals_;
};

}  // namespace tessera::fuzz
