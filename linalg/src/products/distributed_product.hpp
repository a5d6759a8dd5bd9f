// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "products/local_product.hpp"

namespace tessera::linalg::detail {

/// The tiles of a result that a product computes, and whether processes have added parts of sums to the results
/// of others: then no process may read its results before all have synchronised.
struct Computed {
  Tiles tiles{};
  bool in_parts = false;
};

/// c = the product, with sums over k, + beta * c, in the tiles of c that `computed` asks for; their part may be
/// `alternate` or `all`. It says which have been computed. Every process computes the part of c that it owns.
/// If that part is too small for the data that it needs, every process instead computes a part of the sums of
/// all of c. @collective; the result is not yet visible to other ranks. It may throw on some ranks only, but
/// all know what was computed.
template <class T>
void distributed_product(LocalProduct<T>& product, const FusedMatrix& c, index_t k, T beta, Computed& computed);

/// Computes only this process's own part of c. @onesided
template <class T>
void multiply_own(LocalProduct<T>& product, const FusedMatrix& c, index_t k, T beta, const Tiles& tiles);

}  // namespace tessera::linalg::detail
