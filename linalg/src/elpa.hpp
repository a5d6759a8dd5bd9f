// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>

#include <tessera/linalg/operand.hpp>

// Every routine of ELPA that Tessera calls, in one place; where there is none, solve() is not called.
namespace tessera::linalg::elpa {

#ifdef TESSERA_HAS_ELPA
inline constexpr bool is_available = true;
#else
inline constexpr bool is_available = false;
#endif

/// Debian's has no single precision, and says so only when it has to compute.
template <class T>
inline constexpr bool has = is_available && sizeof(linalg::detail::Real<T>) == sizeof(double);

/// A matrix of n rows on a grid of all members of a group, as one of them has it.
struct ElpaProblem {
  const Group& group;
  int n, wanted, block, row, column, local_rows, local_columns;
};

/// The wanted eigenvalues from the least on, and vectors if they are wanted; a, of which both triangles are
/// read, is overwritten. What went wrong, if anything, the same on all. @collective
template <class T>
std::string solve(const ElpaProblem& problem, bool vectors, T* a, linalg::detail::Real<T>* values, T* z);

}  // namespace tessera::linalg::elpa
