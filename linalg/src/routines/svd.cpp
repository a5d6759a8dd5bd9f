// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/svd.hpp>

#include <cmath>
#include <limits>
#include <optional>

#include <tessera/linalg/gemm.hpp>

#include "blas/instantiate.hpp"
#include "scalapack/phases.hpp"
#include "scalapack/scalapack_call.hpp"
#include "scalapack/scalapack_eigen.hpp"

namespace tessera::linalg::detail {
namespace {

// Decomposes a matrix that may be overwritten. u and vh are both null or both not null.
template <class T>
std::vector<Real<T>> decompose(const ScalapackCall& call, const SliceCore& a, const SliceCore* u,
                               const SliceCore* vh) {
  const index_t m = a.extents()[0], n = a.extents()[1], count = std::min(m, n);
  std::vector<Real<T>> s(static_cast<std::size_t>(count));
  const ScalapackMatrix matrix = call.operand(a);
  std::optional<ArrayCore> nothing;
  if (u == nullptr) nothing.emplace(call.matrix(0, 0));
  ScalapackMatrix left = call.operand(u == nullptr ? SliceCore(*nothing) : *u, Contents::discard);
  ScalapackMatrix right = call.operand(vh == nullptr ? SliceCore(*nothing) : *vh, Contents::discard);
  // p?gesvd counts its workspace in 32 bits, and does not check for overflow.
  if (matrix.max_local() >= std::numeric_limits<int>::max() / 4) {
    throw UsageError(formatted(
        "svd: p?gesvd cannot count its workspace for {} x {} on {} processes in 32 bits; use more of them", m,
        n, call.block_grid().rows * call.block_grid().columns));
  }
  call.must_converge("p?gesvd", "singular values", [&] {
    return scalapack::gesvd<T>(u != nullptr, call.narrow(m), call.narrow(n), matrix.data<T>(),
                               matrix.descriptor(), s.data(), left.data<T>(), left.descriptor(),
                               right.data<T>(), right.descriptor());
  });
  // Processes outside the grid have no values yet, and all should have the same to the last bit.
  call.group().broadcast(std::span<Real<T>>(s), 0);
  if (u != nullptr) {
    left.store(*u);
    right.store(*vh);
  }
  return s;
}

// Decomposes a matrix of many more rows than columns: a = q r, and r = (u of r) s vh.
template <class T>
std::vector<Real<T>> decompose_tall(const ScalapackCall& call, const SliceCore& a, const SliceCore* u,
                                    const SliceCore* vh) {
  const index_t m = a.extents()[0], n = a.extents()[1];
  const int rows = call.narrow(m), columns = call.narrow(n);
  const ScalapackMatrix q = call.operand(a);
  std::vector<T> scales(static_cast<std::size_t>(n + 1));
  call.must("p?geqrf",
            [&] { return scalapack::geqrf<T>(rows, columns, q.data<T>(), q.descriptor(), scales.data()); });
  call.group().sync();
  const ArrayCore r = call.matrix(n, n);
  tessera::detail::copy(corner(a, n, n), r);
  keep_triangle(r, Triangle::upper);
  tessera::detail::end_operation(r);
  if (u == nullptr) return decompose<T>(call, r, nullptr, nullptr);
  const ArrayCore inner = call.matrix(n, n);
  const SliceCore inner_u(inner);
  std::vector<Real<T>> s = decompose<T>(call, r, &inner_u, vh);
  call.must("p?orgqr", [&] {
    return scalapack::orgqr<T>(rows, columns, columns, q.data<T>(), q.descriptor(), scales.data());
  });
  call.group().sync();
  const T one{1}, zero{0};
  gemm(&one, {a, inner_u, *u, Op::none, Op::none}, &zero);
  return s;
}

// Decomposes a matrix times a power of two.
template <class T>
std::vector<Real<T>> scaled(const ScalapackCall& call, const SliceCore& a, int power, const SliceCore* u,
                            const SliceCore* vh) {
  const index_t m = a.extents()[0], n = a.extents()[1];
  // A copy that ScaLAPACK may work on: of the adjoint, if that is the tall one.
  const auto is_tall = [](index_t rows, index_t columns) {
    return static_cast<double>(rows) > 1.6 * static_cast<double>(columns);
  };
  if (!is_tall(n, m)) {
    const ArrayCore copy = call.matrix(m, n);
    tessera::detail::copy(a, copy);
    scale_by(copy, power);
    return is_tall(m, n) ? decompose_tall<T>(call, copy, u, vh) : decompose<T>(call, copy, u, vh);
  }
  const ArrayCore adjoint = call.matrix(n, m);
  copy_adjoint<T>(a, adjoint);
  scale_by(adjoint, power);
  if (u == nullptr) return decompose_tall<T>(call, adjoint, nullptr, nullptr);
  // a^H = x s y, so a = y^H s x^H.
  const ArrayCore x = call.matrix(n, m), y = call.matrix(m, m);
  const SliceCore x_core(x), y_core(y);
  std::vector<Real<T>> s = decompose_tall<T>(call, adjoint, &x_core, &y_core);
  copy_adjoint<T>(y_core, *u);
  copy_adjoint<T>(x_core, *vh);
  return s;
}

}  // namespace

template <class T>
std::vector<Real<T>> svd(const SliceCore& a, const SliceCore* u, const SliceCore* vh,
                         const Blocking& blocking) {
  const std::string_view name = u == nullptr ? "svdvals" : "svd";
  begin_routine(name, {a});
  const index_t m = a.extents()[0], n = a.extents()[1];
  if (m == 0 || n == 0) return {};
  const int to_one_of_a = to_one(require_finite(name, a, "p?gesvd"));
  const ScalapackCall call(name, a, std::max(m, n), blocking);
  std::vector<Real<T>> s = scaled<T>(call, a, to_one_of_a, u, vh);
  for (Real<T>& value : s) {
    value = std::abs(times_power(value, -to_one_of_a));  // p?gesvd (2.2) may give -0
    if (!std::isfinite(value))
      call.fail("p?gesvd", 0, "has singular values that are out of the range of its type");
  }
  if (u != nullptr) {
    unfix_phases(*vh, fix_phases<T>(*u));
    tessera::detail::end_operation(*u);
    tessera::detail::end_operation(*vh);
  }
  return s;
}

#define TESSERA_DEFINE(T) \
  template std::vector<Real<T>> svd<T>(const SliceCore&, const SliceCore*, const SliceCore*, const Blocking&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
