// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/linalg/operand.hpp>

// Every routine of ELPA that Tessera calls, in one place. In a build without ELPA, solve() is not called.
namespace tessera::linalg::elpa {

#ifdef TESSERA_HAS_ELPA
inline constexpr bool is_available = true;
#else
inline constexpr bool is_available = false;
#endif

/// Whether ELPA can solve for T. Debian's build has no single precision, and reports that only when it
/// computes.
template <class T>
inline constexpr bool has = is_available && sizeof(linalg::detail::Real<T>) == sizeof(double);

/// A matrix of n rows on a grid of all ranks of a group, as one of these ranks has it.
struct ElpaProblem {
  const Group& group;
  int n, wanted, block, row, column, local_rows, local_columns;
};

/// Computes the `wanted` smallest eigenvalues, and their vectors if `vectors` is set. It reads both triangles
/// of a, and overwrites a. Returns the error, the same on all ranks; empty if there is none. @collective
template <class T>
std::string solve(const ElpaProblem& problem, bool vectors, T* a, linalg::detail::Real<T>* values, T* z);

}  // namespace tessera::linalg::elpa
