// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/symmetric.hpp>

#include "products/distributed_product.hpp"

namespace tessera::linalg::detail {

/// c = the product + beta * c, for a product that is known to be symmetric or Hermitian. @collective; the
/// caller has called begin_operation(), and end_operation() is called here
template <class T>
void symmetric_product(Symmetry symmetry, LocalProduct<T>& product, const tessera::detail::SliceCore& c,
                       index_t k, T beta);

}  // namespace tessera::linalg::detail
