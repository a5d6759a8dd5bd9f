// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/core/operand_walk.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

// What iterative solvers have in common. Their vectors have one layout, so that each rank works on its own
// elements and waits for others only in reductions.
namespace tessera::detail {

template <class T>
T conjugated(T x) noexcept {
  return x;
}
template <class T>
std::complex<T> conjugated(std::complex<T> x) noexcept {
  return std::conj(x);
}
template <class T>
double squared(T x) noexcept {
  return static_cast<double>(x) * static_cast<double>(x);
}
template <class T>
double squared(std::complex<T> x) noexcept {
  return squared(x.real()) + squared(x.imag());
}
template <class T>
struct Widest {
  using type = double;
};
template <class T>
struct Widest<std::complex<T>> {
  using type = std::complex<double>;
};

/// A number as an element of type T. @local
template <class T>
T narrowed(const typename Widest<T>::type& x) noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x);
  else
    return T(static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag()));
}

/// The linear equations A x = b as a solver sees them: divided by a power of two near |b|, so that no sum of
/// squares overflows or underflows. @collective, all members but the local ones
template <class T, std::size_t N>
class KrylovSpace {
 public:
  using Vector = Array<T, N>;
  using Scalar = typename Widest<T>::type;

  explicit KrylovSpace(const Vector& b) : b_(b), norm_(norm2(b)) {
    using Real = decltype(std::abs(T{}));
    constexpr int most = std::numeric_limits<Real>::max_exponent - 2;
    if (norm_ > 0 && std::isfinite(norm_)) exponent_ = std::clamp(std::ilogb(norm_), -most, most);
  }

  double norm_of_b() const noexcept { return norm_; }
  double scaled_norm_of_b() const noexcept { return std::ldexp(norm_, -exponent_); }
  Vector vector(const char* name) const { return b_.duplicate(name); }

  /// u = x, divided; and back.
  void enter(const Vector& x, Vector& u) const { axpby(power(-exponent_), x, T{0}, x, u); }
  void leave(const Vector& u, Vector& x) const { axpby(power(exponent_), u, T{0}, u, x); }
  /// r = b - A u, where `apply(x, y)` is y = A x. Returns |r|^2.
  template <class Apply>
  double residual(Apply& apply, const Vector& u, Vector& r) const {
    apply_to(apply, u, r);
    const T factor = power(-exponent_);
    return update(r, b_, [factor](T& y, T x) { y = factor * x - y; });
  }
  /// y = f(x), for the operator or the preconditioner.
  template <class Apply>
  void apply_to(Apply& apply, const Vector& x, Vector& y) const {
    x.sync();
    std::invoke(apply, x, y);
    y.core().order_local_access();
  }

  /// Calls f(T& y, T x) for all own elements; returns the sum of |y|^2 over all ranks.
  template <class F>
  double update(Vector& y, const Vector& x, F f) const {
    double sum = 0;
    walk(y, x, [&sum, f](T& to, const T& from) {
      f(to, from);
      sum += squared(to);
    });
    return group().all_reduce(sum, Reduce::sum);
  }
  /// The same without the sum. @local
  template <class F>
  void change(Vector& y, const Vector& x, F f) const {
    walk(y, x, [f](T& to, const T& from) { f(to, from); });
  }
  /// The sums of conj(x) y for several pairs of vectors, in one reduction.
  template <std::size_t count>
  std::array<Scalar, count> dots(
      const std::array<std::pair<const Vector*, const Vector*>, count>& pairs) const {
    std::array<Scalar, count> sums{};
    for (std::size_t i = 0; i < count; ++i) sums[i] = own_dot(*pairs[i].first, *pairs[i].second);
    group().all_reduce(std::span<Scalar>(sums), Reduce::sum);
    return sums;
  }
  Scalar dot(const Vector& x, const Vector& y) const { return dots<1>({{{&x, &y}}})[0]; }
  /// The sums of conj(x) y for several x, in one reduction.
  std::vector<Scalar> dots(std::span<const Vector> many, const Vector& y) const {
    std::vector<Scalar> sums;
    for (const Vector& x : many) sums.push_back(own_dot(x, y));
    group().all_reduce(std::span<Scalar>(sums), Reduce::sum);
    return sums;
  }

 private:
  const Group& group() const noexcept { return b_.group(); }
  static T power(int exponent) { return T(std::ldexp(decltype(std::abs(T{})){1}, exponent)); }
  static Scalar own_dot(const Vector& x, const Vector& y) {
    const SliceCore sources[] = {SliceCore(y.core())};
    Scalar sum{};
    for_each_run(x.core(), sources, [&sum](const ElementRun& run) {
      Scalar part{};
      apply<const T, const T>(
          run, [&part](const T& from, const T& to) { part += conjugated(Scalar(from)) * Scalar(to); });
      sum += part;
    });
    return sum;
  }
  template <class F>
  static void walk(Vector& y, const Vector& x, F f) {
    const SliceCore sources[] = {SliceCore(x.core())};
    for_each_run(y.core(), sources, [&f](const ElementRun& run) { apply<T, const T>(run, f); });
  }

  const Vector& b_;
  double norm_;
  int exponent_ = 0;
};

}  // namespace tessera::detail
