// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/eigh.hpp>

#include <cmath>

#include "call.hpp"
#include "format.hpp"

namespace tessera::linalg::detail {

void eigh(const SliceCore& a, void* values, const SliceCore& vectors) {
  tessera::detail::begin_operation("eigh", {a, vectors});
  const auto& dims = a.extents();
  require_square("eigh", a);
  if (dims[0] == 0) return;
  // The iteration may never end on what is not a number.
  if (!std::isfinite(tessera::detail::norm(a, tessera::detail::Norm::infinity))) {
    throw LinalgError(formatted("eigh: {} holds NaN or infinity", described(a)), "p?syevd", 0);
  }
  with_scalar("eigh", a, [&]<class T>(T) {
    using Real = typename RealOf<T>::type;
    const Call call("eigh", a, dims[0]);
    const Distributed matrix = call.copy_of(a);  // is overwritten
    Distributed z = call.operand(vectors, Contents::discard);
    auto* w = static_cast<Real*>(values);
    const int n = call.narrow(dims[0]);
    const int info = call.run([&] {
      return scalapack::syevd<T, Real>(n, matrix.data<T>(), matrix.descriptor(), w, z.data<T>(),
                                       z.descriptor());
    });
    if (info != 0) {
      throw LinalgError(
          formatted("eigh: the eigenvalues of {} did not converge (info {}); does it hold NaN or infinity?",
                    described(a), info),
          "p?syevd", info);
    }
    // Processes outside the grid have no values yet, and all should have the same to the last bit.
    a.array().group().broadcast(std::span<Real>(w, static_cast<std::size_t>(n)), 0);
    z.store(vectors);
  });
}

}  // namespace tessera::linalg::detail
