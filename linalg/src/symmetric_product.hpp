// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/symmetric.hpp>

#include "distributed_product.hpp"

namespace tessera::linalg::detail {

/// c = the product, which is known to be symmetric or Hermitian, + beta * c. @collective, from after
/// begin_operation to end_operation
template <class T>
void symmetric_product(Symmetry symmetry, LocalProduct<T>& product, const tessera::detail::SliceCore& c,
                       index_t k, T beta);

}  // namespace tessera::linalg::detail
