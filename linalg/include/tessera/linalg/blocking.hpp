// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

namespace tessera::linalg {

/// How operands are dealt out where a routine of ScaLAPACK works on copies of them: in square blocks, on a grid
/// of processes. What is 0 is chosen: the blocks and the grid of the first operand if ScaLAPACK can work on it
/// as it lies, else blocks of at most 64 on the grid of all processes that is nearest to a square. An operand
/// that has the blocks and the grid in use is not copied, but for one that would be overwritten.
struct Blocking {
  /// Rows and columns of a block.
  int block = 0;
  /// Of the grid, both or neither; the processes beyond rows * columns have nothing to do.
  int rows = 0, columns = 0;
};

}  // namespace tessera::linalg
