// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/gemm.hpp>

#include <algorithm>

#include "distributed.hpp"
#include "format.hpp"

namespace tessera::linalg::detail {
namespace {

constexpr char letter(Op op) { return op == Op::none ? 'N' : op == Op::transpose ? 'T' : 'C'; }

}  // namespace

void gemm(const void* alpha, const ArrayCore& a, Op op_a, const ArrayCore& b, Op op_b, const void* beta,
          ArrayCore& c) {
  using tessera::detail::Shapes;
  tessera::detail::begin_operation("gemm", {a, b, c}, Shapes::any);
  const auto &da = a.layout().dims(), &db = b.layout().dims(), &dc = c.layout().dims();
  const std::size_t a_row = op_a == Op::none ? 0 : 1, b_row = op_b == Op::none ? 0 : 1;
  const index_t m = da[a_row], k = da[1 - a_row], n = db[1 - b_row];
  if (db[b_row] != k || dc[0] != m || dc[1] != n) {
    std::string what =
        formatted("gemm (op(a) is {} x {}, op(b) is {} x {}, c is {} x {})", m, k, db[b_row], n, dc[0], dc[1]);
    throw_bad_shapes(what, {&a, &b, &c});
  }
  if (&a == &c || &b == &c) throw UsageError(formatted("gemm: the result \"{}\" is also an operand", c.name()));
  with_scalar("gemm", c, [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
    if (m == 0 || n == 0) return;
    // ScaLAPACK leaves c alone for k = 0, whatever beta is.
    if (k == 0) return old == T{0} ? tessera::detail::fill(c, &old) : tessera::detail::scale(c, &old);
    const Target target = Target::choose(c, std::max({m, n, k}));
    const scalapack::Grid grid(c.group().mpi_comm(), target.rows, target.columns, target.order);
    using Use = Distributed::Use;
    const Distributed left(a, target, grid, Contents::keep, Use::in_place);
    const Distributed right(b, target, grid, Contents::keep, Use::in_place);
    Distributed result(c, target, grid, old == T{0} ? Contents::discard : Contents::keep, Use::in_place);
    if (grid) {
      scalapack::gemm<T>(letter(op_a), letter(op_b), static_cast<int>(m), static_cast<int>(n),
                         static_cast<int>(k), factor, left.data<T>(), left.descriptor(), right.data<T>(),
                         right.descriptor(), old, result.data<T>(), result.descriptor());
    }
    result.store(c);
  });
}

}  // namespace tessera::linalg::detail
