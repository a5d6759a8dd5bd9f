// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <utility>

#include <hdf5.h>
#include <mpi.h>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// Hides failures from HDF5. If a write fails on one rank, HDF5 leaves its collective calls there, and the other
// ranks wait in them. If closing a file fails, HDF5 frees the file, and closes it once more when the library
// ends. So for our files we tell HDF5 that all went well, and record what did not. All @local.
namespace tessera::io::hdf5 {

/// Thrown where elements or a file's structure were lost.
class LossError : public Hdf5Error {
 public:
  using Hdf5Error::Hdf5Error;
};

/// Does what may fail on one rank before ranks open a file together. The ranks must agree on the result.
void prepare_to_open_together();

/// Files that HDF5 opens with these properties, while such an object lives, are ours.
class OpenOurs {
 public:
  explicit OpenOurs(hid_t access);
  ~OpenOurs();
  OpenOurs(const OpenOurs&) = delete;
  OpenOurs& operator=(const OpenOurs&) = delete;
};

struct InfoTraits {
  using Handle = MPI_Info;
  static Handle null() noexcept { return MPI_INFO_NULL; }
  static void free(Handle handle) noexcept { MPI_Info_free(&handle); }
};
using Info = tessera::detail::UniqueHandle<InfoTraits>;
/// The hints for MPI-IO about our files.
Info hints();

/// Whether part of a file's structure was lost since the last call. HDF5 then believes the file holds more than
/// it does.
bool take_lost_structure() noexcept;
/// @throws LossError if anything was lost since the last call
void throw_loss();

/// Runs work of HDF5. @throws LossError if something was lost meanwhile, which may be why the work failed
template <class Work>
void without_loss(Work&& work) {
  std::exception_ptr problem;
  try {
    std::forward<Work>(work)();
  } catch (...) {
    problem = std::current_exception();
  }
  throw_loss();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace tessera::io::hdf5
