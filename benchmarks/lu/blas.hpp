// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <tessera/view.hpp>

/// The work on blocks of one process. Blocks are stored by columns, and may be parts of larger ones.
namespace tessera::benchmark::lu {

using Block = View<double, 2>;
using ConstBlock = View<const double, 2>;

/// Replaces a square block by its factors L and U, without exchanging rows. The ones on the diagonal of L are
/// not stored. @local
void factor(const Block& a);
/// b = L^-1 b (DTRSM), where L is the lower triangle of `factors` with ones on its diagonal. @local
void divide_by_lower(const ConstBlock& factors, const Block& b);
/// b = b U^-1 (DTRSM), where U is the upper triangle of `factors`. @local
void divide_by_upper(const ConstBlock& factors, const Block& b);
/// c = c - a b (DGEMM). @local
void subtract_product(const ConstBlock& a, const ConstBlock& b, const Block& c);
/// LAPACK's DGETRF of a square block. Returns whether it has exchanged no rows. @local
bool factor_by_lapack(const Block& a);

}  // namespace tessera::benchmark::lu
