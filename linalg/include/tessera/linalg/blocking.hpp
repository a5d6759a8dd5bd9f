// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::linalg {

/// How operands are distributed where a ScaLAPACK routine works on copies of them: in square blocks, on a grid
/// of processes. Tessera chooses a value that is 0. If both are 0, it takes the blocks and the grid of the
/// first operand, provided that ScaLAPACK can work on it in place. Otherwise it takes blocks of at most 64, on
/// the most nearly square grid of all processes. An operand that already has these blocks and this grid is not
/// copied, unless it would be overwritten.
struct Blocking {
  /// Rows and columns of a block. One far larger than the matrices is taken as one that holds them.
  int block = 0;
  /// Rows and columns of the grid; set both or neither. Processes beyond rows * columns stay idle.
  int rows = 0, columns = 0;
};

}  // namespace tessera::linalg
