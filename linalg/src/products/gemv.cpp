// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/gemv.hpp>

#include <vector>

#include "blas/blas.hpp"
#include "format.hpp"
#include "products/owned_submatrices.hpp"
#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::LocalPiece;
using tessera::detail::Shapes;

// Calls f(box, offset) for the runs of a set, as boxes of a vector.
template <class F>
void for_each_run(const IndexSet& set, F&& f) {
  index_t offset = 0;
  for (const IndexRun& run : set.runs()) {
    Box box{};
    box.lo[0] = run.begin, box.hi[0] = run.end();
    f(box, offset);
    offset += run.count;
  }
}

template <class T>
std::vector<T> fetch(const SliceCore& x, const IndexSet& set) {
  std::vector<T> values = blas::vector_of<T>(set.size());
  const index_t one = 1;
  Request request;
  for_each_run(set, [&](const Box& box, index_t offset) {
    const index_t count = box.hi[0] - box.lo[0];
    request += x.get_async(box, {values.data() + offset, &count, &one});
  });
  request.wait();
  return values;
}

template <class T>
void add(const SliceCore& y, const IndexSet& set, const std::vector<T>& values) {
  const index_t one = 1;
  const T factor{1};
  Request request;
  for_each_run(set, [&](const Box& box, index_t offset) {
    const index_t count = box.hi[0] - box.lo[0];
    request += y.accumulate_async(box, {values.data() + offset, &count, &one}, &factor);
  });
  request.wait();
}

}  // namespace

void gemv(const void* alpha, const SliceCore& a, Op op, const SliceCore& x, const void* beta,
          const SliceCore& y) {
  tessera::detail::begin_operation("gemv", {a, x, y}, Shapes::any);
  const int turned[2] = {1, 0};
  const SliceCore matrix = op == Op::none ? a : a.permuted(turned);
  const index_t m = matrix.extents()[0], n = matrix.extents()[1];
  if (y.extents()[0] != m || x.extents()[0] != n) {
    throw UsageError(formatted("gemv: op(a) is {} x {}, x has {} elements and y {}: {}, {} and {} do not fit",
                               m, n, x.extents()[0], y.extents()[0], a.description(), x.description(),
                               y.description()));
  }
  if (a.may_overlap(y) || x.may_overlap(y))
    throw UsageError(formatted("gemv: the result {} is also an operand", y.description()));
  with_scalar("gemv", y, [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
    old == T{0} ? tessera::detail::fill(y, &old) : tessera::detail::scale(y, &old);
    if (m == 0 || n == 0 || factor == T{0}) return;
    const bool conjugated = !std::is_floating_point_v<T> && op == Op::adjoint;
    const tessera::detail::Outcome outcome([&] {
      for (const OwnedSubmatrix& share : shares_of(matrix, matrix.array().group().rank())) {
        const std::vector<T> in = fetch<T>(x, share.columns);
        std::vector<T> out = blas::vector_of<T>(share.rows.size());
        for (const LocalPiece& piece : share.pieces) {
          const auto &lo = piece.box.lo, &hi = piece.box.hi;
          const IndexSet rows(lo[0], hi[0] - lo[0]), columns(lo[1], hi[1] - lo[1]);
          blas::gemv<T>(rows.size(), columns.size(), factor,
                        {reinterpret_cast<const T*>(piece.data), piece.strides[0], piece.strides[1]},
                        conjugated, in.data() + *share.columns.find(columns),
                        out.data() + *share.rows.find(rows));
        }
        add(y, share.rows, out);
      }
      y.array().flush();
    });
    tessera::detail::end_operation("gemv", y, outcome);
  });
}

}  // namespace tessera::linalg::detail
