// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include <tessera/detail/krylov_space.hpp>

namespace tessera::detail {

/// An orthonormal basis of the space that a vector and an operator span, and the least residual in it (gmres).
/// @collective, all members but the local ones
template <class T, std::size_t N>
class Arnoldi {
 public:
  using Space = KrylovSpace<T, N>;
  using Vector = Array<T, N>;
  using Scalar = typename Space::Scalar;

  Arnoldi(Space& space, index_t size)
      : space_(space), size_(static_cast<std::size_t>(size)), work_(space.vector()) {}
  /// Begins with a residual, whose squared norm is given.
  void begin(const Vector& residual, double squared_norm) {
    const double norm = std::sqrt(squared_norm);
    columns_.clear();
    cosines_.clear();
    sines_.clear();
    right_.assign(1, Scalar(norm));
    is_exhausted_ = false;
    normalise(vector(0), residual, norm);
  }
  bool has_room() const noexcept { return columns_.size() < size_; }
  /// Whether A maps the space into itself, so that it cannot grow.
  bool is_exhausted() const noexcept { return is_exhausted_; }

  /// Adds a vector; returns the squared norm of the least residual.
  template <class Apply, class Precondition>
  double step(Apply& apply, Precondition& precondition) {
    const std::size_t j = columns_.size();
    space_.precondition(precondition, *basis_[j], work_);
    Vector& w = vector(j + 1);
    space_.apply_to(apply, work_, w);
    std::vector<Scalar> column(j + 2, Scalar{0});
    // Twice is enough (Giraud, Langou, Rozloznik 2005): the basis is then orthogonal to rounding.
    const double before = orthogonalise(w, column);
    orthogonalise(w, column);
    const double length = std::sqrt(space_.squared_norm(w));
    column[j + 1] = length;
    is_exhausted_ = length <= 1e-15 * before;
    if (!is_exhausted_) normalise(w, w, length);
    rotate(column);
    columns_.push_back(std::move(column));
    return std::norm(right_.back());
  }

  /// u = u + M V y, where y gives the least residual.
  template <class Precondition>
  void add_to(Vector& u, Precondition& precondition) {
    const std::size_t k = columns_.size();
    std::vector<Scalar> y(k);
    for (std::size_t i = k; i-- > 0;) {
      Scalar sum = right_[i];
      for (std::size_t l = i + 1; l < k; ++l) sum -= columns_[l][i] * y[l];
      // A column without a pivot, but for rounding, adds nothing.
      double size = 0;
      for (std::size_t l = 0; l <= i; ++l) size = std::max(size, std::abs(columns_[i][l]));
      const bool has_pivot = std::abs(columns_[i][i]) > 1e-15 * size;
      y[i] = has_pivot ? sum / columns_[i][i] : Scalar{0};
    }
    Vector& sum = vector(k);
    change(sum, [](T& to) { to = T{0}; });
    for (std::size_t i = 0; i < k; ++i) add(y[i], *basis_[i], sum);
    space_.precondition(precondition, sum, work_);
    add(1, work_, u);
  }

 private:
  Vector& vector(std::size_t i) {
    if (basis_.size() <= i) basis_.push_back(&space_.vector());
    return *basis_[i];
  }
  static Scalar conj_of(Scalar x) noexcept {
    if constexpr (std::is_floating_point_v<T>)
      return x;
    else
      return std::conj(x);
  }
  // y = y + factor x
  static void add(Scalar factor, const Vector& x, Vector& y) {
    change(
        y, [number = narrowed<T>(factor)](T& to, const T& from) { to += number * from; }, x);
  }
  static void normalise(Vector& to, const Vector& from, double length) {
    change(
        to, [factor = narrowed<T>(1 / length)](T& y, const T& x) { y = factor * x; }, from);
  }
  // Takes the parts along all vectors but the last, w, out of it, and adds their lengths to the column. Returns
  // what |w| was.
  double orthogonalise(Vector& w, std::vector<Scalar>& column) {
    const std::size_t count = column.size() - 1;
    std::vector<typename Space::Pair> pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(basis_[i], &w);
    pairs.emplace_back(&w, &w);
    const std::vector<Scalar> parts = space_.dots(pairs);
    for (std::size_t i = 0; i < count; ++i) {
      column[i] += parts[i];
      add(-parts[i], *basis_[i], w);
    }
    return std::sqrt(std::real(parts.back()));
  }
  // Turns the last element of a new column to zero, by rotations of its rows (Givens).
  void rotate(std::vector<Scalar>& column) {
    const std::size_t j = column.size() - 2;
    for (std::size_t i = 0; i < j; ++i) {
      const Scalar upper = column[i], lower = column[i + 1];
      column[i] = cosines_[i] * upper + sines_[i] * lower;
      column[i + 1] = -conj_of(sines_[i]) * upper + cosines_[i] * lower;
    }
    const double a = std::abs(column[j]), b = std::abs(column[j + 1]), length = std::hypot(a, b);
    double cosine = 1;
    Scalar sine = 0;
    if (a == 0) {  // also if the whole column is zero, which then adds nothing to the solution
      cosine = 0;
      sine = 1;
    } else {
      cosine = a / length;
      sine = column[j] / a * conj_of(column[j + 1]) / length;
    }
    column[j] = cosine * column[j] + sine * column[j + 1];
    column[j + 1] = 0;
    right_.push_back(-conj_of(sine) * right_[j]);
    right_[j] = cosine * right_[j];
    cosines_.push_back(cosine);
    sines_.push_back(sine);
  }

  Space& space_;
  std::size_t size_;
  Vector& work_;
  std::vector<Vector*> basis_;
  std::vector<std::vector<Scalar>> columns_;  // of the triangular factor
  std::vector<double> cosines_;
  std::vector<Scalar> sines_, right_;
  bool is_exhausted_ = false;
};

}  // namespace tessera::detail
