// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "blas/blas.hpp"

namespace tessera::linalg::blas {

/// Whether rank_update() computes a sum of few products faster than BLAS. BLAS clears c and then adds to it. If
/// c does not stay in the caches, that takes longer than the products. @local
template <class T>
constexpr bool is_rank_update(index_t m, index_t n, index_t k) noexcept {
  constexpr index_t max_products = 96, min_outer = 64, min_bytes = index_t{1} << 20;
  return k <= max_products && m >= min_outer && n >= min_outer &&
         m * n * static_cast<index_t>(sizeof(T)) >= min_bytes;
}

/// c = alpha * a * b + beta * c by kernels of our own. Returns false if nothing was done: on processors without
/// AVX2 and FMA, or if c is neither by rows nor by columns. `widest`: the bytes of the widest vectors to use,
/// if the processor has them.
/// @local
template <class T>
bool rank_update(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, const Panel<const T>& b,
                 T beta, const Panel<T>& c, index_t widest = 64);

}  // namespace tessera::linalg::blas
