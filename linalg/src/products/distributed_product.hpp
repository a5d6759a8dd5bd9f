// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <string_view>

#include <tessera/core/agreed.hpp>

#include "products/local_product.hpp"

namespace tessera::linalg::detail {

/// A product alpha * left * right. The factors are as those of a LocalProduct.
template <class T>
struct ProductFactors {
  T alpha;
  const FusedMatrix& left;
  bool conjugate_left;
  const FusedMatrix& right_transposed;
  bool conjugate_right;
};

/// What a product has computed.
struct Computed {
  /// Of the result.
  Tiles tiles{};
  /// Whether processes have added parts of sums to the results of others. Then no process may read its results
  /// before all have synchronised.
  bool in_parts = false;
};

/// c = the product + beta * c, in the tiles of c that `computed` asks for; their part may be `alternate` or
/// `all`. It says which have been computed. Every process computes the part of c that it owns. If that part is
/// too small for the data that it needs, every process instead computes a part of the sums of all of c. The
/// outcome may differ between ranks, which agree on it when they end the operation. @collective; the result is
/// not yet visible to other ranks
/// @throws on every rank if it cannot be prepared on one
template <class T>
tessera::detail::Outcome distributed_product(std::string_view routine, const ProductFactors<T>& factors,
                                             const FusedMatrix& c, T beta, Computed& computed);

/// Multiplies the elements that this rank owns; a factor of zero clears NaN, too. @onesided
template <class T>
void multiply_own_elements(const tessera::detail::SliceCore& c, T factor);

/// Computes only this process's own part of c. @onesided
template <class T>
void multiply_own(LocalProduct<T>& product, const FusedMatrix& c, index_t k, T beta, const Tiles& tiles);

/// The most bytes that this process needs for distributed_product() of these factors. @local
template <class T>
index_t product_memory(const LocalProduct<T>& product, const FusedMatrix& c, index_t k);
/// The same for multiply_own(). @local
template <class T>
index_t own_memory(const LocalProduct<T>& product, const FusedMatrix& c, index_t k);
/// The same for either, and factors of any layouts. @local
template <class T>
index_t most_memory(const FusedMatrix& c, index_t k);

}  // namespace tessera::linalg::detail
