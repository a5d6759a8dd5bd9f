// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

namespace tessera::io {

/// The libraries behind files and pictures.
struct BackendReport {
  /// The HDF5 that is loaded: its version, such as "1.10.8".
  std::string hdf5;
  /// Whether pictures can be drawn: this build has libpng.
  bool has_pictures = false;
};

/// Reports which libraries are in use. @local @throws IoError if HDF5 cannot start
BackendReport backend_report();

}  // namespace tessera::io
