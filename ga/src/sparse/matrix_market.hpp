// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <iosfwd>
#include <vector>

#include <tessera/sparse.hpp>

namespace tessera::detail {

/// What the header of a Matrix Market file says, and the entries of one share of its lines.
template <Arithmetic T>
struct MatrixShare {
  index_t rows = 0, columns = 0;
  index_t entries = 0;  // of the whole file, by its header
  index_t lines = 0;    // of the share, with an entry each
  std::vector<Triplet<T>> triplets = {};
};

/// Reads share `part` of `parts` of a file in coordinate format, which can be sought in. A line belongs to the
/// share in which it begins. @local @throws UsageError that says what is wrong with the file
template <Arithmetic T>
MatrixShare<T> parse_matrix_market(std::istream& in, int part, int parts);

}  // namespace tessera::detail
