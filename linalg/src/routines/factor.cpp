// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/factor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "routines/elimination.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;

constexpr const char* inverse_out_of_range = "has an inverse that is out of the range of its type";

// The 1-norm of a matrix times a power of two: the largest sum of the magnitudes of a column.
template <class T>
double norm_of_columns(const SliceCore& a, int exponent) {
  std::vector<double> sums(static_cast<std::size_t>(a.extents()[1]));
  for_each_element<const T>(a, [&](index_t, index_t j, const T& x) {
    sums[static_cast<std::size_t>(j)] += static_cast<double>(std::abs(times_power(x, exponent)));
  });
  a.array().group().all_reduce(std::span<double>(sums), Reduce::sum);
  return *std::max_element(sums.begin(), sums.end());
}

}  // namespace

void cholesky(const SliceCore& a, const SliceCore& l, const Blocking& blocking) {
  begin_routine("cholesky", {a, l});
  require_square("cholesky", a);
  if (a.size() == 0) return;
  with_scalar("cholesky", a, [&]<class T>(T) {
    const ScalapackCall call("cholesky", a, a.extents()[0], blocking);
    ScalapackMatrix factor = call.copy_of(a);
    const std::vector<int> scales = call.factor_spd<T>(factor, call.narrow(a.extents()[0]), a);
    scale_by(factor.matrix(), negated(scales), {});
    call.group().sync();
    factor.store(l);
    keep_triangle(l, Triangle::lower);
    tessera::detail::end_operation(l);
  });
}

void qr(const SliceCore& a, const SliceCore& q, const SliceCore& r, const Blocking& blocking) {
  begin_routine("qr", {a, q, r});
  if (a.size() == 0) return;
  with_scalar("qr", a, [&]<class T>(T) {
    const index_t m = a.extents()[0], n = a.extents()[1], least = std::min(m, n);
    // A column of r has the same scale as that column of `a`.
    const std::vector<int> columns = each_to_one("qr", a, 1, "p?geqrf");
    const ScalapackCall call("qr", a, std::max(m, n), blocking);
    const ArrayCore both = call.matrix(m, n);
    tessera::detail::copy(a, both);
    scale_by(both, {}, columns);
    const ScalapackMatrix factor = call.operand(both);
    std::vector<T> scales(static_cast<std::size_t>(n + 1));
    call.must("p?geqrf", [&] {
      return scalapack::geqrf<T>(call.narrow(m), call.narrow(n), factor.data<T>(), factor.descriptor(),
                                 scales.data());
    });
    both.group().sync();
    tessera::detail::copy(corner(both, least, n), r);
    keep_triangle(r, Triangle::upper);
    scale_by(r, {}, negated(columns));
    tessera::detail::end_operation(r);
    if (!is_finite(r)) call.fail("p?geqrf", 0, "has a factor that is out of the range of its type");
    call.must("p?orgqr", [&] {
      return scalapack::orgqr<T>(call.narrow(m), call.narrow(least), call.narrow(least), factor.data<T>(),
                                 factor.descriptor(), scales.data());
    });
    both.group().sync();
    tessera::detail::copy(corner(both, m, least), q);
  });
}

void inverse(const SliceCore& a, const SliceCore& result, const Blocking& blocking) {
  begin_routine("inverse", {a, result});
  require_square("inverse", a);
  if (a.size() == 0) return;
  with_scalar("inverse", a, [&]<class T>(T) {
    Elimination<T> lu("inverse", a, a.extents()[0], blocking);
    lu.require_regular();
    lu.call.must("p?getri", [&] {
      return scalapack::getri<T>(lu.n, lu.factor.template data<T>(), lu.factor.descriptor(), lu.pivots.data());
    });
    scale_by(lu.factor.matrix(), lu.columns, lu.rows);
    if (!is_finite(lu.factor.matrix())) lu.call.fail("p?getri", 0, inverse_out_of_range);
    lu.factor.store(result);
  });
}

void inverse_spd(const SliceCore& a, const SliceCore& result, const Blocking& blocking) {
  begin_routine("inverse_spd", {a, result});
  require_square("inverse_spd", a);
  if (a.size() == 0) return;
  with_scalar("inverse_spd", a, [&]<class T>(T) {
    const ScalapackCall call("inverse_spd", a, a.extents()[0], blocking);
    const int n = call.narrow(a.extents()[0]);
    ScalapackMatrix factor = call.copy_of(a);
    const std::vector<int> scales = call.factor_spd<T>(factor, n, a);
    call.must("p?potri", [&] { return scalapack::potri<T>(n, factor.data<T>(), factor.descriptor()); });
    keep_triangle(factor.matrix(), Triangle::lower);
    scale_by(factor.matrix(), scales, scales);
    if (!is_finite(factor.matrix())) call.fail("p?potri", 0, inverse_out_of_range);
    factor.store(result);
    mirror<T>(result, Triangle::lower, true);
  });
}

void log_determinant(const SliceCore& a, void* sign, double& magnitude, const Blocking& blocking) {
  begin_routine("log_determinant", {a});
  require_square("log_determinant", a);
  with_scalar("log_determinant", a, [&]<class T>(T) {
    T& phase = *static_cast<T*>(sign);
    phase = T{1};
    magnitude = 0;
    if (a.size() == 0) return;
    const Elimination<T> lu("log_determinant", a, a.extents()[0], blocking);
    if (lu.singular > 0) {
      phase = T{0};
      magnitude = -std::numeric_limits<double>::infinity();
      return;
    }
    // Sums the angle of each element of the diagonal (half a turn if negative), and half a turn for each row
    // exchange.
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
    for (const auto* exponents : {&lu.columns, &lu.rows})
      for (const int exponent : *exponents) magnitude -= exponent * std::log(2.0);
    if constexpr (std::is_floating_point_v<T>)
      phase = std::lround(sums[1] / half_turn) % 2 == 0 ? T{1} : T{-1};
    else
      phase = T(static_cast<typename T::value_type>(std::cos(sums[1])),
                static_cast<typename T::value_type>(std::sin(sums[1])));
  });
}

// N. J. Higham, "FORTRAN codes for estimating the one-norm of a real or complex matrix", ACM TOMS 14 (1988)
// 381, applied to the inverse. (ScaLAPACK's p?gecon is not used. For a diagonal of 2 and one 0.25 it gives a
// condition of 1.1 instead of 8.)
double condition(const SliceCore& a, const Blocking& blocking) {
  begin_routine("condition", {a});
  require_square("condition", a);
  if (a.size() == 0) return 0;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  double estimate = infinite;
  with_scalar("condition", a, [&]<class T>(T) {
    const Elimination<T> lu("condition", a, a.extents()[0], blocking, false);
    if (lu.singular > 0) return;
    // The norm of the matrix times a power of two, with a largest element near one. The inverse of this matrix
    // overflows only if the condition does.
    const int to_one_of_a = *std::min_element(lu.columns.begin(), lu.columns.end());
    std::vector<int> scales = lu.columns;
    for (int& scale : scales) scale -= to_one_of_a;
    const double norm = norm_of_columns<T>(a, to_one_of_a);
    using Real = decltype(std::abs(T{}));
    const index_t n = lu.n;
    const ArrayCore column = lu.call.matrix(n, 1);
    const ScalapackMatrix vector = lu.call.operand(column);
    std::vector<T> x(static_cast<std::size_t>(n), T{1} / static_cast<T>(static_cast<Real>(n)));
    const Box all{{0, 0}, {n, 1}};
    const index_t extents[2] = {n, 1}, strides[2] = {1, 1};
    const auto rescale = [&] {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = times_power(x[i], scales[i]);
    };
    // Multiplies x by the inverse, or by its adjoint, on every rank.
    auto apply = [&](char op) {
      if (op == 'C') rescale();
      if (column.group().rank() == 0) SliceCore(column).put(all, {x.data(), extents, strides});
      column.sync();
      lu.call.must("p?getrs", [&] {
        return scalapack::getrs<T>(op, lu.n, 1, lu.factor.template data<T>(), lu.factor.descriptor(),
                                   lu.pivots.data(), vector.data<T>(), vector.descriptor());
      });
      column.sync();
      SliceCore(column).get(all, {x.data(), extents, strides});
      column.sync();
      if (op == 'N') rescale();
    };
    auto sum = [&x] {
      double total = 0;
      // NaN also means that something was out of range.
      for (const T& value : x)
        total += std::isfinite(std::abs(value)) ? static_cast<double>(std::abs(value)) : infinite;
      return total;
    };
    apply('N');
    double inverse = sum();
    if (inverse == infinite) return;
    std::size_t last = x.size();
    for (int round = 0; round < 5; ++round) {
      for (T& value : x) value = std::abs(value) == 0 ? T{1} : value / static_cast<T>(std::abs(value));
      apply('C');
      if (sum() == infinite) return;
      const auto greatest = std::max_element(x.begin(), x.end(),
                                             [](const T& p, const T& q) { return std::abs(p) < std::abs(q); });
      const auto place = static_cast<std::size_t>(greatest - x.begin());
      if (place == last) break;
      last = place;
      std::fill(x.begin(), x.end(), T{0});
      x[place] = T{1};
      apply('N');
      const double now = sum();
      if (now == infinite) return;
      if (now <= inverse) break;
      inverse = now;
    }
    // Higham's last test, with alternating signs, catches matrices on which the iteration fails.
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double size = 1 + static_cast<double>(i) / std::max(1.0, static_cast<double>(n - 1));
      x[i] = static_cast<T>(static_cast<Real>(i % 2 == 0 ? size : -size));
    }
    apply('N');
    inverse = std::max(inverse, 2 * sum() / (3 * static_cast<double>(n)));
    estimate = norm * inverse;
  });
  return estimate;
}

}  // namespace tessera::linalg::detail
