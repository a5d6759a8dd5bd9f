// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
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

  enum class Use : unsigned { load, write, go_on };
  /// How many ways each use has: three datasets as elements of five kinds, whole or a corner, and one by its
  /// name; all calls that write; two arrays on disk and a recording of probes.
  static constexpr std::array<unsigned, 3> ways{31, 1, 3};
  /// Asks a file for what it has, and uses it in one way. Each call returns, or throws an error of files or
  /// memory; no id of HDF5 stays open. @local
  void use_file(Use use, unsigned way);

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
