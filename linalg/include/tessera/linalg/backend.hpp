// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

namespace tessera::linalg {

/// What matrix routines run on, as one process of a group sees it.
struct BackendReport {
  /// The library and its version, "OpenBLAS 0.3.21" or "unknown BLAS".
  std::string blas;
  /// Its kernels, such as "Haswell"; empty if it does not say.
  std::string kernels;
  /// That one call may use; 0 if the library does not say.
  int threads = 0;
  /// Processors that this process may run on, and processes of the group on its node.
  int processors = 0, processes = 0;
  /// Each a sentence that says what is slow and what to set.
  std::vector<std::string> warnings;
  /// Each a sentence about a defect that this version is known to have, and what Tessera does about it.
  std::vector<std::string> defects;

  /// All of it, a line for each thing. @local
  std::string text() const;
};

/// Which BLAS and kernels are in use and how many threads; warns if the kernels are for an older processor than
/// this one, or if all processes of a node have more threads than it has processors. @local
BackendReport backend_report(const Group& group);

}  // namespace tessera::linalg
