// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <tessera/krylov.hpp>
#include <tessera/preconditioners.hpp>
#include <tessera/tessera.hpp>

#include "comparison.hpp"
#include "mpi_test.hpp"

// Iterative solvers, against the solution from which the right side was computed.
namespace tessera::test {
namespace {

template <class T>
using KrylovReal = decltype(std::abs(T{}));

template <class T>
T krylov_number(std::mt19937& random) {
  std::uniform_real_distribution<KrylovReal<T>> uniform(-1, 1);
  if constexpr (std::is_floating_point_v<T>)
    return uniform(random);
  else
    return {uniform(random), uniform(random)};
}

// One type for all operators and preconditioners, so that each solver is compiled once for each element type.
template <class T, std::size_t N>
using LinearMap = std::function<void(const Array<T, N>&, Array<T, N>&)>;

enum class Kind { positive_definite, general };

// A dense matrix, the same on every rank, times arrays of two dimensions whose elements are numbered row by
// row.
template <class T>
class DenseOperator {
 public:
  DenseOperator(index_t n, Kind kind, unsigned seed) : n_(n), all_(at(n * n)) {
    std::mt19937 random(seed);
    for (T& x : all_) x = krylov_number<T>(random);
    if (kind == Kind::positive_definite) {
      for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < i; ++j) element(j, i) = tessera::detail::conjugate(element(i, j));
    }
    // Diagonally dominant, and with a positive diagonal: positive definite if it is Hermitian.
    for (index_t i = 0; i < n; ++i) element(i, i) = T(static_cast<KrylovReal<T>>(2 * n));
  }

  void operator()(const Array<T, 2>& x, Array<T, 2>& y) const {
    const auto from = x.get(Patch<2>::whole(x.dims()));
    for_each_local(y, [&](const Index<2>& place, T& to) {
      const index_t i = place[0] * y.dims()[1] + place[1];
      T sum{};
      for (index_t j = 0; j < n_; ++j) sum += all_[at(i * n_ + j)] * from.data()[at(j)];
      to = sum;
    });
    y.sync();
  }
  T& element(index_t i, index_t j) { return all_[at(i * n_ + j)]; }

 private:
  index_t n_;
  std::vector<T> all_;
};

template <class T>
class Krylov : public testing::Test {};
using KrylovTypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Krylov, KrylovTypes);

// Solves for a solution of random numbers times a scale, which it must find.
template <class T>
using Solver =
    std::function<KrylovResult(const LinearMap<T, 2>&, const Array<T, 2>&, Array<T, 2>&, const KrylovOptions&)>;
template <class T>
void check_solver(const Extents<2>& dims, Kind kind, KrylovReal<T> scale, const Solver<T>& solve) {
  const LinearMap<T, 2> apply = DenseOperator<T>(dims.size(), kind, 5);
  Array<T, 2> b(world(), dims, {.name = "b"}), wanted = b.duplicate("wanted");
  Array<T, 2> x(world(), Layout<2>::block_cyclic(dims, {2, 3}, {{1, world().size()}}, world().size()),
                {.name = "x"});
  std::mt19937 random(9);
  std::vector<T> numbers(at(dims.size()));
  for (T& number : numbers) number = scale * krylov_number<T>(random);
  for_each_local(wanted,
                 [&](const Index<2>& place, T& to) { to = numbers[at(place[0] * dims[1] + place[1])]; });
  wanted.sync();
  apply(wanted, b);
  fill(x, T{0});
  const double tolerance = std::is_same_v<KrylovReal<T>, float> ? 1e-5 : 1e-12;
  const KrylovResult result = solve(apply, b, x, KrylovOptions{.tolerance = tolerance});
  EXPECT_EQ(result.stop, Stop::converged) << to_string(result.stop) << " after " << result.iterations;
  EXPECT_LE(result.residual, tolerance);
  Comparison compared;
  for_each_local(x, [&](const Index<2>& place, const T& found) {
    const T expected = numbers[at(place[0] * dims[1] + place[1])];
    compared.check(std::abs(found - expected) <= 10 * tolerance * std::abs(scale), place, expected, found);
  });
  EXPECT_TRUE(compared.equal());
  world().sync();
}

// Divides by the diagonal of these matrices.
template <class T>
LinearMap<T, 2> jacobi_of(const Extents<2>& dims) {
  const T factor(1 / static_cast<KrylovReal<T>>(2 * dims.size()));
  return [factor](const Array<T, 2>& x, Array<T, 2>& y) { axpby(factor, x, T{0}, x, y); };
}

TYPED_TEST(Krylov, preconditioned_solvers_find_the_solution_at_any_scale) {
  using T = TypeParam;
  const Extents<2> dims(5, 7);
  const KrylovReal<T> huge = std::numeric_limits<KrylovReal<T>>::max() / 1000,
                      tiny = std::numeric_limits<KrylovReal<T>>::min() * 1000;
  const LinearMap<T, 2> jacobi = jacobi_of<T>(dims);
  for (const KrylovReal<T> scale : {KrylovReal<T>{1}, huge, tiny}) {
    SCOPED_TRACE(testing::Message() << "scale " << scale);
    check_solver<T>(dims, Kind::positive_definite, scale,
                    [&](auto& a, auto& b, auto& x, const KrylovOptions& o) { return cg(a, b, x, o, jacobi); });
    check_solver<T>(dims, Kind::general, scale, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return bicgstab(a, b, x, o, jacobi);
    });
    check_solver<T>(dims, Kind::general, scale, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return gmres(4, a, b, x, o, jacobi);
    });
  }
}

TEST(KrylovPlain, solvers_need_no_preconditioner) {
  using T = std::complex<double>;
  const Extents<2> dims(3, 8);
  check_solver<T>(dims, Kind::positive_definite, 1,
                  [](auto& a, auto& b, auto& x, const KrylovOptions& o) { return cg(a, b, x, o); });
  check_solver<T>(dims, Kind::general, 1,
                  [](auto& a, auto& b, auto& x, const KrylovOptions& o) { return bicgstab(a, b, x, o); });
  check_solver<T>(dims, Kind::general, 1,
                  [](auto& a, auto& b, auto& x, const KrylovOptions& o) { return gmres(5, a, b, x, o); });
}

// Vectors of earlier solutions, also of other lengths, do not change results. Equal ones need no new memory.
TEST(KrylovPlain, solutions_may_share_a_workspace) {
  using T = double;
  KrylovWorkspace<T, 2> workspace;
  const auto solve_all = [&](const Extents<2>& dims) {
    check_solver<T>(dims, Kind::general, 1, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return gmres(5, a, b, x, o, Unpreconditioned(), &workspace);
    });
    check_solver<T>(dims, Kind::positive_definite, 1, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return cg(a, b, x, o, Unpreconditioned(), &workspace);
    });
    check_solver<T>(dims, Kind::general, 1, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return bicgstab(a, b, x, o, jacobi_of<T>(dims), &workspace);
    });
    world().sync();
    return runtime().memory_in_use();
  };
  solve_all(Extents<2>(3, 8));
  const index_t used = solve_all(Extents<2>(4, 5));
  EXPECT_EQ(solve_all(Extents<2>(4, 5)), used);
  workspace.close();
  solve_all(Extents<2>(1, 1));
}

TYPED_TEST(Krylov, gmres_may_begin_again_after_any_number_of_iterations) {
  using T = TypeParam;
  const Extents<2> dims(4, 6);
  for (const index_t restart : {1, 7, 100}) {
    check_solver<T>(dims, Kind::general, 1, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
      return gmres(restart, a, b, x, o, jacobi_of<T>(dims));
    });
  }
}

TYPED_TEST(Krylov, solvers_solve_a_single_equation) {
  using T = TypeParam;
  const LinearMap<T, 2> jacobi = jacobi_of<T>({1, 1});
  check_solver<T>({1, 1}, Kind::general, 1,
                  [&](auto& a, auto& b, auto& x, const KrylovOptions& o) { return cg(a, b, x, o, jacobi); });
  check_solver<T>({1, 1}, Kind::general, 1, [&](auto& a, auto& b, auto& x, const KrylovOptions& o) {
    return gmres(3, a, b, x, o, jacobi);
  });
}

// The equations that a test solves by each method.
std::vector<KrylovResult> results_of(const LinearMap<double, 1>& apply, const Array<double, 1>& b,
                                     Array<double, 1>& x, const KrylovOptions& options) {
  std::vector<KrylovResult> all;
  fill(x, 0.0);
  all.push_back(cg(apply, b, x, options));
  fill(x, 0.0);
  all.push_back(bicgstab(apply, b, x, options));
  fill(x, 0.0);
  all.push_back(gmres(5, apply, b, x, options));
  return all;
}

// Second differences.
void second_difference(const Array<double, 1>& x, Array<double, 1>& y) {
  const index_t n = x.size();
  const auto all = x.get(Patch<1>::whole(x.dims()));
  for_each_local(y, [&](const Index<1>& place, double& to) {
    const index_t i = place[0];
    to = 2 * all.data()[at(i)] - (i > 0 ? all.data()[at(i - 1)] : 0) - (i + 1 < n ? all.data()[at(i + 1)] : 0);
  });
  y.sync();
}

const LinearMap<double, 1> difference = second_difference;

TEST(KrylovStop, cg_solves_n_equations_in_n_steps_and_reports_each) {
  const index_t n = 30;
  Array<double, 1> b(world(), {n}, {.name = "b"}), x(world(), {n}, {.name = "x"});
  fill(b, 1.0);
  fill(x, 0.0);
  std::vector<index_t> steps;
  const KrylovResult result =
      cg(difference, b, x, {.tolerance = 1e-12, .progress = [&](index_t step, double residual) {
                              steps.push_back(step);
                              EXPECT_TRUE(std::isfinite(residual));
                            }});
  EXPECT_EQ(result.stop, Stop::converged);
  EXPECT_LE(result.iterations, n + 2);
  EXPECT_EQ(static_cast<index_t>(steps.size()), result.iterations);
  // The second differences of i (n + 1 - i) / 2 are 1.
  Comparison compared;
  for_each_local(x, [&](const Index<1>& place, const double& found) {
    const double expected = static_cast<double>((place[0] + 1) * (n - place[0])) / 2;
    compared.check(std::abs(found - expected) < 1e-8, place, expected, found);
  });
  EXPECT_TRUE(compared.equal());
  world().sync();
}

TEST(KrylovStop, solvers_say_why_they_stop) {
  Array<double, 1> b(world(), {20}, {.name = "b"}), x(world(), {20}, {.name = "x"});
  fill(b, 1.0);
  for (const KrylovResult& result : results_of(difference, b, x, {.tolerance = 1e-12, .max_iterations = 3})) {
    EXPECT_EQ(result.stop, Stop::iterations);
    EXPECT_EQ(result.iterations, 3);
    EXPECT_GT(result.residual, 1e-12);
  }
  for (const KrylovResult& result : results_of(difference, b, x, {.max_iterations = 0})) {
    EXPECT_EQ(result.stop, Stop::iterations);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.residual, 1);
  }
  for (const KrylovResult& result : results_of(difference, b, x, {.tolerance = 0}))
    EXPECT_TRUE(result.stop == Stop::stagnation || result.residual == 0) << to_string(result.stop);
  const LinearMap<double, 1> negative = [](const Array<double, 1>& from, Array<double, 1>& to) {
    axpby(-1.0, from, 0.0, from, to);
  };
  EXPECT_EQ(cg(negative, b, x).stop, Stop::breakdown);
  const LinearMap<double, 1> zero = [](const Array<double, 1>&, Array<double, 1>& to) { fill(to, 0.0); };
  for (const KrylovResult& result : results_of(zero, b, x, {})) EXPECT_EQ(result.stop, Stop::breakdown);
  const LinearMap<double, 1> broken = [](const Array<double, 1>&, Array<double, 1>& to) {
    fill(to, std::numeric_limits<double>::quiet_NaN());
  };
  for (const KrylovResult& result : results_of(broken, b, x, {})) EXPECT_EQ(result.stop, Stop::not_finite);
  int calls = 0;
  const LinearMap<double, 1> breaks_later = [&](const Array<double, 1>& from, Array<double, 1>& to) {
    ++calls < 6 ? difference(from, to) : broken(from, to);
  };
  EXPECT_EQ(cg(breaks_later, b, x).stop, Stop::not_finite);
  calls = 0;
  EXPECT_EQ(gmres(std::numeric_limits<index_t>::max(), breaks_later, b, x).stop, Stop::not_finite);
  fill(b, std::numeric_limits<double>::infinity());
  for (const KrylovResult& result : results_of(difference, b, x, {})) EXPECT_EQ(result.stop, Stop::not_finite);
  fill(b, 0.0);
  fill(x, 5.0);
  EXPECT_EQ(cg(difference, b, x).stop, Stop::converged);
  EXPECT_EQ(norm2(x), 0);
  world().sync();
}

// A singular matrix whose least residual is not zero: rounding makes a basis of many vectors useless.
TEST(KrylovStop, the_residual_of_gmres_never_grows) {
  const index_t n = 30;
  Array<double, 1> b(world(), {n}, {.name = "b"}), x(world(), {n}, {.name = "x"}), r(world(), {n});
  const LinearMap<double, 1> bidiagonal = [&](const Array<double, 1>& from, Array<double, 1>& to) {
    const auto all = from.get(Patch<1>::whole(from.dims()));
    for_each_local(to, [&](const Index<1>& place, double& y) {
      const index_t i = place[0];
      y = i + 1 < n ? static_cast<double>(1 + i) * all.data()[at(i)] + 0.3 * all.data()[at(i + 1)] : 0;
    });
    to.sync();
  };
  const auto residual = [&] {
    bidiagonal(x, r);
    axpby(-1.0, b, 1.0, r);
    return norm2(r) / norm2(b);
  };
  for_each_local(
      b, [](const Index<1>& place, double& to) { to = std::sin(1.0 + 7 * static_cast<double>(place[0])); });
  b.sync();
  for (const index_t first : {5, 30, 60}) {
    fill(x, 0.0);
    double before = 1;
    for (const index_t restart : {first, index_t{30}, index_t{60}}) {
      const KrylovResult result = gmres(restart, bidiagonal, b, x, {.max_iterations = 100});
      EXPECT_NE(result.stop, Stop::converged);
      EXPECT_LE(result.residual, before * (1 + 1e-12)) << restart << " after " << first;
      EXPECT_NEAR(residual(), result.residual, 1e-10);
      before = result.residual;
    }
  }
  world().sync();
}

// b near the largest number is divided first. A solution that is larger than that is not one.
TEST(KrylovStop, a_solution_beyond_the_largest_number_is_no_convergence) {
  Array<double, 1> b(world(), {4}, {.name = "b"}), x(world(), {4}, {.name = "x"});
  const auto scaled = [](double factor) {
    return LinearMap<double, 1>(
        [factor](const Array<double, 1>& from, Array<double, 1>& to) { axpby(factor, from, 0.0, from, to); });
  };
  fill(b, 1e308);
  for (const KrylovResult& result : results_of(scaled(1), b, x, {})) EXPECT_EQ(result.stop, Stop::converged);
  EXPECT_EQ(max_element(x).value, 1e308);
  EXPECT_EQ(min_element(x).value, 1e308);
  fill(b, 1e300);
  for (const KrylovResult& result : results_of(scaled(1e-10), b, x, {})) {
    EXPECT_EQ(result.stop, Stop::not_finite);
    EXPECT_TRUE(std::isnan(result.residual));
  }
  for (const KrylovResult& result : results_of(scaled(1e10), b, x, {})) EXPECT_EQ(result.stop, Stop::converged);
  fill(b, 1e-300);  // nor is one that is less than the least number
  for (const KrylovResult& result : results_of(scaled(1e100), b, x, {})) {
    EXPECT_EQ(result.stop, Stop::stagnation);
    EXPECT_EQ(result.residual, 1.0);
  }
  for (const KrylovResult& result : results_of(scaled(3), b, x, {})) EXPECT_EQ(result.stop, Stop::converged);
  fill(b, 1e-150);  // nor if it is the solution that is small
  for (const KrylovResult& result : results_of(scaled(1e250), b, x, {}))
    EXPECT_NE(result.stop, Stop::converged);
  Array<float, 1> c(world(), {4}), y(world(), {4});
  fill(c, 1e35F);
  fill(y, 0.0F);
  const LinearMap<float, 1> small = [](const Array<float, 1>& from, Array<float, 1>& to) {
    axpby(1e-5F, from, 0.0F, from, to);
  };
  EXPECT_EQ(cg(small, c, y).stop, Stop::not_finite);
  world().sync();
}

// With them, fewer steps are needed. The matrix of the first is a second difference and a diagonal that grows.
TEST(Preconditioners, jacobi_and_chebyshev_save_iterations) {
  const index_t n = 60;
  Array<double, 1> b(world(), {n}, {.name = "b"}), x(world(), {n}, {.name = "x"}),
      diagonal(world(), {n}, {.name = "d"});
  for_each_local(diagonal,
                 [](const Index<1>& place, double& d) { d = 2 + static_cast<double>(place[0] * place[0]); });
  diagonal.sync();
  const LinearMap<double, 1> apply = [&](const Array<double, 1>& from, Array<double, 1>& to) {
    difference(from, to);
    transform(from, diagonal, to, to, [](double f, double d, double t) { return t + (d - 2) * f; });
  };
  fill(b, 1.0);
  const auto steps = [&](auto&& solve) {
    fill(x, 0.0);
    const KrylovResult result = solve();
    EXPECT_EQ(result.stop, Stop::converged) << to_string(result.stop);
    return result.iterations;
  };
  const KrylovOptions options{.tolerance = 1e-6};
  const index_t plain = steps([&] { return cg(apply, b, x, options); }),
                jacobi = steps([&] { return cg(apply, b, x, options, Jacobi(diagonal)); });
  EXPECT_LT(jacobi, plain);
  const index_t unaided = steps([&] { return cg(difference, b, x, options); }),
                chebyshev =
                    steps([&] { return cg(difference, b, x, options, Chebyshev(difference, b, 0.1, 4.0, 4)); });
  EXPECT_LT(chebyshev, unaided);
  fill(diagonal, 0.0);
  EXPECT_THROW(Jacobi{diagonal}, UsageError);
  EXPECT_THROW(Chebyshev(difference, b, 2.0, 1.0, 4), UsageError);
  world().sync();
}

TEST(KrylovStop, wrong_options_are_refused) {
  Array<double, 1> b(world(), {4}, {.name = "b"}), x(world(), {4}, {.name = "x"}),
      other(world(), {5}, {.name = "y"});
  fill(b, 1.0), fill(x, 0.0), fill(other, 0.0);
  EXPECT_THROW(cg(difference, b, x, {.tolerance = -1}), UsageError);
  EXPECT_THROW(cg(difference, b, x, {.tolerance = std::numeric_limits<double>::quiet_NaN()}), UsageError);
  EXPECT_THROW(cg(difference, b, x, {.max_iterations = -1}), UsageError);
  EXPECT_THROW(gmres(0, difference, b, x), UsageError);
  EXPECT_THROW(cg(difference, b, other), UsageError);
  Array<double, 1> none(world(), {0}, {.name = "none"});
  EXPECT_EQ(cg(difference, none, none).stop, Stop::converged);
  world().sync();
}

}  // namespace
}  // namespace tessera::test
