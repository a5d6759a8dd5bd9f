// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <exception>
#include <utility>

#include <hdf5.h>
#include <mpi.h>

#include <tessera/io/error.hpp>
#include <tessera/runtime/detail/unique_handle.hpp>

// What HDF5 is not to know. A write that fails on one rank makes HDF5 leave its collective calls there, and the
// others wait in them; a file whose closing fails is freed, and closed once more when the library ends. So in
// files of ours HDF5 is told that all went well, and we are told what did not. All @local.
namespace tessera::io::hdf5 {

/// Thrown where elements or a file's structure were lost.
class LossError : public Hdf5Error {
 public:
  using Hdf5Error::Hdf5Error;
};

/// What may fail on one rank before ranks open a file together. Agree on it.
void prepare_to_open_together();

/// Files that HDF5 opens with these properties, while one of these lives, are ours.
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
/// What MPI-IO is told about files of ours.
Info hints();

/// Whether part of a file's structure was lost since the last call: what HDF5 believes of that file is not in
/// it.
bool take_lost_structure() noexcept;
/// @throws LossError if anything was lost since the last call
void throw_loss();

/// Runs work that HDF5 does. @throws LossError if something was lost meanwhile, which may be why it failed
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
