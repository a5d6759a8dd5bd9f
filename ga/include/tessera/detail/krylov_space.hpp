// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

namespace tessera {

/// The element types of iterative solvers: real and complex floating-point numbers.
template <class T>
concept FloatingElement = Arithmetic<T> && !std::integral<T>;

/// Anything that can be called with an array to read and an array to set.
template <class F, class T, std::size_t N>
concept ArrayOperator = std::invocable < F&,
        const Array<T, N>
&, Array<T, N>& > ;

namespace detail {
template <class T, std::size_t N>
class KrylovSpace;
}

/// The vectors of a solver, for programs that solve many equations: with them, a solution needs no new memory.
/// Any solver may use them, for arrays of any layout. One solver at a time. Move-only.
template <FloatingElement T, std::size_t N>
class KrylovWorkspace {
 public:
  /// Frees the memory now. @collective
  void close() {
    for (auto& vector : vectors_) vector->close();
    vectors_.clear();
  }

 private:
  friend class detail::KrylovSpace<T, N>;
  std::vector<std::unique_ptr<Array<T, N>>> vectors_;
};

}  // namespace tessera

// What iterative solvers have in common. Their vectors have one layout, so that each rank works on its own
// elements and waits for others only in reductions.
namespace tessera::detail {

/// A number of the solver as an element of type T. @local
template <class T>
T narrowed(const std::complex<double>& x) noexcept {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.real());
  else
    return static_cast<T>(x);
}

/// Calls f(T& y, const T&... x) for all elements of y that this rank owns. @local if all have one layout
template <class T, std::size_t N, class F, class... X>
void change(Array<T, N>& y, F f, const X&... x) {
  const std::array<SliceCore, sizeof...(X)> sources{SliceCore(x.core())...};
  for_each_run(y.core(), sources, [&f](const ElementRun& run) { apply<T, const value_t<X>...>(run, f); });
}

/// The linear equations A x = b as a solver sees them: divided by a power of two near |b|, so that no sum of
/// squares overflows or underflows. @collective, all members but the local ones
template <class T, std::size_t N>
class KrylovSpace {
 public:
  using Vector = Array<T, N>;
  using Scalar = std::conditional_t<std::is_floating_point_v<T>, double, std::complex<double>>;
  using Pair = std::pair<const Vector*, const Vector*>;

  /// The vectors come from a workspace, if there is one.
  KrylovSpace(const Vector& b, KrylovWorkspace<T, N>* workspace)
      : b_(b), workspace_(workspace != nullptr ? *workspace : own_), norm_(norm2(b)) {
    using Real = decltype(std::abs(T{}));
    constexpr int most = std::numeric_limits<Real>::max_exponent - 2;
    // The norm of finite elements may be infinite.
    const double size = std::isinf(norm_) ? norm_inf(b) : norm_;
    if (size == 0 || !std::isfinite(size)) return;
    exponent_ = std::clamp(std::ilogb(size), -most, most);
    scaled_norm_ = std::ldexp(norm_, -exponent_);
    if (std::isfinite(norm_)) return;
    norm_ = size;
    Vector& scaled = vector();
    enter(b, scaled);
    scaled_norm_ = norm2(scaled);
    release_all_but(0);
  }

  /// Finite and positive if the norm of b, divided, is.
  double norm_of_b() const noexcept { return norm_; }
  double scaled_norm_of_b() const noexcept { return scaled_norm_; }
  /// One more vector like b. @collective
  Vector& vector() {
    auto& all = workspace_.vectors_;
    if (used_ == all.size()) all.push_back(nullptr);
    std::unique_ptr<Vector>& next = all[used_++];
    if (!next || !is_like_b(*next)) next = std::make_unique<Vector>(b_.duplicate("vector of a solver"));
    return *next;
  }
  /// All vectors but the first few may be used again.
  void release_all_but(std::size_t first) noexcept { used_ = first; }

  /// u = x, divided; and back.
  void enter(const Vector& x, Vector& u) const { axpby(power(-exponent_), x, T{0}, x, u); }
  void leave(const Vector& u, Vector& x) const { axpby(power(exponent_), u, T{0}, u, x); }
  /// Whether leave() makes finite numbers of u.
  bool stays_finite(const Vector& u) const {
    using Real = decltype(std::abs(T{}));
    return exponent_ <= 0 || std::ldexp(norm_inf(u), exponent_) <= std::numeric_limits<Real>::max();
  }
  /// Whether leave() may make 0 of elements of u that count, or take digits from them.
  bool may_underflow(const Vector& u) const {
    using Limits = std::numeric_limits<decltype(std::abs(T{}))>;
    if (exponent_ >= 0) return false;
    const double most = norm_inf(u);
    return most > 0 && exponent_ + std::ilogb(most) < Limits::min_exponent + 2 * Limits::digits;
  }
  /// r = b - A u, where `apply(x, y)` is y = A x. Returns |r|^2.
  template <class Apply>
  double residual(Apply& apply, const Vector& u, Vector& r) const {
    apply_to(apply, u, r);
    change(
        r, [factor = power(-exponent_)](T& y, const T& x) { y = factor * x - y; }, b_);
    return squared_norm(r);
  }
  /// y = A x. Before x changes, the ranks meet in a reduction or in the next product.
  template <class Apply>
  void apply_to(Apply& apply, const Vector& x, Vector& y) const {
    if constexpr (requires { apply.multiply_unsynchronised(x, y); }) {
      apply.multiply_unsynchronised(x, y);
    } else {
      x.sync();
      std::invoke(apply, x, y);
    }
    y.core().complete_and_order();
  }
  /// y = M x. Preconditioners that need only a rank's own elements are @local.
  template <class Precondition>
  void precondition(Precondition& m, const Vector& x, Vector& y) const {
    if constexpr (requires { m.own(x, y); })
      m.own(x, y);
    else
      apply_to(m, x, y);
  }

  /// The sums of conj(x) y for several pairs of vectors, in one reduction.
  std::vector<Scalar> dots(std::span<const Pair> pairs) const {
    std::vector<Scalar> sums;
    for (const auto& [x, y] : pairs) {
      const std::complex<double> own = own_dot(x->core(), y->core());
      if constexpr (std::is_floating_point_v<T>)
        sums.push_back(own.real());
      else
        sums.push_back(own);
    }
    b_.group().all_reduce(std::span<Scalar>(sums), Reduce::sum);
    return sums;
  }
  template <std::size_t count>
  std::array<Scalar, count> dots(const std::array<Pair, count>& pairs) const {
    const std::vector<Scalar> sums = dots(std::span<const Pair>(pairs));
    std::array<Scalar, count> all{};
    std::copy(sums.begin(), sums.end(), all.begin());
    return all;
  }
  Scalar dot(const Vector& x, const Vector& y) const { return dots<1>({Pair(&x, &y)})[0]; }
  double squared_norm(const Vector& x) const { return std::real(dot(x, x)); }

 private:
  static T power(int exponent) { return T(std::ldexp(decltype(std::abs(T{})){1}, exponent)); }

  bool is_like_b(const Vector& other) const {
    return other.group() == b_.group() && other.core().layout() == b_.core().layout() &&
           other.core().periodic() == b_.core().periodic();
  }

  const Vector& b_;
  KrylovWorkspace<T, N> own_;
  KrylovWorkspace<T, N>& workspace_;
  std::size_t used_ = 0;
  double norm_, scaled_norm_ = 0;
  int exponent_ = 0;
};

}  // namespace tessera::detail
