// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <string_view>

#include <tessera/io/error.hpp>

#include "format.hpp"

namespace tessera::io::hdf5 {

/// HDF5's error stack as one sentence, from what was asked for to what went wrong. @local
std::string reason();

/// Returns the result of an HDF5 function, unless it is a failure. @throws Hdf5Error
template <class Result>
Result check(Result result, std::string_view what) {
  if (result < 0) throw Hdf5Error(formatted("{} (HDF5: {})", what, reason()));
  return result;
}

}  // namespace tessera::io::hdf5
