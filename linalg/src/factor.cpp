// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/factor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "call.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Shapes;

// The factors of Gaussian elimination on a copy.
template <class T>
struct Elimination {
  Call call;
  int n;
  Distributed factor;
  double norm = 0;  // the largest sum of a column of the matrix
  std::vector<int> pivots;
  int info = 0;  // of the first pivot that is zero

  Elimination(std::string_view routine, const SliceCore& a, const Blocking& blocking)
      : call(routine, a, a.extents()[0], blocking),
        n(call.narrow(a.extents()[0])),
        factor(call.copy_of(a)),
        pivots(scalapack::pivots_of(factor.descriptor())) {
    call.run([&] {
      norm = scalapack::norm_of_columns<T>(n, n, factor.template data<T>(), factor.descriptor());
      return 0;
    });
    info = call.run([&] {
      return scalapack::getrf<T>(n, n, factor.template data<T>(), factor.descriptor(), pivots.data());
    });
    if (info < 0) call.fail("p?getrf", info, "failed");
  }
};

}  // namespace

void cholesky(const SliceCore& a, const SliceCore& l, const Blocking& blocking) {
  tessera::detail::begin_operation("cholesky", {a, l}, Shapes::any);
  require_square("cholesky", a);
  if (a.size() == 0) return;
  with_scalar("cholesky", a, [&]<class T>(T) {
    const Call call("cholesky", a, a.extents()[0], blocking);
    Distributed factor = call.copy_of(a);
    call.factor_spd<T>(factor, call.narrow(a.extents()[0]), a);
    factor.store(l);
    keep_triangle(l, Triangle::lower);
    tessera::detail::end_operation(l);
  });
}

void qr(const SliceCore& a, const SliceCore& q, const SliceCore& r, const Blocking& blocking) {
  tessera::detail::begin_operation("qr", {a, q, r}, Shapes::any);
  if (a.size() == 0) return;
  with_scalar("qr", a, [&]<class T>(T) {
    const index_t m = a.extents()[0], n = a.extents()[1], least = std::min(m, n);
    const Call call("qr", a, std::max(m, n), blocking);
    const ArrayCore both = call.matrix(m, n);
    tessera::detail::copy(a, both);
    const Distributed factor = call.operand(both);
    std::vector<T> scales(static_cast<std::size_t>(n + 1));
    call.must("p?geqrf", [&] {
      return scalapack::geqrf<T>(call.narrow(m), call.narrow(n), factor.data<T>(), factor.descriptor(),
                                 scales.data());
    });
    both.group().sync();
    tessera::detail::copy(corner(both, least, n), r);
    keep_triangle(r, Triangle::upper);
    tessera::detail::end_operation(r);
    call.must("p?orgqr", [&] {
      return scalapack::orgqr<T>(call.narrow(m), call.narrow(least), call.narrow(least), factor.data<T>(),
                                 factor.descriptor(), scales.data());
    });
    both.group().sync();
    tessera::detail::copy(corner(both, m, least), q);
  });
}

void inverse(const SliceCore& a, const SliceCore& result, const Blocking& blocking) {
  tessera::detail::begin_operation("inverse", {a, result}, Shapes::any);
  require_square("inverse", a);
  if (a.size() == 0) return;
  with_scalar("inverse", a, [&]<class T>(T) {
    Elimination<T> lu("inverse", a, blocking);
    if (lu.info > 0) lu.call.fail("p?getrf", lu.info, formatted("is singular: pivot {} is zero", lu.info));
    lu.call.must("p?getri", [&] {
      return scalapack::getri<T>(lu.n, lu.factor.template data<T>(), lu.factor.descriptor(), lu.pivots.data());
    });
    lu.factor.store(result);
  });
}

void inverse_spd(const SliceCore& a, const SliceCore& result, const Blocking& blocking) {
  tessera::detail::begin_operation("inverse_spd", {a, result}, Shapes::any);
  require_square("inverse_spd", a);
  if (a.size() == 0) return;
  with_scalar("inverse_spd", a, [&]<class T>(T) {
    const Call call("inverse_spd", a, a.extents()[0], blocking);
    const int n = call.narrow(a.extents()[0]);
    Distributed factor = call.copy_of(a);
    call.factor_spd<T>(factor, n, a);
    call.must("p?potri", [&] { return scalapack::potri<T>(n, factor.data<T>(), factor.descriptor()); });
    factor.store(result);
    mirror<T>(result, Triangle::lower, true);
  });
}

void log_determinant(const SliceCore& a, void* sign, double& magnitude, const Blocking& blocking) {
  tessera::detail::begin_operation("log_determinant", {a}, Shapes::any);
  require_square("log_determinant", a);
  with_scalar("log_determinant", a, [&]<class T>(T) {
    T& phase = *static_cast<T*>(sign);
    phase = T{1};
    magnitude = 0;
    if (a.size() == 0) return;
    Elimination<T> lu("log_determinant", a, blocking);
    if (lu.info > 0) {
      phase = T{0};
      magnitude = -std::numeric_limits<double>::infinity();
      return;
    }
    // An angle of each element, or whether it is negative, and one half turn for each exchange of rows.
    constexpr double half_turn = 3.141592653589793238462643;
    double sums[2] = {0, 0};  // of the logarithms and of the angles
    const Group& group = a.array().group();
    for_each_of_diagonal<const T>(lu.factor.matrix(), [&](index_t, const T& x) {
      sums[0] += std::log(static_cast<double>(std::abs(x)));
      sums[1] +=
          std::is_floating_point_v<T> ? (std::real(x) < 0 ? half_turn : 0) : static_cast<double>(std::arg(x));
    });
    sums[1] += half_turn * static_cast<double>(lu.factor.exchanges(lu.pivots));
    group.all_reduce(std::span<double>(sums), Reduce::sum);
    magnitude = sums[0];
    if constexpr (std::is_floating_point_v<T>)
      phase = std::lround(sums[1] / half_turn) % 2 == 0 ? T{1} : T{-1};
    else
      phase = T(static_cast<typename T::value_type>(std::cos(sums[1])),
                static_cast<typename T::value_type>(std::sin(sums[1])));
  });
}

// N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM TOMS 14 (1988)
// 381, on the inverse. (ScaLAPACK's p?gecon takes 1.1 for the condition of a diagonal of 2 and one 0.25, which
// is 8.)
double condition(const SliceCore& a, const Blocking& blocking) {
  tessera::detail::begin_operation("condition", {a}, Shapes::any);
  require_square("condition", a);
  if (a.size() == 0) return 0;
  double estimate = std::numeric_limits<double>::infinity();
  with_scalar("condition", a, [&]<class T>(T) {
    Elimination<T> lu("condition", a, blocking);
    if (lu.info > 0) return;
    using Real = decltype(std::abs(T{}));
    const index_t n = lu.n;
    const ArrayCore column = lu.call.matrix(n, 1);
    const Distributed vector = lu.call.operand(column);
    std::vector<T> x(static_cast<std::size_t>(n), T{1} / static_cast<T>(static_cast<Real>(n)));
    const Box all{{0, 0}, {n, 1}};
    const index_t extents[2] = {n, 1}, strides[2] = {1, 1};
    // x becomes the inverse, or its adjoint, times x; on every rank.
    auto apply = [&](char op) {
      if (column.group().rank() == 0) SliceCore(column).put(all, {x.data(), extents, strides});
      column.sync();
      lu.call.must("p?getrs", [&] {
        return scalapack::getrs<T>(op, lu.n, 1, lu.factor.template data<T>(), lu.factor.descriptor(),
                                   lu.pivots.data(), vector.data<T>(), vector.descriptor());
      });
      column.sync();
      SliceCore(column).get(all, {x.data(), extents, strides});
      column.sync();
    };
    auto sum = [&x] {
      double total = 0;
      for (const T& value : x) total += static_cast<double>(std::abs(value));
      return total;
    };
    apply('N');
    double inverse = sum();
    std::size_t last = x.size();
    for (int round = 0; round < 5; ++round) {
      for (T& value : x) value = std::abs(value) == 0 ? T{1} : value / static_cast<T>(std::abs(value));
      apply('C');
      const auto greatest = std::max_element(x.begin(), x.end(),
                                             [](const T& p, const T& q) { return std::abs(p) < std::abs(q); });
      const auto place = static_cast<std::size_t>(greatest - x.begin());
      if (place == last) break;
      last = place;
      std::fill(x.begin(), x.end(), T{0});
      x[place] = T{1};
      apply('N');
      const double now = sum();
      if (now <= inverse) break;
      inverse = now;
    }
    // What hides from the iteration, it says, does not from this.
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double size = 1 + static_cast<double>(i) / std::max(1.0, static_cast<double>(n - 1));
      x[i] = static_cast<T>(static_cast<Real>(i % 2 == 0 ? size : -size));
    }
    apply('N');
    inverse = std::max(inverse, 2 * sum() / (3 * static_cast<double>(n)));
    // Processes outside the grid have no norm.
    column.group().broadcast(std::span<double>(&lu.norm, 1), 0);
    estimate = lu.norm * inverse;
  });
  return estimate;
}

}  // namespace tessera::linalg::detail
