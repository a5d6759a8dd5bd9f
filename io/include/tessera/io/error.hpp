// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/runtime/error.hpp>

namespace tessera::io {

/// A file could not be written, read or understood; thrown on every rank, except by calls that one rank makes
/// alone. @local
class IoError : public Error {
 public:
  using Error::Error;
};

/// An HDF5 function failed; the message ends with HDF5's own account of it. Thrown on every rank. @local
class Hdf5Error : public IoError {
 public:
  using IoError::IoError;
};

}  // namespace tessera::io
