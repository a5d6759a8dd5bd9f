// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <vector>

#include <tessera/runtime/group.hpp>
#include <tessera/runtime/local_buffer.hpp>

#include "blas.hpp"
#include "ownership.hpp"

namespace tessera::benchmark::lu {

/// A distributed matrix, and how the parts of a step come to the ranks that work with them. For each step,
/// ranks publish what they have made, and wait for what they work with.
class Matrix {
 public:
  virtual ~Matrix() = default;
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  const Ownership& own() const noexcept { return own_; }
  /// Begins access to this rank's elements, and returns them. @local
  virtual Block open() = 0;
  /// Ends it, when no rank needs elements of others any more. @collective
  virtual void close() = 0;
  /// Tells that this rank has made its piece of a part. The diagonal comes first.
  virtual void publish(Part part, const Step& step) = 0;
  /// Begins to bring both panels of a step to this rank; progress() goes on with it.
  virtual void prefetch(const Step& step) = 0;
  virtual void progress() = 0;
  /// Returns the piece of a part that this rank works with. It stays until the step after the next. Ranks that
  /// share rows or columns with the step ask for the diagonal, all for the panels.
  virtual ConstBlock wait(Part part, const Step& step) = 0;

 protected:
  explicit Matrix(Ownership own);
  /// This rank's copy of a piece that another rank has. Steps take turns in two of them. @local
  Block room(Part part, const Step& step) const;

 private:
  Ownership own_;
  std::vector<LocalBuffer<double>> rooms_;
};

/// The piece of a part that this rank works with, where it lies among this rank's elements. @local
Block piece(const Ownership& own, const Block& elements, Part part, const Step& step);

/// An Array. Each rank gets copies of the panels, when a flag says that they are made. Blocks on the diagonal
/// are put. @collective
std::unique_ptr<Matrix> one_sided(const Group& world, const Ownership& own);
/// Broadcasts in the rows and columns of the grid: MPI_Ibcast for panels that are prefetched, else MPI_Bcast.
/// @collective
std::unique_ptr<Matrix> broadcast(const Group& world, const Ownership& own);

}  // namespace tessera::benchmark::lu
