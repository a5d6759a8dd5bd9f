// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/solve_spd.hpp>

#include <algorithm>

#include "distributed.hpp"
#include "format.hpp"

namespace tessera::linalg::detail {

void solve_spd(const ArrayCore& a, ArrayCore& b) {
  using tessera::detail::Shapes;
  tessera::detail::begin_operation("solve_spd", {a, b}, Shapes::any);
  const auto &da = a.layout().dims(), &db = b.layout().dims();
  if (da[0] != da[1] || da[1] != db[0])
    throw_bad_shapes("solve_spd needs a square matrix and as many rows on the right", {&a, &b});
  if (&a == &b)
    throw UsageError(formatted("solve_spd: \"{}\" cannot be matrix and right-hand side at once", a.name()));
  if (da[0] == 0 || db[1] == 0) return;
  with_scalar("solve_spd", a, [&]<class T>(T) {
    const Target target = Target::choose(a, std::max(da[0], db[1]));
    const scalapack::Grid grid(a.group().mpi_comm(), target.rows, target.columns, target.order);
    const Distributed factor(a, target, grid, Contents::keep, Distributed::Use::copy);  // is overwritten
    Distributed right(b, target, grid, Contents::keep, Distributed::Use::in_place);
    const int n = scalapack::checked_int(da[0], a.name()), columns = scalapack::checked_int(db[1], b.name());
    int info = grid ? scalapack::potrf<T>(n, factor.data<T>(), factor.descriptor()) : 0;
    info = agree_on_info(a, info);
    if (info > 0) {
      throw LinalgError(
          formatted("solve_spd: matrix \"{}\" is not positive definite: leading minor {}", a.name(), info),
          "p?potrf", info);
    }
    if (info == 0 && grid) {
      info = scalapack::potrs<T>(n, columns, factor.data<T>(), factor.descriptor(), right.data<T>(),
                                 right.descriptor());
    }
    info = agree_on_info(a, info);
    if (info != 0)
      throw LinalgError(formatted("solve_spd of matrix \"{}\" failed (info {})", a.name(), info), "p?potrs",
                        info);
    right.store(b);
  });
}

}  // namespace tessera::linalg::detail
