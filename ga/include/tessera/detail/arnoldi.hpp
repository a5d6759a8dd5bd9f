// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <optional>
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

  Arnoldi(const Space& space, index_t size)
      : space_(space), size_(static_cast<std::size_t>(size)), work_(space.vector("preconditioned")) {
    basis_.reserve(size_ + 1);
  }
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
    space_.apply_to(precondition, basis_[j], work_);
    Vector& w = vector(j + 1);
    space_.apply_to(apply, work_, w);
    std::vector<Scalar> column(j + 2, Scalar{0});
    const double before = space_.update(w, w, [](T&, const T&) {});
    // Twice is enough (Giraud, Langou, Rozloznik 2005): the basis is then orthogonal to rounding.
    double squared = before;
    for (int pass = 0; pass < 2; ++pass) squared = orthogonalise(w, j + 1, column);
    const double length = std::sqrt(squared);
    column[j + 1] = length;
    is_exhausted_ = length <= 1e-15 * std::sqrt(before);
    if (!is_exhausted_) normalise(w, w, length);
    rotate(column);
    columns_.push_back(std::move(column));
    return squared_magnitude(right_.back());
  }

  /// u = u + M V y, where y gives the least residual.
  template <class Precondition>
  void add_to(Vector& u, Precondition& precondition) {
    const std::size_t k = columns_.size();
    std::vector<Scalar> y(k);
    for (std::size_t i = k; i-- > 0;) {
      Scalar sum = right_[i];
      for (std::size_t l = i + 1; l < k; ++l) sum -= columns_[l][i] * y[l];
      // A column without a pivot adds nothing.
      y[i] = columns_[i][i] == Scalar{0} ? Scalar{0} : sum / columns_[i][i];
    }
    Vector& sum = vector(k);
    space_.change(sum, basis_[0], [](T& to, const T&) { to = T{0}; });
    for (std::size_t i = 0; i < k; ++i)
      space_.change(sum, basis_[i],
                    [factor = narrowed<T>(y[i])](T& to, const T& from) { to += factor * from; });
    space_.apply_to(precondition, sum, work_);
    space_.change(u, work_, [](T& to, const T& from) { to += from; });
  }

 private:
  static double squared_magnitude(Scalar x) noexcept { return detail::squared(x); }
  Vector& vector(std::size_t i) {
    if (basis_.size() <= i) basis_.push_back(space_.vector("basis"));
    return basis_[i];
  }
  void normalise(Vector& to, const Vector& from, double length) {
    space_.change(to, from, [factor = narrowed<T>(1 / length)](T& y, const T& x) { y = factor * x; });
  }
  // Takes the parts along the first `count` vectors out of w; adds their lengths to the column. Returns |w|^2.
  double orthogonalise(Vector& w, std::size_t count, std::vector<Scalar>& column) {
    const std::vector<Scalar> parts = space_.dots(std::span(basis_).first(count), w);
    for (std::size_t i = 0; i < count; ++i) {
      column[i] += parts[i];
      space_.change(w, basis_[i],
                    [factor = narrowed<T>(parts[i])](T& to, const T& from) { to -= factor * from; });
    }
    return space_.update(w, w, [](T&, const T&) {});
  }
  // Turns the last element of a new column to zero, by rotations of its rows (Givens).
  void rotate(std::vector<Scalar>& column) {
    const std::size_t j = column.size() - 2;
    for (std::size_t i = 0; i < j; ++i) {
      const Scalar upper = column[i], lower = column[i + 1];
      column[i] = cosines_[i] * upper + sines_[i] * lower;
      column[i + 1] = -conjugated(sines_[i]) * upper + cosines_[i] * lower;
    }
    const double a = std::abs(column[j]), b = std::abs(column[j + 1]), length = std::hypot(a, b);
    double cosine = 1;
    Scalar sine = 0;
    if (a == 0) {  // also if the whole column is zero, which then adds nothing to the solution
      cosine = 0;
      sine = 1;
    } else {
      cosine = a / length;
      sine = column[j] / a * conjugated(column[j + 1]) / length;
    }
    column[j] = cosine * column[j] + sine * column[j + 1];
    column[j + 1] = 0;
    right_.push_back(-conjugated(sine) * right_[j]);
    right_[j] = cosine * right_[j];
    cosines_.push_back(cosine);
    sines_.push_back(sine);
  }

  const Space& space_;
  std::size_t size_;
  Vector work_;
  std::vector<Vector> basis_;
  std::vector<std::vector<Scalar>> columns_;  // of the triangular factor
  std::vector<double> cosines_;
  std::vector<Scalar> sines_, right_;
  bool is_exhausted_ = false;
};

}  // namespace tessera::detail
