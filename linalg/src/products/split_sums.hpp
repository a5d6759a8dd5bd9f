// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include "products/local_product.hpp"

// Whether each process computes its own part of a result, or a part of all sums.
namespace tessera::linalg::detail {

/// The inner indices that each rank sums over, if every rank computes a part of all sums.
using Split = std::vector<IndexSet>;

/// Whether each rank may compute a part of all sums over k indices: there are enough sums, and memory for all
/// of c. @local
template <class T>
bool can_split(const FusedMatrix& c, index_t k);

/// Empty if it is better that each rank computes its own part of the result. The answer depends on the layouts
/// alone, so it is the same on every process. @local
template <class T>
Split split_of(const LocalProduct<T>& product, const FusedMatrix& c);

}  // namespace tessera::linalg::detail
