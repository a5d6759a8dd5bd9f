// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/io/backend.hpp>

#include "format.hpp"
#include "hdf5/hdf5.hpp"
#include "hdf5/hdf5_check.hpp"

namespace tessera::io {

BackendReport backend_report() {
  unsigned major = 0, minor = 0, release = 0;
  hdf5::check(H5get_libversion(&major, &minor, &release), "HDF5's version");
  BackendReport report{.hdf5 = formatted("{}.{}.{}", major, minor, release)};
#ifdef TESSERA_HAS_PNG
  report.has_pictures = true;
#endif
  return report;
}

}  // namespace tessera::io
