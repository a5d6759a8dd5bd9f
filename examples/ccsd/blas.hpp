// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/view.hpp>

namespace ccsd {

/// c = c + a b (DGEMM), for matrices in the memory of one process. Either dimension of each may be contiguous.
void add_product(const tessera::View<const double, 2>& a, const tessera::View<const double, 2>& b,
                 const tessera::View<double, 2>& c);

}  // namespace ccsd
