// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/linalg/symmetric.hpp>

#include "products/distributed_product.hpp"

namespace tessera::linalg::detail {

/// c = alpha * left * right + beta * c, for a product that is known to be symmetric or Hermitian; the factors
/// are as those of a LocalProduct. @collective; the caller has called begin_operation(), and end_operation() is
/// called here
template <class T>
void symmetric_product(Symmetry symmetry, T alpha, const FusedMatrix& left, bool conjugate_left,
                       const FusedMatrix& right_transposed, bool conjugate_right, T beta,
                       const tessera::detail::SliceCore& c);

}  // namespace tessera::linalg::detail
