// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::detail::mpi {

/// While one exists, MPI does not yield the core when it finds nothing to do: the caller knows when to. Open
/// MPI yields in each call if it was told that there are more processes than cores. On a loaded machine the
/// core comes back a time slice later. Another thread that waits in MPI does not yield during that time either,
/// which is some microseconds. @local
class Unyielding {
 public:
  Unyielding() noexcept;
  ~Unyielding();
  Unyielding(const Unyielding&) = delete;
  Unyielding& operator=(const Unyielding&) = delete;
};

}  // namespace tessera::detail::mpi
