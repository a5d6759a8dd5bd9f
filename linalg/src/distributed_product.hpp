// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "local_product.hpp"

namespace tessera::linalg::detail {

/// c = the product, of sums over k, + beta * c, in those tiles of c; `tiles.part` may be `alternate` or all of
/// it. Every process computes what it owns of c; where that is too little to be worth what it takes to read,
/// every process computes a part of the sums of all of it. Says which tiles were computed. @collective; not yet
/// visible to others
template <class T>
Tiles distributed_product(LocalProduct<T>& product, const tessera::detail::SliceCore& c, index_t k, T beta,
                          const Tiles& tiles);

/// The first way alone: this process's part of c. @onesided
template <class T>
void multiply_own(LocalProduct<T>& product, const tessera::detail::SliceCore& c, index_t k, T beta,
                  const Tiles& tiles);

}  // namespace tessera::linalg::detail
