// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
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
  stagnation,  ///< |b - A x| stays above the tolerance: by rounding errors, as x
               ///< is below the least number, or as gmres begins again too soon
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
  /// Called on every rank after each iteration, with its number and the recurrence's |b - A x| / |b|. It throws
  /// on all ranks or on none.
  std::function<void(index_t, double)> progress = {};
};

/// How a solution ended; the same on every rank.
struct KrylovResult {
  Stop stop;
  index_t iterations;
  double residual;  // |b - A x| / |b|, computed from x; 0 if b is 0
  bool converged() const noexcept { return stop == Stop::converged; }
};

/// No preconditioner: y = x.
struct Unpreconditioned {
  /// @collective
  template <class T, std::size_t N>
  void operator()(const Array<T, N>& x, Array<T, N>& y) const {
    copy(x, y);
  }
  /// The same for this rank's elements, of arrays of one layout. A preconditioner with this member is called
  /// without synchronisation. @local
  template <class T, std::size_t N>
  void own(const Array<T, N>& x, Array<T, N>& y) const {
    detail::change(
        y, [](T& to, const T& from) { to = from; }, x);
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
  KrylovRun(const KrylovOptions& options, double norm_of_b) : options_(options), norm_(norm_of_b) {}
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
  /// After an iteration: why to stop now, if so.
  std::optional<Stop> after_iteration(double squared_residual) {
    ++iterations_;
    if (options_.progress) options_.progress(iterations_, relative(squared_residual));
    if (!std::isfinite(squared_residual)) return Stop::not_finite;
    if (seems_small(squared_residual)) return Stop::converged;
    return may_go_on() ? std::nullopt : std::optional(Stop::iterations);
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
                      const KrylovOptions& options, KrylovWorkspace<T, N>* workspace) {
  check_options(options);
  const SliceCore both[] = {b.core(), x.core()};
  require_operands("a solver", both, Shapes::equal);
  KrylovSpace<T, N> space(b, workspace);
  if (!std::isfinite(space.norm_of_b())) return {Stop::not_finite, 0, std::numeric_limits<double>::quiet_NaN()};
  if (space.norm_of_b() == 0) {
    fill(x, T{0});
    return {Stop::converged, 0, 0.0};
  }
  Array<T, N>&u = space.vector(), &r = space.vector();
  space.enter(x, u);
  KrylovRun run(options, space.scaled_norm_of_b());
  double residual = space.residual(apply, u, r);
  Stop stop = Stop::converged;
  while (!run.is_small(residual)) {
    space.release_all_but(2);
    stop = !std::isfinite(residual) ? Stop::not_finite
           : run.may_go_on()        ? method(space, run, u, r, residual)
                                    : Stop::iterations;
    if (stop == Stop::not_finite) break;
    residual = space.residual(apply, u, r);
    if (!std::isfinite(residual)) stop = Stop::not_finite;
    if (stop != Stop::converged) break;
    if (!run.is_small(residual) && !run.begins_again(residual)) {
      stop = Stop::stagnation;
      break;
    }
  }
  if (run.is_small(residual)) stop = Stop::converged;
  if (!space.stays_finite(u)) {
    stop = Stop::not_finite;
    residual = std::numeric_limits<double>::quiet_NaN();
  }
  space.leave(u, x);
  if (stop == Stop::converged && space.may_underflow(u)) {
    space.enter(x, u);
    residual = space.residual(apply, u, r);
    if (!run.is_small(residual)) stop = Stop::stagnation;
  }
  return run.result(stop, residual);
}

}  // namespace detail

/// Solves A x = b by conjugate gradients, from the x given. `apply(p, q)` is q = A p for arrays with b's
/// layout; A is symmetric or Hermitian and positive definite. `precondition(r, z)` is z = M r, where M is near
/// the inverse of A and of the same kind. Both are collective: they throw on all members or on none. All
/// members get the same result. x is the last iterate, and unspecified after Stop::not_finite. Without a
/// workspace, the vectors are made for this solution. @collective
/// @throws UsageError for a tolerance or a number of iterations that makes no sense, or if x does not fit b
template <FloatingElement T, std::size_t N, ArrayOperator<T, N> Apply,
          ArrayOperator<T, N> Precondition = Unpreconditioned>
KrylovResult cg(Apply&& apply, const Array<T, N>& b, Array<T, N>& x, const KrylovOptions& options = {},
                Precondition&& precondition = {}, KrylovWorkspace<T, N>* workspace = nullptr) {
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    constexpr bool is_plain = std::is_same_v<std::remove_cvref_t<Precondition>, Unpreconditioned>;
    Array<T, N>&p = space.vector(), &q = space.vector(), &z = is_plain ? r : space.vector();
    // z = M r; returns r z, and sets the residual.
    const auto measure = [&]() -> double {
      if constexpr (is_plain) return residual = space.squared_norm(r);
      space.precondition(precondition, r, z);
      const auto [rz, rr] = space.template dots<2>({{{&r, &z}, {&r, &r}}});
      residual = std::real(rr);
      return std::real(rz);
    };
    T beta{0};
    for (double rho = measure();;) {
      if (!std::isfinite(rho)) return Stop::not_finite;
      if (rho <= 0) return Stop::breakdown;
      detail::change(
          p, [beta](T& to, const T& from) { to = beta == T{0} ? from : from + beta * to; }, z);
      space.apply_to(apply, p, q);
      const double curvature = std::real(space.dot(p, q));
      if (!std::isfinite(curvature)) return Stop::not_finite;
      if (curvature <= 0) return Stop::breakdown;
      const T alpha = detail::narrowed<T>(rho / curvature);
      detail::change(
          u, [alpha](T& to, const T& from) { to += alpha * from; }, p);
      detail::change(
          r, [alpha](T& to, const T& from) { to -= alpha * from; }, q);
      const double before = std::exchange(rho, measure());
      beta = detail::narrowed<T>(rho / before);
      if (const auto stop = run.after_iteration(residual)) return *stop;
    }
  };
  return detail::solve_by(method, apply, b, x, options, workspace);
}

/// Solves A x = b for any A by stabilised biconjugate gradients, as cg. Each iteration applies A and the
/// preconditioner twice. @collective @throws as cg
template <FloatingElement T, std::size_t N, ArrayOperator<T, N> Apply,
          ArrayOperator<T, N> Precondition = Unpreconditioned>
KrylovResult bicgstab(Apply&& apply, const Array<T, N>& b, Array<T, N>& x, const KrylovOptions& options = {},
                      Precondition&& precondition = {}, KrylovWorkspace<T, N>* workspace = nullptr) {
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    using Scalar = typename std::remove_cvref_t<decltype(space)>::Scalar;
    Array<T, N>&shadow = space.vector(), &p = space.vector(), &v = space.vector(), &y = space.vector(),
             &t = space.vector();
    const auto set = [](T& to, const T& from) { to = from; };
    // y = M from, image = A y
    const auto apply_both = [&](const Array<T, N>& from, Array<T, N>& image) {
      space.precondition(precondition, from, y);
      space.apply_to(apply, y, image);
    };
    // u += factor y, r -= factor image
    const auto step = [&](Scalar factor, const Array<T, N>& image) {
      const T number = detail::narrowed<T>(factor);
      detail::change(
          u, [number](T& to, const T& from) { to += number * from; }, y);
      detail::change(
          r, [number](T& to, const T& from) { to -= number * from; }, image);
      residual = space.squared_norm(r);
    };
    detail::change(shadow, set, r);
    detail::change(p, set, r);
    for (Scalar rho = space.dot(shadow, r);;) {
      apply_both(p, v);
      const Scalar against = space.dot(shadow, v);
      if (rho == Scalar{0} || against == Scalar{0}) return Stop::breakdown;
      const Scalar alpha = rho / against;
      step(alpha, v);
      Scalar omega{0};
      if (std::isfinite(residual) && !run.seems_small(residual)) {
        apply_both(r, t);
        const auto [tr, tt] = space.template dots<2>({{{&t, &r}, {&t, &t}}});
        if (tr == Scalar{0} || tt == Scalar{0}) return Stop::breakdown;
        omega = tr / tt;
        step(omega, t);
      }
      if (const auto stop = run.after_iteration(residual)) return *stop;
      const Scalar before = std::exchange(rho, space.dot(shadow, r));
      const T beta = detail::narrowed<T>(rho / before * (alpha / omega)), w = detail::narrowed<T>(omega);
      detail::change(
          p, [beta, w](T& to, const T& image, const T& from) { to = from + beta * (to - w * image); }, v, r);
    }
  };
  return detail::solve_by(method, apply, b, x, options, workspace);
}

/// Solves A x = b for any A by generalised minimal residuals, begun again after `restart` iterations, as cg. It
/// needs restart + 5 arrays. The residual never grows. @collective @throws as cg, or if `restart` is not
/// positive
template <FloatingElement T, std::size_t N, ArrayOperator<T, N> Apply,
          ArrayOperator<T, N> Precondition = Unpreconditioned>
KrylovResult gmres(index_t restart, Apply&& apply, const Array<T, N>& b, Array<T, N>& x,
                   const KrylovOptions& options = {}, Precondition&& precondition = {},
                   KrylovWorkspace<T, N>* workspace = nullptr) {
  if (restart <= 0) throw UsageError("gmres has to begin again after a positive number of iterations");
  const auto method = [&](auto& space, detail::KrylovRun& run, Array<T, N>& u, Array<T, N>& r,
                          double residual) {
    Array<T, N>& before = space.vector();
    const auto set = [](T& to, const T& from) { to = from; };
    detail::Arnoldi<T, N> arnoldi(space, restart);
    for (;;) {
      arnoldi.begin(r, residual);
      std::optional<Stop> stop;
      while (!stop && arnoldi.has_room()) {
        stop = run.after_iteration(arnoldi.step(apply, precondition));
        if (stop == Stop::not_finite) return *stop;
        if (!stop && arnoldi.is_exhausted()) stop = Stop::breakdown;
      }
      detail::change(before, set, u);
      arnoldi.add_to(u, precondition);
      const double last = std::exchange(residual, space.residual(apply, u, r));
      if (run.is_small(residual)) return Stop::converged;
      if (!(residual < last)) {  // by rounding: the matrix is nearly singular
        detail::change(u, set, before);
        return stop && *stop != Stop::converged ? *stop : Stop::stagnation;
      }
      if (stop) return *stop;
    }
  };
  return detail::solve_by(method, apply, b, x, options, workspace);
}

}  // namespace tessera
