// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include "blas.hpp"

namespace tessera::linalg::blas {

/// c = alpha * a * b + beta * c for a sum of few products, by kernels of our own: BLAS clears c and then adds
/// to it, and where few products are summed it is c that takes the time. Whether it was done; not where BLAS is
/// as fast, or is all there is: on processors without AVX2 and FMA, for complex elements, and where c lies in
/// neither order. `widest`: bytes of the vectors to use, if the processor has them. @local
template <class T>
bool rank_update(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, const Panel<const T>& b,
                 T beta, const Panel<T>& c, index_t widest = 64);

}  // namespace tessera::linalg::blas
