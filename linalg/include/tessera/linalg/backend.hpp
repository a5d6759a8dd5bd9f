// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/runtime/group.hpp>

namespace tessera::linalg {

/// The BLAS and the processors that matrix routines use, as one process of a group sees them.
struct BackendReport {
  /// The library and its version, "OpenBLAS 0.3.21" or "unknown BLAS".
  std::string blas;
  /// Its kernels, such as "Haswell"; empty if the library does not report them.
  std::string kernels;
  /// Threads that one call may use; 0 if the library does not report it.
  int threads = 0;
  /// Processors that this process may run on, and processes of the group on its node.
  int processors = 0, processes = 0;
  /// The files of ScaLAPACK and ELPA that are loaded. Empty if the library is not used, or if it is linked into
  /// the program and so has no file.
  std::string scalapack = {}, elpa = {};
  /// One sentence each: what is slow, and what to set.
  std::vector<std::string> warnings;
  /// One sentence each: a known defect of this version, and what Tessera does about it.
  std::vector<std::string> defects;

  /// The whole report as text, one line for each item. @local
  std::string text() const;
};

/// Reports which BLAS and kernels are in use, and how many threads. It warns if the kernels are for an older
/// processor than this one. It also warns if all processes of a node have more threads than the node has
/// processors. @local
BackendReport backend_report(const Group& group);

namespace detail {

/// Prints the warnings of backend_report() when a process calls it first, at rank 0 of the group. All matrix
/// routines call it. TESSERA_WARNINGS=off silences it. @local
void warn_of_backend(const Group& group);

/// Whether ssymv multiplies what another call has left in a buffer by zero. That makes NaN if it was NaN, or a
/// double that looks like one. OpenBLAS 0.3.21 does so with kernels for Prescott, Core2 and the like, if n mod
/// 4 is 2 or 3. @local
bool reads_stale_numbers();

}  // namespace detail

}  // namespace tessera::linalg
