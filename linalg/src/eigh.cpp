// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/eigh.hpp>

#include <cmath>

#include "distributed.hpp"
#include "format.hpp"

namespace tessera::linalg::detail {

void eigh(const ArrayCore& a, void* values, ArrayCore& vectors) {
  tessera::detail::begin_operation("eigh", {a, vectors});
  const auto& dims = a.layout().dims();
  if (dims[0] != dims[1]) throw_bad_shapes("eigh needs a square matrix", {&a});
  if (dims[0] == 0) return;
  // The iteration may never end on what is not a number.
  if (!std::isfinite(tessera::detail::norm(a, tessera::detail::Norm::infinity))) {
    throw LinalgError(formatted("eigh: matrix \"{}\" holds NaN or infinity", a.name()), "p?syevd", 0);
  }
  with_scalar("eigh", a, [&]<class T>(T) {
    using Real = typename RealOf<T>::type;
    const Target target = Target::choose(a, dims[0]);
    const scalapack::Grid grid(a.group().mpi_comm(), target.rows, target.columns, target.order);
    const Distributed matrix(a, target, grid, Contents::keep, Distributed::Use::copy);  // is overwritten
    Distributed z(vectors, target, grid, Contents::discard, Distributed::Use::in_place);
    auto* w = static_cast<Real*>(values);
    const int n = scalapack::checked_int(dims[0], a.name());
    int info = 0;
    if (grid)
      info =
          scalapack::syevd<T, Real>(n, matrix.data<T>(), matrix.descriptor(), w, z.data<T>(), z.descriptor());
    info = agree_on_info(a, info);
    if (info != 0) {
      throw LinalgError(formatted("eigh: the eigenvalues of matrix \"{}\" did not converge (info {}); does "
                                  "it hold NaN or infinity?",
                                  a.name(), info),
                        "p?syevd", info);
    }
    // Processes outside the grid have no values yet, and all should have the same to the last bit.
    a.group().broadcast(std::span<Real>(w, static_cast<std::size_t>(n)), 0);
    z.store(vectors);
  });
}

}  // namespace tessera::linalg::detail
