// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

namespace tessera::linalg {

/// Dimensions of a tensor that may be exchanged: an exchange of two of them multiplies each element by `sign`,
/// 1 for symmetric and -1 for antisymmetric dimensions. @local
struct IndexSymmetry {
  std::vector<int> dimensions;
  int sign = 1;
};

}  // namespace tessera::linalg
