// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/linalg/diis.hpp>

namespace tessera::linalg::detail {

/// The weights of the iterations, with the sum 1, whose errors have the combination of least norm. Left out are
/// differences whose distance from the space of newer ones, squared and relative, is not above `threshold`. So
/// are those whose norm is not above that part of the newest error's norm: rounding made them. @local
std::vector<double> diis_weights(const ErrorDifferences& differences, double newest_norm, double threshold);

}  // namespace tessera::linalg::detail
