// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/symmetric_product.hpp"

#include <algorithm>
#include <vector>

#include <tessera/linalg/gemm.hpp>

#include "blas/instantiate.hpp"
#include "scalapack/scalapack_call.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::LocalPiece;
using tessera::detail::Outcome;
using tessera::detail::Shapes;

constexpr index_t min_tile = 64, max_tile = 256;

constexpr const char* name_of(Symmetry symmetry, const char* symmetric, const char* hermitian) {
  return symmetry == Symmetry::symmetric ? symmetric : hermitian;
}

// A part of the result that was computed as its mirror image, by another process or by this one.
template <class T>
struct Mirrored {
  Box box;
  blas::Panel<T> into;    // its place in the result
  std::vector<T> memory;  // by columns; only for a tile on the diagonal

  bool is_on_diagonal() const { return !memory.empty(); }
};

// The mirrored parts of this rank's pieces, and the transfer of their mirror images, which ends before their
// memory.
template <class T>
struct MirroredParts {
  std::vector<Mirrored<T>> parts{};
  Request request{};
};

template <class T>
MirroredParts<T> fetch_mirrored(const SliceCore& c, const Tiles& tiles) {
  const int turned[2] = {1, 0};
  const SliceCore image = c.permuted(turned);
  MirroredParts<T> fetched;
  std::vector<Mirrored<T>>& parts = fetched.parts;
  c.for_each_piece_of(c.array().group().rank(), [&](const LocalPiece& piece) {
    const auto &lo = piece.box.lo, &hi = piece.box.hi;
    const blas::Panel<T> place{reinterpret_cast<T*>(piece.data), piece.strides[0], piece.strides[1]};
    const auto columns = tile_ranges(IndexSet(lo[1], hi[1] - lo[1]), tiles.size);
    for (const TileRange& row : tile_ranges(IndexSet(lo[0], hi[0] - lo[0]), tiles.size)) {
      for (const TileRange& column : columns) {
        if (row.number != column.number && tiles.wants(row.number, column.number)) continue;
        Mirrored<T> part{{}, place.from(row.offset, column.offset), {}};
        part.box.lo[0] = lo[0] + row.offset, part.box.hi[0] = part.box.lo[0] + row.count;
        part.box.lo[1] = lo[1] + column.offset, part.box.hi[1] = part.box.lo[1] + column.count;
        // Nothing of it is above the diagonal.
        if (row.number == column.number && part.box.hi[1] - 1 <= part.box.lo[0]) continue;
        if (row.number == column.number) part.memory.resize(static_cast<std::size_t>(row.count * column.count));
        parts.push_back(std::move(part));
      }
    }
  });
  for (Mirrored<T>& part : parts) {
    const index_t rows = part.box.hi[0] - part.box.lo[0], columns = part.box.hi[1] - part.box.lo[1];
    const index_t extents[2] = {rows, columns}, by_columns[2] = {1, rows},
                  in_place[2] = {part.into.row_stride, part.into.column_stride};
    fetched.request += part.is_on_diagonal()
                           ? image.get_async(part.box, {part.memory.data(), extents, by_columns})
                           : image.get_async(part.box, {part.into.data, extents, in_place});
  }
  return fetched;
}

// Tiles on the diagonal are computed whole; their upper triangle is replaced here.
template <class T>
void finish(const Mirrored<T>& part, Symmetry symmetry) {
  const auto& box = part.box;
  const index_t rows = box.hi[0] - box.lo[0];
  for (index_t j = box.lo[1]; j < box.hi[1]; ++j) {
    const index_t end = part.is_on_diagonal() ? std::min(j, box.hi[0]) : box.hi[0];
    for (index_t i = box.lo[0]; i < end; ++i) {
      T& x = part.into.at(i - box.lo[0], j - box.lo[1]);
      if (part.is_on_diagonal())
        x = part.memory[static_cast<std::size_t>(i - box.lo[0] + (j - box.lo[1]) * rows)];
      if (symmetry == Symmetry::hermitian) x = conjugate(x);
    }
  }
}

}  // namespace

template <class T>
void symmetric_product(Symmetry symmetry, T alpha, const FusedMatrix& left, bool conjugate_left,
                       const FusedMatrix& right, bool conjugate_right, T beta, const SliceCore& c) {
  const char* const routine = name_of(symmetry, "a symmetric product", "a Hermitian product");
  const index_t n = c.extents()[0];
  const Tiles tiles{Tiles::Part::alternate, std::clamp(n / 8, min_tile, max_tile)};
  Computed computed{tiles};
  const Outcome computation =
      distributed_product<T>(routine, {alpha, left, conjugate_left, right, conjugate_right}, c, beta, computed);
  tessera::detail::end_operation(routine, c, computation);
  const Outcome completion([&] {
    MirroredParts<T> fetched = fetch_mirrored<T>(c, computed.tiles);
    fetched.request.wait();
    // A part that was fetched into its place only has to be conjugated.
    for (const Mirrored<T>& part : fetched.parts) {
      if (part.is_on_diagonal() || symmetry == Symmetry::hermitian) finish(part, symmetry);
    }
    if (symmetry == Symmetry::hermitian) for_each_of_diagonal<T>(c, [](index_t, T& x) { x = std::real(x); });
  });
  tessera::detail::end_operation(routine, c, completion);
}

void rank_k(Symmetry symmetry, const void* alpha, const tessera::detail::FusedCore& fused, Op op,
            const void* beta, const SliceCore& c) {
  const SliceCore& a = fused.slice;
  const std::string routine = name_of(symmetry, "syrk", "herk");
  tessera::detail::begin_operation(routine, {a, c}, Shapes::any);
  const FusedMatrix left = op == Op::none ? FusedMatrix(a, fused.row_dimensions) : transposed(fused);
  const index_t n = left.rows(), k = left.columns();
  if (c.extents()[0] != n || c.extents()[1] != n)
    throw_bad_shapes(formatted("{} (op(a) is {} x {}, c has to be {} x {})", routine, n, k, n, n), {&a, &c});
  if (a.may_overlap(c))
    throw UsageError(formatted("{}: the result {} is also an operand", routine, c.description()));
  with_scalar(routine, c, [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
    if (n == 0) return;
    if (k == 0 || factor == T{0})
      return old == T{0} ? tessera::detail::fill(c, &old) : tessera::detail::scale(c, &old);
    constexpr bool is_complex = !std::is_floating_point_v<T>;
    const bool conjugated = is_complex && op == Op::adjoint;
    const bool other = is_complex && (symmetry == Symmetry::hermitian ? !conjugated : conjugated);
    symmetric_product(symmetry, factor, left, conjugated, left, other, old, c);
  });
}

void symmetric_product(Symmetry symmetry, Side side, Triangle triangle, const void* alpha, const SliceCore& a,
                       const SliceCore& b, const void* beta, const SliceCore& c) {
  const std::string routine = name_of(symmetry, "symm", "hemm");
  tessera::detail::begin_operation(routine, {a, b, c}, Shapes::any);
  require_square(routine, a);
  const index_t n = a.extents()[0];
  if (b.extents() != c.extents() || c.extents()[side == Side::left ? 0 : 1] != n)
    throw_bad_shapes(routine, {&a, &b, &c});
  if (a.may_overlap(c) || b.may_overlap(c))
    throw UsageError(formatted("{}: the result {} is also an operand", routine, c.description()));
  with_scalar(routine, c, [&]<class T>(T) {
    const ArrayCore& array = a.array();
    const tessera::detail::Coordinates none{};
    const auto layout =
        a.is_whole() && !a.is_of_members()
            ? array.layout()
            : tessera::detail::make_blocked(2, a.extents().data(), array.group().size(), none.data(), nullptr);
    const ArrayCore full(array.group(), layout, a.type(), {.name = array.name()});
    tessera::detail::copy(a, full);
    mirror<T>(full, triangle, symmetry == Symmetry::hermitian);
    if (symmetry == Symmetry::hermitian) for_each_of_diagonal<T>(full, [](index_t, T& x) { x = std::real(x); });
    const SliceCore whole(full);
    const ProductCore product{side == Side::left ? whole : b, side == Side::left ? b : whole, c, Op::none,
                              Op::none};
    gemm(alpha, product, beta);
  });
}

#define TESSERA_DEFINE(T)                                                                                \
  template void symmetric_product<T>(Symmetry, T, const FusedMatrix&, bool, const FusedMatrix&, bool, T, \
                                     const SliceCore&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
