// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/solve.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "routines/elimination.hpp"
#include "scalapack/scalapack_call.hpp"

namespace tessera::linalg::detail {

namespace {
constexpr const char* solution_out_of_range = "has a solution that is out of the range of its type";

// The exponents for right-hand sides that are near an end of the range after their rows have been scaled. On
// the way to the solution, small ones would vanish, and large ones overflow. Others stay as they are: their
// elements may be of very different size.
template <class T>
std::vector<int> moderate(std::string_view routine, const SliceCore& b, std::span<const int> rows,
                          const char* name) {
  constexpr int most = std::numeric_limits<Real<T>>::max_exponent;
  std::vector<int> exponents = each_to_one_of_scaled(routine, b, 1, rows, name);
  for (int& exponent : exponents) exponent = exponent > most / 4 ? exponent : -exponent > most - 20 ? -40 : 0;
  return exponents;
}

// The solution replaces the right-hand side, unless it is out of range.
void store(const ScalapackCall& call, std::string name, ScalapackMatrix& solution, const SliceCore& b) {
  if (!is_finite(solution.matrix())) call.fail(std::move(name), 0, solution_out_of_range);
  solution.store(b);
}

}  // namespace

void solve_spd(const SliceCore& a, const SliceCore& b, const Blocking& blocking) {
  begin_routine("solve_spd", {a, b});
  require_system("solve_spd", a, b);
  const auto& extents = b.extents();
  if (b.size() == 0) return;
  with_scalar("solve_spd", a, [&]<class T>(T) {
    const ScalapackCall call("solve_spd", a, std::max(extents[0], extents[1]), blocking);
    const ScalapackMatrix factor = call.copy_of(a);
    ScalapackMatrix right = call.copy_of(b);
    const int n = call.narrow(extents[0]), columns = call.narrow(extents[1]);
    require_finite("solve_spd", b, "p?potrs");
    const std::vector<int> scales = call.factor_spd<T>(factor, n, a),
                           of_b = moderate<T>("solve_spd", b, scales, "p?potrs");
    scale_by(right.matrix(), scales, of_b);
    call.must("p?potrs", [&] {
      return scalapack::potrs<T>(n, columns, factor.data<T>(), factor.descriptor(), right.data<T>(),
                                 right.descriptor());
    });
    scale_by(right.matrix(), scales, negated(of_b));
    store(call, "p?potrs", right, b);
  });
}

void solve(const SliceCore& a, const SliceCore& b, const Blocking& blocking) {
  begin_routine("solve", {a, b});
  require_system("solve", a, b);
  const auto& extents = b.extents();
  if (b.size() == 0) return;
  with_scalar("solve", a, [&]<class T>(T) {
    require_finite("solve", b, "p?getrs");
    const Elimination<T> lu("solve", a, std::max(extents[0], extents[1]), blocking);
    lu.require_regular();
    ScalapackMatrix right = lu.call.copy_of(b);
    const std::vector<int> of_b = moderate<T>("solve", b, lu.rows, "p?getrs");
    scale_by(right.matrix(), lu.rows, of_b);
    lu.call.must("p?getrs", [&] {
      return scalapack::getrs<T>('N', lu.n, lu.call.narrow(extents[1]), lu.factor.template data<T>(),
                                 lu.factor.descriptor(), lu.pivots.data(), right.data<T>(), right.descriptor());
    });
    scale_by(right.matrix(), lu.columns, negated(of_b));
    store(lu.call, "p?getrs", right, b);
  });
}

namespace {

// Whether all elements of the diagonal have reciprocals in range: BLAS multiplies by these instead of dividing.
template <class T>
bool has_reciprocals(const SliceCore& a) {
  constexpr int most = std::numeric_limits<Real<T>>::max_exponent - 10;
  int extreme = 0;
  for_each_of_diagonal<const T>(a, [&](index_t, const T& x) {
    if (std::abs(std::ilogb(std::abs(x))) > most) extreme = 1;
  });
  return a.array().group().all_reduce(extreme, Reduce::max) == 0;
}

}  // namespace

void solve_triangular(Triangle triangle, Op op, UnitDiagonal unit, const SliceCore& a, const SliceCore& b,
                      const Blocking& blocking) {
  begin_routine("solve_triangular", {a, b});
  require_system("solve_triangular", a, b);
  const auto& extents = b.extents();
  if (b.size() == 0) return;
  with_scalar("solve_triangular", a, [&]<class T>(T) {
    const bool divides = unit == UnitDiagonal::no;
    const Counted lower = divides ? Counted::lower : Counted::below,
                  upper = divides ? Counted::upper : Counted::above;
    require_finite("solve_triangular", b, "p?trtrs");
    // The scale of each column, which is a row where `a` is transposed.
    const std::vector<int> columns =
        each_to_one("solve_triangular", a, 1, "p?trtrs", triangle == Triangle::lower ? lower : upper);
    const ScalapackCall call("solve_triangular", a, std::max(extents[0], extents[1]), blocking);
    // p?trtrs claims to look for zeros, but divides by them.
    if (const int zero = divides ? first_without_inverse<T>(a) : 0; zero > 0)
      call.fail("p?trtrs", zero, formatted("is singular: element {} of its diagonal is zero", zero));
    const bool scales = divides && !has_reciprocals<T>(a);
    const ScalapackMatrix matrix = scales ? call.copy_of(a) : call.operand(a);
    ScalapackMatrix right = call.copy_of(b);
    if (scales) scale_by(matrix.matrix(), {}, columns);
    const std::vector<int> unscaled, &of_rows = scales && op != Op::none ? columns : unscaled,
                                     of_b = moderate<T>("solve_triangular", b, of_rows, "p?trtrs");
    scale_by(right.matrix(), of_rows, of_b);
    const int n = call.narrow(extents[0]);
    call.must("p?trtrs", [&] {
      return scalapack::trtrs<T>(triangle == Triangle::lower ? 'L' : 'U',
                                 op == Op::none        ? 'N'
                                 : op == Op::transpose ? 'T'
                                                       : 'C',
                                 divides ? 'N' : 'U', n, call.narrow(extents[1]), matrix.data<T>(),
                                 matrix.descriptor(), right.data<T>(), right.descriptor());
    });
    scale_by(right.matrix(), scales && op == Op::none ? columns : unscaled, negated(of_b));
    store(call, "p?trtrs", right, b);
  });
}

namespace {

// Whether a matrix has full rank, from its factor R (of a tall matrix) or L (of a wide one). On the diagonal is
// the part of each column of R, or row of L, that the others do not have. This part must exceed rounding
// errors.
template <class T>
bool has_full_rank(const SliceCore& factor) {
  const index_t m = factor.extents()[0], n = factor.extents()[1];
  const Group& group = factor.array().group();
  const auto count = static_cast<std::size_t>(std::min(m, n));
  std::vector<double> largest(count), own(count);
  factor.for_each_piece_of(group.rank(), [&](const tessera::detail::LocalPiece& piece) {
    for (index_t i = piece.box.lo[0]; i < piece.box.hi[0]; ++i) {
      const index_t begin = std::max(piece.box.lo[1], m >= n ? i : 0),
                    end = std::min(piece.box.hi[1], m >= n ? n : i + 1);
      for (index_t j = begin; j < end; ++j) {
        const index_t offset =
            (i - piece.box.lo[0]) * piece.strides[0] + (j - piece.box.lo[1]) * piece.strides[1];
        const auto size = static_cast<double>(std::abs(reinterpret_cast<const T*>(piece.data)[offset]));
        const auto which = static_cast<std::size_t>(m >= n ? j : i);
        largest[which] = std::max(largest[which], size);
        if (i == j) own[which] = size;
      }
    }
  });
  group.all_reduce(std::span<double>(largest), Reduce::max);
  group.all_reduce(std::span<double>(own), Reduce::max);
  const double noise =
      static_cast<double>(std::numeric_limits<Real<T>>::epsilon()) * static_cast<double>(std::max(m, n));
  for (std::size_t i = 0; i < count; ++i) {
    if (!(own[i] > largest[i] * noise)) return false;
  }
  return true;
}

}  // namespace

void least_squares(const SliceCore& a, const SliceCore& b, const SliceCore& x, const Blocking& blocking) {
  begin_routine("least_squares", {a, b, x});
  const index_t m = a.extents()[0], n = a.extents()[1], columns = b.extents()[1];
  if (b.extents()[0] != m) throw_bad_shapes("least_squares needs as many rows on the right", {&a, &b});
  if (x.size() == 0) return;
  with_scalar("least_squares", a, [&]<class T>(T zero) {
    if (m == 0) return tessera::detail::fill(x, &zero);
    require_finite("least_squares", b, "p?gels");
    // Scaling the columns of a tall matrix, or the rows of a wide one, changes neither the minimum nor the
    // choice of the shortest solution.
    const bool is_tall = m >= n;
    const std::vector<int> scales = each_to_one("least_squares", a, is_tall ? 1 : 0, "p?gels");
    const ScalapackCall call("least_squares", a, std::max({m, n, columns}), blocking);
    const ScalapackMatrix factor = call.copy_of(a);
    const ArrayCore both = call.matrix(std::max(m, n), columns);  // b, and then x
    tessera::detail::fill(both, &zero);
    const auto rows = [&](index_t count) { return corner(both, count, columns); };
    tessera::detail::copy(b, rows(m));
    const ScalapackMatrix right = call.operand(both);
    const std::vector<int> unscaled, &of_rows = is_tall ? unscaled : scales,
                                     of_b = moderate<T>("least_squares", b, of_rows, "p?gels");
    is_tall ? scale_by(factor.matrix(), {}, scales) : scale_by(factor.matrix(), scales, {});
    scale_by(rows(m), of_rows, of_b);
    call.must("p?gels", [&] {
      return scalapack::gels<T>(call.narrow(m), call.narrow(n), call.narrow(columns), factor.data<T>(),
                                factor.descriptor(), right.data<T>(), right.descriptor());
    });
    scale_by(rows(n), is_tall ? scales : unscaled, negated(of_b));
    both.group().sync();
    // p?gels divides by the diagonal of the factor without a check. Rounding keeps this diagonal from being
    // zero.
    if (!has_full_rank<T>(factor.matrix())) call.fail("p?gels", 0, "does not have full rank");
    if (!is_finite(rows(n))) call.fail("p?gels", 0, solution_out_of_range);
    tessera::detail::copy(rows(n), x);
  });
}

}  // namespace tessera::linalg::detail
