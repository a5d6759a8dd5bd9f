// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/detail/arnoldi.hpp>
#include <tessera/detail/krylov_space.hpp>

// Iterative solvers of linear equations A x = b, for any operator that maps one array to another. Y. Saad,
// Iterative Methods for Sparse Linear Systems, 2nd edition, 2003: algorithms 9.1, 7.7 and 9.5.
namespace tessera {

/// Why a solver stopped.
enum class Stop : std::uint8_t {
  converged,   ///< |b - A x| is at most tolerance * |b|, computed from x
  iterations,  ///< the largest number of iterations was made
  stagnation,  ///< |b - A x| stays above the tolerance: by rounding errors, or gmres begins again too soon
  breakdown,   ///< the method cannot go on; for cg, A or the preconditioner is not positive definite
  not_finite,  ///< an element of b, of A x or of a preconditioned vector is infinite or NaN
};

/// The reason in words, such as "converged". @local
constexpr const char* to_string(Stop stop) noexcept {
  switch (stop) {
    case Stop::converged:
      return "converged";
    case Stop::iterations:
      return "the largest number of iterations was made";
    case Stop::stagnation:
      return "the residual stays above the tolerance";
    case Stop::breakdown:
      return "the method broke down";
    case Stop::not_finite:
      break;
  }
  return "a number is infinite or NaN";
}

struct KrylovOptions {
  /// Of |b - A x| against |b|.
  double tolerance = 1e-8;
  index_t max_iterations = 1000;
  /// Called on every rank after each iteration, with its number and the recurrence's |b - A x| / |b|.
  std::function<void(index_t, double)> progress = {};
};

/// How a solution ended; the same on every rank.
struct KrylovResult {
  Stop stop;
  index_t iterations;
  double residual;  // |b - A x| / |b|, computed from x; |b - A x| if b is 0
  bool converged() const noexcept { return stop == Stop::converged; }
};

/// y = x: no preconditioner.
struct Unpreconditioned {
  template <class T, std::size_t N>
  void operator()(const Array<T, N>& x, Array<T, N>& y) const {
    copy(x, y);
  }
};

namespace detail {

inline void check_options(const KrylovOptions& options) {
  if (!(options.tolerance >= 0)) throw UsageError("the tolerance of a solver must not be negative or NaN");
  if (options.max_iterations < 0) throw UsageError("a solver cannot make a negative number of iterations");
}

/// The progress of one solution: counts iterations, and decides when to stop.
class KrylovRun {
 public:
  KrylovRun(const KrylovOptions& options, double norm_of_b) : options_(options), norm_(norm_of_b) {
    check_options(options);
  }
  /// Whether a true residual is small enough.
  bool is_small(double squared_residual) const noexcept {
    return std::sqrt(squared_residual) <= options_.tolerance * norm_;
  }
  /// Whether the residual of a recurrence says that the method is done: it is small enough, or so small that
  /// only the true one has a meaning.
  bool seems_small(double squared_residual) const noexcept {
    constexpr double meaningless = 1e-17;
    return std::sqrt(squared_residual) <= std::max(options_.tolerance, meaningless) * norm_;
  }
  /// After an iteration.
  void count(double squared_residual) {
    ++iterations_;
    if (options_.progress) options_.progress(iterations_, relative(squared_residual));
  }
  bool may_go_on() const noexcept { return iterations_ < options_.max_iterations; }
  /// After a true residual was computed: whether the solver is to begin again from there. It is not to if the
  /// last true residual was hardly larger.
  bool begins_again(double squared_residual) noexcept {
    const double before = std::exchange(last_true_, std::sqrt(squared_residual));
    return last_true_ < 0.5 * before;
  }
  KrylovResult result(Stop stop, double squared_residual) const noexcept {
    return {stop, iterations_, relative(squared_residual)};
  }

 private:
  double relative(double squared_residual) const noexcept { return std::sqrt(squared_residual) / norm_; }

  const KrylovOptions& options_;
  double norm_;
  index_t iterations_ = 0;
  double last_true_ = std::numeric_limits<double>::infinity();
};

/// Runs `method(space, run, u, r, squared_residual)` until it converges or gives up. It works on u and returns
/// why it stopped; Stop::converged only means that its recurrence says so.
template <class T, std::size_t N, class Apply, class Method>
KrylovResult solve_by(Method&& method, Apply& apply, const Array<T, N>& b, Array<T, N>& x,
                      const KrylovOptions& options) {
  check_options(options);
  KrylovSpace<T, N> space(b);
  if (!std::isfinite(space.norm_of_b())) return {Stop::not_finite, 0, space.norm_of_b()};
  if (space.norm_of_b() == 0) {
    fill(x, T{0});
    return {Stop::converged, 0, 0.0};
  }
  auto u = space.vector("solution"), r = space.vector("residual");
  space.enter(x, u);
  KrylovRun run(options, space.scaled_norm_of_b());
  double residual = space.residual(apply, u, r);
  Stop stop = Stop::converged;
  while (!run.is_small(residual) || !std::isfinite(residual)) {
    stop = std::isfinite(residual) ? method(space, run, u, r, residual) : Stop::not_finite;
    if (stop == Stop::not_finite) break;
    residual = space.residual(apply, u, r);
    if (stop != Stop::converged) break;
    if (!run.is_small(residual) && !run.begins_again(residual)) {
      stop = Stop::stagnation;
      break;
    }
  }
  if (run.is_small(residual)) stop = Stop::converged;
  space.leave(u, x);
  return run.result(stop, residual);
}

}  // namespace detail

/// Solves A x = b by conjugate gradients, from the x given. `apply(p, q)` is q = A p for arrays with b's
/// layout; A is symmetric or Hermitian and positive definite. `precondition(r, z)` is z = M r, where M is near
/// the inverse of A and of the same kind. Both are collective: they throw on all members or on none. All
/// members get the same result. x is the last iterate, and unspecified after Stop::not_finite. @collective
/// @throws UsageError for a tolerance or a number of iterations that makes no sense, or if x does not fit b
template <Arithmetic T, std::size_t N, class Apply, class Precondition = Unpreconditioned>
requires(!std::integral<T>) && std::invocable<Apply&, const Array<T, N>&, Array<T, N>&> KrylovResult
    cg(Apply&& apply, const Array<T, N>& b, Array<T, N>& x, const KrylovOptions& options = {},
       Precondition&& precondition = {}) {
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    auto p = space.vector("direction"), q = space.vector("image");
    constexpr bool is_plain = std::is_same_v<std::remove_cvref_t<Precondition>, Unpreconditioned>;
    std::optional<Array<T, N>> preconditioned;
    if (!is_plain) preconditioned.emplace(space.vector("preconditioned"));
    Array<T, N>& z = is_plain ? r : *preconditioned;
    double before = 0;
    for (bool is_first = true;; is_first = false) {
      double rho = residual;
      if constexpr (!is_plain) {
        space.apply_to(precondition, r, z);
        rho = std::real(space.dot(r, z));
      }
      if (!std::isfinite(rho)) return Stop::not_finite;
      if (rho <= 0) return Stop::breakdown;
      const T beta = is_first ? T{0} : detail::narrowed<T>(rho / before);
      space.change(p, z, [beta](T& to, T from) { to = beta == T{0} ? from : from + beta * to; });
      space.apply_to(apply, p, q);
      const double curvature = std::real(space.dot(p, q));
      if (!std::isfinite(curvature)) return Stop::not_finite;
      if (curvature <= 0) return Stop::breakdown;
      const T alpha = detail::narrowed<T>(rho / curvature);
      space.change(u, p, [alpha](T& to, T from) { to += alpha * from; });
      residual = space.update(r, q, [alpha](T& to, T from) { to -= alpha * from; });
      before = rho;
      run.count(residual);
      if (!std::isfinite(residual)) return Stop::not_finite;
      if (run.seems_small(residual)) return Stop::converged;
      if (!run.may_go_on()) return Stop::iterations;
    }
  };
  return detail::solve_by(method, apply, b, x, options);
}

/// Solves A x = b for any A by stabilised biconjugate gradients, as cg. Each iteration applies A and the
/// preconditioner twice. @collective @throws as cg
template <Arithmetic T, std::size_t N, class Apply, class Precondition = Unpreconditioned>
requires(!std::integral<T>) && std::invocable<Apply&, const Array<T, N>&, Array<T, N>&> KrylovResult
    bicgstab(Apply&& apply, const Array<T, N>& b, Array<T, N>& x, const KrylovOptions& options = {},
             Precondition&& precondition = {}) {
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    using Scalar = typename std::remove_cvref_t<decltype(space)>::Scalar;
    auto shadow = space.vector("shadow"), p = space.vector("direction"), v = space.vector("image"),
         y = space.vector("preconditioned"), t = space.vector("second image");
    space.change(shadow, r, [](T& to, T from) { to = from; });
    Scalar rho = 0, alpha = 0, omega = 0;
    for (bool is_first = true;; is_first = false) {
      const Scalar now = space.dot(shadow, r);
      if (now == Scalar{0}) return Stop::breakdown;
      if (is_first) {
        space.change(p, r, [](T& to, T from) { to = from; });
      } else {
        const T beta = detail::narrowed<T>(now / rho * (alpha / omega)), w = detail::narrowed<T>(omega);
        space.change(p, v, [beta, w](T& to, T from) { to = beta * (to - w * from); });
        space.change(p, r, [](T& to, T from) { to += from; });
      }
      rho = now;
      space.apply_to(precondition, p, y);
      space.apply_to(apply, y, v);
      const Scalar against = space.dot(shadow, v);
      if (against == Scalar{0}) return Stop::breakdown;
      alpha = rho / against;
      const T a = detail::narrowed<T>(alpha);
      space.change(u, y, [a](T& to, T from) { to += a * from; });
      residual = space.update(r, v, [a](T& to, T from) { to -= a * from; });
      if (!run.seems_small(residual)) {
        if (!std::isfinite(residual)) return Stop::not_finite;
        space.apply_to(precondition, r, y);
        space.apply_to(apply, y, t);
        const auto [tr, tt] = space.template dots<2>({{{&t, &r}, {&t, &t}}});
        if (tr == Scalar{0}) return Stop::breakdown;
        omega = tr / tt;
        const T w = detail::narrowed<T>(omega);
        space.change(u, y, [w](T& to, T from) { to += w * from; });
        residual = space.update(r, t, [w](T& to, T from) { to -= w * from; });
      }
      run.count(residual);
      if (!std::isfinite(residual)) return Stop::not_finite;
      if (run.seems_small(residual)) return Stop::converged;
      if (!run.may_go_on()) return Stop::iterations;
    }
  };
  return detail::solve_by(method, apply, b, x, options);
}

/// Solves A x = b for any A by generalised minimal residuals, begun again after `restart` iterations, as cg. It
/// needs restart + 1 arrays. The residual never grows. @collective @throws as cg, or if `restart` is not
/// positive
template <Arithmetic T, std::size_t N, class Apply, class Precondition = Unpreconditioned>
requires(!std::integral<T>) && std::invocable<Apply&, const Array<T, N>&, Array<T, N>&> KrylovResult
    gmres(index_t restart, Apply&& apply, const Array<T, N>& b, Array<T, N>& x,
          const KrylovOptions& options = {}, Precondition&& precondition = {}) {
  if (restart <= 0) throw UsageError("gmres has to begin again after a positive number of iterations");
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    detail::Arnoldi<T, N> arnoldi(space, restart);
    double start = residual;  // of this round
    for (;;) {
      arnoldi.begin(r, residual);
      Stop stop = Stop::iterations;
      bool is_over = false;
      while (!is_over && arnoldi.has_room()) {
        residual = arnoldi.step(apply, precondition);
        run.count(residual);
        is_over = true;
        if (!std::isfinite(residual)) return Stop::not_finite;
        if (run.seems_small(residual)) {
          stop = Stop::converged;
        } else if (arnoldi.is_exhausted()) {
          stop = Stop::breakdown;
        } else if (run.may_go_on()) {
          is_over = false;
        }
      }
      arnoldi.add_to(u, precondition);
      if (is_over) return stop;
      const double before = std::exchange(start, space.residual(apply, u, r));
      residual = start;
      if (run.is_small(residual)) return Stop::converged;
      if (!(residual < before)) return Stop::stagnation;
    }
  };
  return detail::solve_by(method, apply, b, x, options);
}

}  // namespace tessera
