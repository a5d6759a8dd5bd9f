// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "distributed.hpp"

namespace tessera::linalg::detail {

/// A routine of Tessera's that calls ScaLAPACK: the grid of its operands, and what came of it.
class Call {
 public:
  /// `matrix` says which layout is preferred, and is the one that errors name. @collective
  Call(std::string_view routine, const SliceCore& matrix, index_t largest_extent);

  /// A copy that may be overwritten. @collective
  Distributed copy_of(const SliceCore& operand) const;
  /// The operand itself where it lies as ScaLAPACK wants it. @collective
  Distributed operand(const SliceCore& operand, Contents contents = Contents::keep) const;
  /// A new matrix on the grid, of the matrix's type. @collective
  ArrayCore matrix(index_t rows, index_t columns) const;
  /// An extent as ScaLAPACK counts.
  int narrow(index_t extent) const { return scalapack::checked_int(extent, matrix_.array().name()); }

  /// f() on the processes of the grid, and its info, the same on all. @collective
  template <class F>
  int run(F&& f) const {
    return agree_on_info(matrix_, grid_ ? f() : 0);
  }
  /// The same; any info but 0 is a failure. @collective @throws LinalgError
  template <class F>
  void must(std::string name, F&& f) const {
    const int info = run(f);
    if (info != 0) fail(std::move(name), info, "failed");
  }
  /// @throws LinalgError that names routine and matrix and says `what` of it.
  [[noreturn]] void fail(std::string name, int info, std::string_view what) const;

 private:
  std::string_view routine_;
  const SliceCore& matrix_;
  Target target_;
  scalapack::Grid grid_;
};

/// Square, and as many rows on the right, which is another matrix; else an error on every rank. @local
void require_system(std::string_view routine, const SliceCore& a, const SliceCore& b);
void require_square(std::string_view routine, const SliceCore& a);

/// Calls f(i, element) for the elements of the diagonal that this rank has. @local
template <class T, class F>
void for_each_of_diagonal(const SliceCore& a, F&& f) {
  a.for_each_piece_of(a.array().group().rank(), [&](const tessera::detail::LocalPiece& piece) {
    const index_t begin = std::max(piece.box.lo[0], piece.box.lo[1]),
                  end = std::min(piece.box.hi[0], piece.box.hi[1]);
    for (index_t i = begin; i < end; ++i) {
      const index_t offset =
          (i - piece.box.lo[0]) * piece.strides[0] + (i - piece.box.lo[1]) * piece.strides[1];
      f(i, reinterpret_cast<const T*>(piece.data)[offset]);
    }
  });
}

/// Sets the elements of this rank that are above or below the diagonal to zero. @local
enum class Triangle { lower, upper };
void keep_triangle(const SliceCore& a, Triangle kept);

}  // namespace tessera::linalg::detail
