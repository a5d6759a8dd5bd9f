// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include <tessera/linalg/operand.hpp>

#include "format.hpp"
#include "scalapack/scalapack_matrix.hpp"
#include "scalapack/scaling.hpp"

namespace tessera::linalg::detail {

/// largest_of() and require_finite() for the lower triangle alone, for routines that do not read the upper one.
/// @collective
template <class T>
double largest_of_lower(const SliceCore& a);
template <class T>
double largest_of_lower(std::string_view routine, const SliceCore& a, std::string name);
/// The exponent that brings the largest element of the lower triangle to one, after row i and column i are
/// multiplied by 2^scales[i]; an empty span stands for zeros. @collective @throws as require_finite
template <class T>
int lower_to_one(std::string_view routine, const SliceCore& a, std::span<const int> scales, std::string name);
template <class T>
int first_without_inverse(const SliceCore& a);

/// A Tessera routine's call of ScaLAPACK: it holds the grid of the operands and handles the resulting info.
class ScalapackCall {
 public:
  /// `matrix` gives the preferred layout, and errors name it. @collective
  /// @throws UsageError on every rank for an impossible blocking
  ScalapackCall(std::string_view routine, const SliceCore& matrix, index_t largest_extent,
                const Blocking& blocking);

  /// A copy that may be overwritten. @collective
  ScalapackMatrix copy_of(const SliceCore& operand) const;
  /// The operand itself if ScaLAPACK can use its layout, else a copy. @collective
  ScalapackMatrix operand(const SliceCore& operand, Contents contents = Contents::keep) const;
  /// A new matrix on the grid, of the matrix's type unless another is given. @collective
  ArrayCore matrix(index_t rows, index_t columns) const;
  ArrayCore matrix(index_t rows, index_t columns, const tessera::detail::ElementType& type) const;
  /// An extent as the int in which ScaLAPACK counts.
  int narrow(index_t extent) const { return scalapack::checked_int(extent, matrix_.array().name()); }
  std::string_view routine() const noexcept { return routine_; }
  const Group& group() const noexcept { return matrix_.array().group(); }
  const scalapack::Grid& grid() const noexcept { return grid_; }
  const BlockGrid& block_grid() const noexcept { return block_grid_; }

  /// Calls f() on the processes of the grid and returns its info, the same on all ranks. @collective
  /// @throws MemoryError on every rank if one has no memory for its workspace, LinalgError if ScaLAPACK wrote
  /// behind it
  template <class F>
  int run(F&& f) const {
    const auto call = [&] {
      const scalapack::Topologies kept;
      return f();
    };
    const int info = agree_on_info(matrix_, grid_ ? call() : 0);
    if (info <= scalapack::no_memory) fail_to_work(info);
    return info;
  }
  /// The same; any info but 0 is a failure. @collective @throws LinalgError
  template <class F>
  void must(std::string name, F&& f) const {
    const int info = run(f);
    if (info != 0) fail(std::move(name), info, "failed");
  }
  /// The same; a positive info means that `what` did not converge. @collective @throws LinalgError
  template <class F>
  void must_converge(std::string name, std::string_view what, F&& f) const {
    const int info = run(f);
    if (info > 0) fail(std::move(name), info, formatted("has {} that did not converge (info {})", what, info));
    if (info < 0) fail(std::move(name), info, "failed");
  }
  /// Replaces the lower triangle of a positive definite matrix by its Cholesky factor. It scales rows and
  /// columns by powers of two before, and returns their exponents. `named` is the operand that `a` is a copy
  /// of.
  /// @collective @throws LinalgError
  template <class T>
  std::vector<int> factor_spd(const ScalapackMatrix& a, int n, const SliceCore& named) const {
    largest_of_lower<T>(routine_, named, "p?potrf");  // p?potrf does not notice NaN or infinity
    const SliceCore matrix = a.matrix();
    std::vector<int> scales = roots_to_one(matrix);
    scale_by(matrix, scales, scales);
    int info = run([&] { return scalapack::potrf<T>(n, a.data<T>(), a.descriptor()); });
    if (info < 0) fail("p?potrf", info, "failed", named);
    if (info == 0) info = first_without_inverse<T>(matrix);  // far from positive, p?potrf may overflow
    if (info > 0) fail("p?potrf", info, formatted("is not positive definite: leading minor {}", info), named);
    return scales;
  }
  /// @throws LinalgError that names routine and matrix and says `what` of it.
  [[noreturn]] void fail(std::string name, int info, std::string_view what) const {
    fail(std::move(name), info, what, matrix_);
  }
  [[noreturn]] void fail(std::string name, int info, std::string_view what, const SliceCore& named) const;

 private:
  [[noreturn]] void fail_to_work(int info) const;

  std::string_view routine_;
  const SliceCore& matrix_;
  BlockGrid block_grid_;
  scalapack::Grid grid_;
};

/// Begins a routine, which takes no members of structures. @collective @throws UsageError on every rank
void begin_routine(std::string_view routine, std::initializer_list<SliceCore> slices);
/// Requires that `a` is square, and that `b` is another matrix with as many rows; else an error on every rank.
/// @local
void require_system(std::string_view routine, const SliceCore& a, const SliceCore& b);
void require_square(std::string_view routine, const SliceCore& a);
/// Calls f(i, j, element) for the elements of the lower triangle that this rank has. @local
template <class T, class F>
void for_each_of_lower(const SliceCore& a, F&& f) {
  a.for_each_piece_of(a.array().group().rank(), [&](const tessera::detail::LocalPiece& piece) {
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      const index_t end = std::min(piece.box.hi[1], i + 1);
      for (index_t j = piece.box.lo[1]; j < end; ++j) {
        const index_t offset =
            (i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1];
        f(i, j, reinterpret_cast<const T*>(piece.data)[offset]);
      }
    }
  });
}

/// Calls f(i, element) for the elements of the diagonal that this rank has. @local
template <class T, class F>
void for_each_of_diagonal(const SliceCore& a, F&& f) {
  a.for_each_piece_of(a.array().group().rank(), [&](const tessera::detail::LocalPiece& piece) {
    const index_t begin = std::max(piece.box.lo[0], piece.box.lo[1]),
                  end = std::min(piece.box.hi[0], piece.box.hi[1]);
    for (index_t i = begin; i < end; ++i) {
      const index_t offset =
          (i - piece.box.lo[0]) * piece.strides[0] + (i - piece.box.lo[1]) * piece.strides[1];
      f(i, reinterpret_cast<T*>(piece.data)[offset]);
    }
  });
}

/// The number, counted from 1, of the first element of the diagonal that is zero or not finite; 0 if there is
/// none.
/// @collective
template <class T>
int first_without_inverse(const SliceCore& a) {
  std::int64_t first = a.extents()[0];
  for_each_of_diagonal<const T>(a, [&](index_t i, const T& x) {
    if (x == T{0} || !std::isfinite(std::real(x)) || !std::isfinite(std::imag(x)))
      first = std::min<std::int64_t>(first, i);
  });
  first = a.array().group().all_reduce(first, Reduce::min);
  return first == a.extents()[0] ? 0 : static_cast<int>(first + 1);
}

/// Sets this rank's elements to zero beyond a triangle: more than `diagonals` below the diagonal (for an upper
/// triangle) or above it (for a lower one). @local
void keep_triangle(const SliceCore& a, Triangle kept, index_t diagonals = 0);
/// Fills the other triangle of a whole array from the known one. @collective
template <class T>
void mirror(const SliceCore& a, Triangle known, bool conjugated);
/// to = the adjoint of from. @collective
template <class T>
void copy_adjoint(const SliceCore& from, const SliceCore& to);
/// The first rows and columns. @local
SliceCore corner(const SliceCore& matrix, index_t rows, index_t columns);

}  // namespace tessera::linalg::detail
