// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstdint>

namespace tessera::test {

/// Kinds of objects of MPI that a program has to free.
enum class MpiKind : std::uint8_t {
  communicator,
  group,
  datatype,
  window,
  file,
  info,
  operation,
  memory,
  request
};
inline constexpr std::array<const char*, 9> mpi_kinds{"communicators", "MPI groups",      "datatypes",
                                                      "windows",       "MPI files",       "infos",
                                                      "operations",    "MPI allocations", "requests"};

/// How many of each kind this process has made and not freed, as this program's definitions of MPI's functions
/// have seen. @local
std::array<std::int64_t, mpi_kinds.size()> mpi_objects() noexcept;

}  // namespace tessera::test
