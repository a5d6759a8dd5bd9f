// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/scalapack_call.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <tessera/core/agreed.hpp>
#include <tessera/linalg/error.hpp>

#include "blas/buffer.hpp"
#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {

using tessera::detail::Box;
using tessera::detail::LocalPiece;

namespace {

// The grid is made by all processes, each of which needs a buffer of BLAS.
const SliceCore& agreed_to_have_memory(std::string_view routine, const SliceCore& matrix) {
  tessera::detail::agreed(matrix.array().group(), routine, [] { blas::require_buffer(); });
  return matrix;
}

}  // namespace

ScalapackCall::ScalapackCall(std::string_view routine, const SliceCore& matrix, index_t largest_extent,
                             const Blocking& blocking)
    : routine_(routine),
      matrix_(agreed_to_have_memory(routine, matrix)),
      block_grid_(BlockGrid::choose(routine, matrix, largest_extent, blocking)),
      grid_(matrix.array().group().mpi_comm(), block_grid_.rows, block_grid_.columns, block_grid_.order) {}

ScalapackMatrix ScalapackCall::copy_of(const SliceCore& operand) const {
  return {operand, block_grid_, grid_, Contents::keep, ScalapackMatrix::Use::copy};
}

ScalapackMatrix ScalapackCall::operand(const SliceCore& operand, Contents contents) const {
  return {operand, block_grid_, grid_, contents, ScalapackMatrix::Use::in_place};
}

ArrayCore ScalapackCall::matrix(index_t rows, index_t columns) const {
  return matrix(rows, columns, matrix_.type());
}

ArrayCore ScalapackCall::matrix(index_t rows, index_t columns, const tessera::detail::ElementType& type) const {
  const ArrayCore& like = matrix_.array();
  const index_t dims[2] = {rows, columns};
  return {like.group(), block_grid_.layout(dims, like.group().size()), type, {.name = like.name()}};
}

void ScalapackCall::fail(std::string name, int info, std::string_view what, const SliceCore& named) const {
  // A separate statement: the name is moved from, and arguments are evaluated in any order.
  const std::string message = formatted("{}: {} {}{}", routine_, described(named), what,
                                        what == "failed" ? formatted(" (info {} of {})", info, name) : "");
  throw LinalgError(message, std::move(name), info);
}

void ScalapackCall::fail_to_work(int info) const {
  if (info == scalapack::wrote_behind) {
    throw LinalgError(
        formatted("{}: ScaLAPACK wrote behind its workspace for {} in blocks of {} on a grid of {} x "
                  "{} (it asked for too little); choose another blocking, and tell Tessera's authors",
                  routine_, described(matrix_), block_grid_.block, block_grid_.rows, block_grid_.columns),
        std::string(routine_), info);
  }
  throw MemoryError(
      formatted("{}: a process has no memory for ScaLAPACK's workspace for {} (it needs as much again "
                "as the matrix, or more); use more processes",
                routine_, described(matrix_)));
}

void begin_routine(std::string_view routine, std::initializer_list<SliceCore> slices) {
  for (const SliceCore& slice : slices) require_no_members(routine, slice);
  tessera::detail::begin_operation(routine, slices, tessera::detail::Shapes::any);
}

void require_square(std::string_view routine, const SliceCore& a) {
  if (a.extents()[0] != a.extents()[1]) throw_bad_shapes(formatted("{} needs a square matrix", routine), {&a});
}

void require_system(std::string_view routine, const SliceCore& a, const SliceCore& b) {
  if (a.extents()[0] != a.extents()[1] || a.extents()[1] != b.extents()[0])
    throw_bad_shapes(formatted("{} needs a square matrix and as many rows on the right", routine), {&a, &b});
  if (a.may_overlap(b)) {
    throw UsageError(
        formatted("{}: {} cannot be matrix and right-hand side at once", routine, a.description()));
  }
}

template <class T>
double largest_of_lower(const SliceCore& a) {
  double largest = 0;
  for_each_of_lower<T>(a, [&](index_t, index_t, const T& x) { largest = std::max(largest, magnitude_of(x)); });
  return a.array().group().all_reduce(largest, Reduce::max);
}

template <class T>
double largest_of_lower(std::string_view routine, const SliceCore& a, std::string name) {
  const double largest = largest_of_lower<T>(a);
  if (!std::isfinite(largest)) throw_not_finite(routine, a, std::move(name));
  return largest;
}

template <class T>
int lower_to_one(std::string_view routine, const SliceCore& a, std::span<const int> scales, std::string name) {
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::min(), infinite = -(none + 1);
  std::int32_t largest = none;
  for_each_of_lower<T>(a, [&](index_t i, index_t j, const T& x) {
    if (x == T{}) return;
    const double magnitude = magnitude_of(x);
    const int scale =
        scales.empty() ? 0 : scales[static_cast<std::size_t>(i)] + scales[static_cast<std::size_t>(j)];
    largest = std::max(largest, std::isfinite(magnitude) ? std::ilogb(magnitude) + scale : infinite);
  });
  largest = a.array().group().all_reduce(largest, Reduce::max);
  if (largest == infinite) throw_not_finite(routine, a, std::move(name));
  return largest == none ? 0 : -largest;
}

void keep_triangle(const SliceCore& a, Triangle kept, index_t diagonals) {
  const index_t size = a.type().size;
  a.for_each_piece_of(a.array().group().rank(), [&](const LocalPiece& piece) {
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      for (index_t j = piece.box.lo[1]; j < piece.box.hi[1]; ++j) {
        if (kept == Triangle::lower ? j <= i + diagonals : j + diagonals >= i) continue;
        const index_t offset =
            (i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1];
        std::memset(piece.data + offset * size, 0, static_cast<std::size_t>(size));
      }
    }
  });
}

template <class T>
void mirror(const SliceCore& a, Triangle known, bool conjugated) {
  const int turned[2] = {1, 0};
  const ArrayCore& array = a.array();
  const ArrayCore transposed(array.group(), array.layout(), array.type(), {.name = array.name()});
  tessera::detail::copy(a.permuted(turned), transposed);
  std::vector<LocalPiece> pieces;
  const int rank = array.group().rank();
  SliceCore(transposed).for_each_piece_of(rank, [&](const LocalPiece& piece) { pieces.push_back(piece); });
  auto from = pieces.begin();
  a.for_each_piece_of(rank, [&](const LocalPiece& piece) {
    const auto* source = reinterpret_cast<const T*>((from++)->data);
    auto* target = reinterpret_cast<T*>(piece.data);
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      for (index_t j = piece.box.lo[1]; j < piece.box.hi[1]; ++j) {
        if (known == Triangle::lower ? j <= i : j >= i) continue;
        const index_t offset =
            (i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1];
        target[offset] = conjugated ? conjugate(source[offset]) : source[offset];
      }
    }
  });
  tessera::detail::end_operation(a);
}
template <class T>
void copy_adjoint(const SliceCore& from, const SliceCore& to) {
  const int turned[2] = {1, 0};
  tessera::detail::copy(from.permuted(turned), to);
  if constexpr (!std::is_floating_point_v<T>) {
    to.for_each_piece_of(to.array().group().rank(), [&](const LocalPiece& piece) {
      for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
        for (index_t j = piece.box.lo[1]; j < piece.box.hi[1]; ++j) {
          T& x = reinterpret_cast<T*>(
              piece.data)[(i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1]];
          x = std::conj(x);
        }
      }
    });
    tessera::detail::end_operation(to);
  }
}

#define TESSERA_DEFINE(T)                                                               \
  template void mirror<T>(const SliceCore&, Triangle, bool);                            \
  template void copy_adjoint<T>(const SliceCore&, const SliceCore&);                    \
  template double largest_of_lower<T>(const SliceCore&);                                \
  template double largest_of_lower<T>(std::string_view, const SliceCore&, std::string); \
  template int lower_to_one<T>(std::string_view, const SliceCore&, std::span<const int>, std::string);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

SliceCore corner(const SliceCore& matrix, index_t rows, index_t columns) {
  Box box{};
  box.hi[0] = rows, box.hi[1] = columns;
  return matrix.patch(box);
}

}  // namespace tessera::linalg::detail
