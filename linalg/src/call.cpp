// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "call.hpp"

#include <cstring>

#include <tessera/linalg/error.hpp>

#include "format.hpp"

namespace tessera::linalg::detail {

Call::Call(std::string_view routine, const SliceCore& matrix, index_t largest_extent)
    : routine_(routine),
      matrix_(matrix),
      target_(Target::choose(matrix, largest_extent)),
      grid_(matrix.array().group().mpi_comm(), target_.rows, target_.columns, target_.order) {}

Distributed Call::copy_of(const SliceCore& operand) const {
  return {operand, target_, grid_, Contents::keep, Distributed::Use::copy};
}

Distributed Call::operand(const SliceCore& operand, Contents contents) const {
  return {operand, target_, grid_, contents, Distributed::Use::in_place};
}

ArrayCore Call::matrix(index_t rows, index_t columns) const {
  const ArrayCore& like = matrix_.array();
  const index_t dims[2] = {rows, columns};
  return {like.group(), target_.layout(dims, like.group().size()), like.type(), {.name = like.name()}};
}

void Call::fail(std::string name, int info, std::string_view what) const {
  throw LinalgError(formatted("{}: {} {}{}", routine_, described(matrix_), what,
                              what == "failed" ? formatted(" (info {} of {})", info, name) : ""),
                    std::move(name), info);
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

void keep_triangle(const SliceCore& a, Triangle kept) {
  const index_t size = a.array().type().size;
  a.for_each_piece_of(a.array().group().rank(), [&](const tessera::detail::LocalPiece& piece) {
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      for (index_t j = piece.box.lo[1]; j < piece.box.hi[1]; ++j) {
        if (kept == Triangle::lower ? j <= i : j >= i) continue;
        const index_t offset =
            (i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1];
        std::memset(piece.data + offset * size, 0, static_cast<std::size_t>(size));
      }
    }
  });
}

}  // namespace tessera::linalg::detail
