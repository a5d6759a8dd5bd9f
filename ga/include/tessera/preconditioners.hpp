// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <functional>
#include <utility>

#include <tessera/array.hpp>
#include <tessera/detail/krylov_space.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>
#include <tessera/runtime/error.hpp>

// Preconditioners for the solvers of <tessera/krylov.hpp>. Each is called as p(x, y), and sets y to an
// approximation of A^-1 x. All are collective.
namespace tessera {

/// Divides by the diagonal of A (Jacobi).
template <FloatingElement T, std::size_t N>
class Jacobi {
 public:
  /// @collective @throws UsageError if an element of the diagonal is zero, infinite or NaN
  explicit Jacobi(const Array<T, N>& diagonal) : inverse_(diagonal.duplicate("inverse diagonal")) {
    reciprocal(diagonal, inverse_);
    if (!std::isfinite(norm_inf(inverse_)) || !std::isfinite(norm_inf(diagonal)))
      throw UsageError("Jacobi: the diagonal in array \"" + diagonal.name() +
                       "\" has an element that is zero, infinite or NaN");
  }
  /// @collective
  void operator()(const Array<T, N>& x, Array<T, N>& y) const { multiply(inverse_, x, y); }
  /// As Unpreconditioned::own. @local if the diagonal has the layout of x and y
  void own(const Array<T, N>& x, Array<T, N>& y) const {
    detail::change(
        y, [](T& to, const T& from, const T& factor) { to = factor * from; }, x, inverse_);
  }

 private:
  Array<T, N> inverse_;
};

/// A polynomial of A that is near its inverse where the eigenvalues are (Saad 2003, algorithm 12.1). For
/// Hermitian A with eigenvalues up to `high` it is positive definite, and so fit for cg. Needs no dot products.
template <FloatingElement T, std::size_t N, ArrayOperator<T, N> Apply>
class Chebyshev {
 public:
  /// `apply(x, y)` is y = A x for arrays like `like`. The polynomial is small where eigenvalues lie in [low,
  /// high]. Each call applies A `degree` times. @collective @throws UsageError unless 0 < low < high and degree
  /// >= 0
  Chebyshev(Apply apply, const Array<T, N>& like, double low, double high, int degree)
      : apply_(std::move(apply)),
        residual_(like.duplicate("residual")),
        step_(like.duplicate("step")),
        image_(like.duplicate("image")),
        centre_(high / 2 + low / 2),
        radius_(high / 2 - low / 2),
        degree_(degree) {
    if (!(low > 0 && high > low && std::isfinite(high)) || degree < 0)
      throw UsageError("Chebyshev needs bounds 0 < low < high of the eigenvalues, and a degree of 0 or more");
  }
  /// @collective
  void operator()(const Array<T, N>& x, Array<T, N>& y) {
    const double ratio = centre_ / radius_;
    double rho = 1 / ratio;
    copy(x, residual_);
    axpby(number(1 / centre_), x, T{0}, x, step_);
    copy(step_, y);
    for (int k = 0; k < degree_; ++k) {
      std::invoke(apply_, std::as_const(step_), image_);
      axpby(T{-1}, image_, T{1}, residual_);
      const double next = 1 / (2 * ratio - rho);
      axpby(number(2 * next / radius_), residual_, number(next * rho), step_);
      axpby(T{1}, step_, T{1}, y);
      rho = next;
    }
  }

 private:
  static T number(double x) { return T(static_cast<decltype(std::abs(T{}))>(x)); }

  Apply apply_;
  Array<T, N> residual_, step_, image_;
  double centre_, radius_;
  int degree_;
};

}  // namespace tessera
