// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <string>

#include "mpi/mpi.hpp"

// Helpers shared by the wrappers of MPI's calls.
namespace tessera::detail::mpi {

/// MPI's text for an error code.
std::string text_of(int code);
/// Ends the job with a message unless the call succeeded. After an error the state of MPI is undefined
/// (MPI 4.0, 9.3): transfers may be under way into memory that an exception would free, and others may wait
/// inside the call.
void check(int code, const char* call) noexcept;
/// @throws LogicError if it does not fit.
int to_int(index_t value);
MPI_Datatype datatype(ElementKind kind);

/// Calls f(start, length) for pieces of at most `limit`.
template <class F>
void in_pieces(index_t total, index_t limit, F&& f) {
  for (index_t start = 0; start < total; start += limit) f(start, std::min(limit, total - start));
}
inline std::byte* at(void* base, index_t offset) { return static_cast<std::byte*>(base) + offset; }
inline const std::byte* at(const void* base, index_t offset) {
  return static_cast<const std::byte*>(base) + offset;
}
/// What to give MPI for a value that may lie at its place in the result.
inline const void* given(const void* value, const void* place) noexcept {
  return value == place ? MPI_IN_PLACE : value;
}

}  // namespace tessera::detail::mpi
