// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <vector>

#include "molecule.hpp"

namespace rhf {

/// How an operation mixes the functions of a shell: a square matrix, row-major.
struct Mixing {
  std::size_t functions;
  std::vector<double> values;
  Mixing transposed() const;
};

/// The matrix T of a rotation or reflection R with s_i(R^-1 r) = sum_j T_ij s_j(r), where s are a shell's
/// functions about the origin, in libint2's order.
Mixing shell_mixing(int momentum, bool is_spherical, const SymmetryOperation::Matrix& rotation);

}  // namespace rhf
