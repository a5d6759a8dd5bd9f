// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string>
#include <vector>

#include <tessera/sparse.hpp>

namespace tessera {

/// The extents of a matrix in a file, and the elements of it that this rank has read.
template <Arithmetic T>
struct FileTriplets {
  index_t rows, columns;
  std::vector<Triplet<T>> triplets;
};

/// Reads a file in Matrix Market's coordinate format (R. Boisvert, R. Pozo, K. Remington: The Matrix Market
/// Exchange Formats, NISTIR 5935, 1996). Each rank reads a share of its lines, so all ranks must see the file.
/// Elements that symmetric, Hermitian and skew-symmetric files leave out are added; those of patterns are 1.
/// @collective
/// @throws UsageError on every rank if the file cannot be read, is not in this format, or has numbers that are
/// no T: complex numbers need a complex T, real numbers a floating-point T, and all must be in T's range
template <Arithmetic T>
FileTriplets<T> read_matrix_market(const Group& group, const std::string& path);

}  // namespace tessera
