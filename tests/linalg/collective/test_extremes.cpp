// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "spectra.hpp"

// Matrices at both ends of the range of their type. Scaling by a power of two changes no digit. So each result
// is the result of the same matrix near one times a power, except where the type cannot hold it.
namespace tessera::test {
namespace {

using linalg::EighOptions;
using linalg::EighSolver;
using linalg::LinalgError;

template <class T>
class Extremes : public testing::Test {
 public:
  using R = RealOf<T>;
  static constexpr index_t extent = 9;
  static constexpr int largest = std::numeric_limits<R>::max_exponent;
  // All even: subnormal, least normal, with squares too small, with squares too large, and largest.
  static std::vector<int> exponents() {
    return {-largest - 10, -largest + 24, -largest / 2 - 20, largest / 2 + 20, largest - 24};
  }

  template <class U>
  static U times_power(U x, int exponent) {
    const int half = exponent / 2;
    return x * std::ldexp(R{1}, half) * std::ldexp(R{1}, exponent - half);
  }
  template <class U>
  static Local<U> times_power(Local<U> a, int exponent) {
    for (U& x : a) x = times_power(x, exponent);
    return a;
  }
  template <class U>
  static std::vector<U> times_power(std::vector<U> values, int exponent) {
    for (U& x : values) x = times_power(x, exponent);
    return values;
  }
  // The tolerance for the digits that numbers of this size have left.
  static double tolerance(int exponent) {
    const double digits = std::numeric_limits<R>::epsilon();
    const double least = std::ldexp(1.0, std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits);
    return 2000.0 * extent * std::max(digits, least * std::ldexp(1.0, -exponent));
  }
  // `found` is `expected` times a power of two.
  template <class U>
  static void expect_scaled(const std::vector<U>& found, const std::vector<U>& expected, int exponent,
                            const char* what) {
    EXPECT_TRUE(are_close(times_power(found, -exponent), expected, tolerance(exponent))) << what;
  }
};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Extremes, Scalars);

TYPED_TEST(Extremes, change_no_digit_of_eigenvalues_and_singular_values) {
  using T = TypeParam;
  using Real = RealOf<T>;
  const index_t n = this->extent;
  const auto spd = random_spd<T>(n, 3), general = random_matrix<T>(n, n, 5), wide = random_matrix<T>(4, n, 6);
  Array<T, 2> a(world(), {n, n}, {.name = "A"}), g(world(), {n, n}, {.name = "G"}), w(world(), {4, n});
  set(a, spd), set(g, general), set(w, wide);
  const auto near_one = linalg::eigh(a);
  const auto vectors = all_of(near_one.vectors);
  const auto of_general = linalg::eigvals(g);
  const auto singular = linalg::svdvals(w);
  const double middle = (static_cast<double>(near_one.values[3]) + static_cast<double>(near_one.values[4])) / 2;
  for (const int exponent : this->exponents()) {
    SCOPED_TRACE(testing::Message() << "times 2^" << exponent);
    const double tolerance = this->tolerance(exponent);
    set(a, this->times_power(spd, exponent)), set(g, this->times_power(general, exponent));
    set(w, this->times_power(wide, exponent));
    std::vector<EighSolver> solvers{EighSolver::automatic, EighSolver::qr_iteration};
    if (linalg::has_elpa() && sizeof(Real) == sizeof(double)) solvers.push_back(EighSolver::elpa);
    for (const EighSolver solver : solvers) {
      const auto all = linalg::eigh(a, {.solver = solver, .blocking = {.block = 2}});
      this->expect_scaled(all.values, near_one.values, exponent, "eigh");
      EXPECT_TRUE(are_close(all_of(all.vectors), vectors, 10 * tolerance)) << "vectors of eigh";
    }
    // Half of the eigenvalues, selected by their size.
    const double bound = std::ldexp(middle, exponent);
    this->expect_scaled(
        linalg::eigvalsh(a, {.interval = EighOptions::Interval{bound, std::numeric_limits<double>::max()}}),
        std::vector<Real>(near_one.values.begin() + 4, near_one.values.end()), exponent, "eigvalsh");
    const auto match = [&](const auto& values, const char* what) {
      EXPECT_TRUE(are_close_in_any_order(this->times_power(values, -exponent), of_general, 10 * tolerance))
          << what;
    };
    match(linalg::eigvals(g), "eigvals");
    match(linalg::eig(g).values, "eig");
    this->expect_scaled(linalg::svdvals(w), singular, exponent, "svdvals");
    const auto [u, s, vh] = linalg::svd(w);
    const auto left = scaled_columns(all_of(u), this->times_power(s, -exponent));
    EXPECT_TRUE(are_close(product(left, all_of(vh)), wide, tolerance)) << "svd";
    world().sync();
  }
}

TYPED_TEST(Extremes, change_no_digit_of_solutions_and_factors) {
  using T = TypeParam;
  const index_t n = this->extent;
  const auto spd = random_spd<T>(n, 3), general = random_matrix<T>(n, n, 5), tall = random_matrix<T>(n, 4, 6),
             right = random_matrix<T>(n, 2, 8);
  Array<T, 2> a(world(), {n, n}, {.name = "A"}), g(world(), {n, n}, {.name = "G"}), t(world(), {n, 4}),
      b(world(), {n, 2}, {.name = "b"});
  set(a, spd), set(g, general), set(t, tall), set(b, right);
  const auto factor = all_of(linalg::cholesky(a)), inverse = all_of(linalg::inverse(g)),
             inverse_spd = all_of(linalg::inverse_spd(a)), r = all_of(linalg::qr(t).r),
             root = all_of(linalg::power(a, 0.5)), least = all_of(linalg::least_squares(t, b));
  const double condition = linalg::condition(g);
  const auto determinant = linalg::log_determinant(g);
  for (const int exponent : this->exponents()) {
    SCOPED_TRACE(testing::Message() << "times 2^" << exponent);
    const double tolerance = 20 * this->tolerance(exponent) * condition;
    set(a, this->times_power(spd, exponent)), set(g, this->times_power(general, exponent));
    set(t, this->times_power(tall, exponent));
    const auto scaled = this->times_power(right, exponent);
    const auto near = [&](const Local<T>& found, const Local<T>& expected, const char* what) {
      EXPECT_TRUE(are_close(found, expected, tolerance)) << what;
      world().sync();  // before a rank changes what others still read
    };
    set(b, scaled), linalg::solve(g, b);
    near(all_of(b), product(inverse, right), "solve");
    set(b, scaled), linalg::solve_spd(a, b);
    near(all_of(b), product(inverse_spd, right), "solve_spd");
    set(b, scaled);
    near(all_of(linalg::least_squares(t, b)), least, "least_squares");
    near(this->times_power(all_of(linalg::cholesky(a)), -exponent / 2), factor, "cholesky");
    const auto [q, now] = linalg::qr(t);
    near(this->times_power(all_of(now), -exponent), r, "qr");
    near(product(all_of(q), r), tall, "q");
    near(this->times_power(all_of(linalg::power(a, 0.5)), -exponent / 2), root, "power");
    linalg::solve_triangular(linalg::Triangle::lower, a, b);
    auto lower = spd;
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = i + 1; j < n; ++j) lower(i, j) = T{};
    }
    near(product(lower, all_of(b)), right, "solve_triangular");
    if (exponent > -this->largest) {
      near(this->times_power(all_of(linalg::inverse(g)), exponent), inverse, "inverse");
      near(this->times_power(all_of(linalg::inverse_spd(a)), exponent), inverse_spd, "inverse_spd");
    } else {
      EXPECT_NE(message_of<LinalgError>([&] { linalg::inverse(g); }).find("range"), std::string::npos);
      EXPECT_NE(message_of<LinalgError>([&] { linalg::inverse_spd(a); }).find("range"), std::string::npos);
    }
    EXPECT_NEAR(linalg::condition(g) / condition, 1, tolerance);
    const auto [sign, magnitude] = linalg::log_determinant(g);
    EXPECT_LT(std::abs(sign - determinant.sign), tolerance);
    EXPECT_NEAR(magnitude, determinant.log_magnitude + n * exponent * std::log(2.0), n * tolerance);
    world().sync();
  }
}

// Columns of such different sizes that scaling the whole matrix does not help.
TEST(ExtremeColumns, of_very_different_size_are_solved) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Array<double, 2> a(world(), {3, 3}, {.name = "D"}), b(world(), {3, 1}, {.name = "b"});
  const double sizes[3] = {1e300, 1, 1e-310};
  const auto each = [&sizes](const Index<2>& at, double& x) {
    x = at[0] == at[1] || at[1] == 0 ? sizes[static_cast<std::size_t>(at[0])] : 0;
  };
  fill(a, 0.0);
  for_each_local(a, [&](const Index<2>& at, double& x) {
    if (at[0] == at[1]) each(at, x);
  });
  a.sync();
  for (int way = 0; way < 4; ++way) {
    for_each_local(b, each);
    b.sync();
    if (way == 0) linalg::solve(a, b);
    if (way == 1) linalg::solve_spd(a, b);
    if (way == 2) linalg::solve_triangular(linalg::Triangle::upper, a, b);
    if (way == 3) linalg::solve_triangular(linalg::Triangle::upper, linalg::transpose(a), b);
    EXPECT_LT(norm_inf(b), 1 + 1e-13) << way;
    EXPECT_GT(min_element(b).value, 1 - 1e-13) << way;
  }
  EXPECT_NEAR(linalg::log_determinant(a).log_magnitude, std::log(1e300) + std::log(1e-310), 1e-10);
  EXPECT_EQ(linalg::condition(a), infinite);
  EXPECT_EQ(all_of(linalg::cholesky(a))(2, 2), std::sqrt(1e-310));
}

// Two equations whose rows, or whose right-hand sides, are of very different size.
TEST(ExtremeRows, and_small_right_sides_are_solved) {
  Array<double, 2> a(world(), {2, 2}, {.name = "a"}), b(world(), {2, 1}, {.name = "b"});
  const auto set = [](Array<double, 2>& to, const std::vector<double>& values) {
    for_each_local(to, [&](const Index<2>& at, double& x) {
      x = values[static_cast<std::size_t>(at[0] * to.dims()[1] + at[1])];
    });
    to.sync();
  };
  const auto expect = [](const Array<double, 2>& found, const std::vector<double>& values) {
    for (index_t i = 0; i < std::ssize(values); ++i) {
      const double x = found.load({i / found.dims()[1], i % found.dims()[1]}),
                   right = values[static_cast<std::size_t>(i)];
      EXPECT_NEAR(x, right, 1e-13 * std::abs(right)) << i;
    }
    found.sync();
  };
  const std::vector<double> small{1e-200, 0}, large{1e308, 1e308};
  set(a, {1, 1, 1e-200, 2e-200}), set(b, small);
  linalg::solve(a, b);
  expect(b, {2e-200, -1e-200});
  set(a, {1, 1, -1, 1}), set(b, large);
  linalg::solve(a, b);
  expect(b, {0, 1e308});
  set(a, {1, 0, 1e-200, 1e-200}), set(b, small);
  linalg::solve_triangular(linalg::Triangle::lower, a, b);
  expect(b, {1e-200, -1e-200});
  set(a, {1, 0, -1, 2}), set(b, large);
  linalg::solve_triangular(linalg::Triangle::lower, a, b);
  expect(b, {1e308, 1e308});
  set(a, {1e300, .5, .5, 1e-300}), set(b, small);
  linalg::solve_spd(a, b);
  expect(b, {0, -1e-200 / 1.5});
  set(a, {1e200, 1e200, 1e-200, 2e-200}), set(b, {2e200, 3e-200});
  linalg::solve(a, b);
  expect(b, {1, 1});
  EXPECT_EQ(linalg::log_determinant(a).sign, 1);
  EXPECT_NEAR(linalg::log_determinant(a).log_magnitude, 0, 1e-12);
  expect(linalg::inverse(a), {2e-200, -1e200, -1e-200, 1e200});
  Array<float, 2> c(world(), {1, 1}, {.name = "c"}), d(world(), {1, 1}, {.name = "d"});
  constexpr float least = 1e-43F, size = 1e-38F, right = static_cast<float>(double{least} / double{size});
  fill(c, size);
  for (int way = 0; way < 3; ++way) {
    fill(d, least);
    if (way == 0) linalg::solve(c, d);
    if (way == 1) linalg::solve_triangular(linalg::Triangle::upper, c, d);
    if (way == 2) copy(linalg::least_squares(c, d), d);
    EXPECT_NEAR(norm_inf(d), right, 1e-6F * right) << way;
  }
}

// Basis functions whose norms are of very different size: rows and columns of both matrices are multiplied by
// these norms. Eigenvalues stay, and rows of vectors are divided.
TYPED_TEST(Extremes, of_basis_functions_change_no_digit_of_generalised_eigenvalues) {
  using T = TypeParam;
  const index_t n = this->extent;
  const auto spd = random_spd<T>(n, 3), general = random_spd<T>(n, 4);
  Array<T, 2> a(world(), {n, n}, {.name = "A"}), s(world(), {n, n}, {.name = "S"});
  const auto norm = [](index_t i) {
    constexpr int least = std::numeric_limits<RealOf<T>>::min_exponent / 2 + 6;
    return i % 3 == 0 ? least : i % 3 == 1 ? -least : 0;
  };
  const auto in_basis = [&](Local<T> matrix) {
    for (index_t i = 0; i < n; ++i) {
      for (index_t j = 0; j < n; ++j) matrix(i, j) = this->times_power(matrix(i, j), norm(i) + norm(j));
    }
    return matrix;
  };
  set(a, general), set(s, spd);
  const auto values = linalg::eigvalsh(a, s);
  set(a, in_basis(general)), set(s, in_basis(spd));
  const auto found = linalg::eigh(a, s);
  EXPECT_TRUE(are_close(found.values, values, this->tolerance(0)));
  EXPECT_TRUE(are_close(linalg::eigvalsh(a, s), values, this->tolerance(0)));
  auto rescaled = all_of(found.vectors);
  for (index_t i = 0; i < n; ++i) {
    for (index_t j = 0; j < n; ++j) rescaled(i, j) = this->times_power(rescaled(i, j), norm(i));
  }
  const auto metric = product(spd, rescaled);
  EXPECT_TRUE(are_close(product(general, rescaled), scaled_columns(metric, values), 10 * this->tolerance(0)));
  EXPECT_TRUE(are_close(product(adjoint_of(rescaled), metric), unit<T>(n), 10 * this->tolerance(0)));
}

// A chain of which every element has its own size, and an element apart. In double, vectors of the chain are
// 2^2000 longer at one end than at the other. The vector of the element apart lies in the middle of that range.
TYPED_TEST(Extremes, parts_of_badly_scaled_matrices_have_vectors_of_length_1) {
  using T = TypeParam;
  using Part = RealOf<T>;
  const index_t n = 6;
  const int exponent = TestFixture::largest - 24;
  Local<T> matrix(Extents<2>{n, n});
  for (index_t i = 0; i < 4; ++i) {
    matrix(i, i + 1) = std::ldexp(Part{1}, exponent);
    matrix(i + 1, i) = std::ldexp(Part{1}, -exponent);
  }
  matrix(5, 5) = Part{0.5};
  Array<T, 2> a(world(), {n, n}, {.name = "A"});
  set(a, matrix);
  const auto [w, v] = linalg::eig(a);
  std::vector<std::complex<Part>> expected{Part{0.5}};
  for (int k = 1; k <= 5; ++k) expected.emplace_back(static_cast<Part>(2 * std::cos(std::numbers::pi * k / 6)));
  EXPECT_TRUE(are_close_in_any_order(w, expected, tolerance<T>(n, 5)));
  const auto vectors = all_of(v);
  for (index_t j = 0; j < n; ++j) {
    double square = 0;
    for (index_t i = 0; i < n; ++i) square += static_cast<double>(std::norm(vectors(i, j)));
    EXPECT_NEAR(square, 1, tolerance<T>(n, 5)) << "column " << j;
    if (std::abs(w[at(j)] - expected[0]) < Part{0.125}) {
      EXPECT_NEAR(std::abs(vectors(5, j)), 1, tolerance<T>(n, 5));
    }
  }
}

TEST(ExtremeScalars, are_solved_if_their_type_holds_the_solution) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  Array<double, 2> a(world(), {1, 1}, {.name = "a"}), b(world(), {1, 1}, {.name = "b"});
  fill(a, 0.0), fill(b, 1.0);
  const std::string words = "matrix \"a\" is singular: pivot 1 is zero";
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve(a, b); }), "solve: " + words);
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::inverse(a); }), "inverse: " + words);
  EXPECT_EQ(linalg::log_determinant(a).sign, 0);
  EXPECT_EQ(linalg::log_determinant(a).log_magnitude, -infinite);
  EXPECT_EQ(linalg::condition(a), infinite);
  EXPECT_EQ(norm_inf(b), 1) << "the right-hand side changed";
  fill(a, 1e-310);
  EXPECT_EQ(linalg::condition(a), 1);
  EXPECT_EQ(message_of<LinalgError>([&] { linalg::solve(a, b); }),
            "solve: matrix \"a\" has a solution that is out of the range of its type");
  EXPECT_EQ(norm_inf(b), 1) << "the right-hand side changed";
  fill(b, 1e-310), linalg::solve(a, b);
  EXPECT_EQ(norm_inf(b), 1);
}

// No routine accepts NaN or infinity, wherever they are.
TEST(NotANumber, is_refused_by_all_routines) {
  for (const double none :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Array<double, 2> bad(world(), {5, 5}, {.name = "bad"}), good(world(), {5, 5}, {.name = "good"}),
        x(world(), {5, 5}, {.name = "x"});
    const auto unit = [](Array<double, 2>& m) { fill(m, 0.0), fill_diagonal(m, 2.0); };
    unit(bad), unit(good), unit(x);
    for_each_local(bad, [&](const Index<2>& at, double& value) {
      if (at[0] == 3 && at[1] == 1) value = none;
    });
    bad.sync();
    int number = 0;
    const auto refused = [&](const auto& f) {
      EXPECT_NE(message_of<LinalgError>(f).find("matrix \"bad\" holds NaN or infinity"), std::string::npos)
          << "routine " << number;
      ++number;
    };
    refused([&] { linalg::solve(bad, x); });
    refused([&] { linalg::solve(good, bad); });
    refused([&] { linalg::solve_spd(bad, x); });
    refused([&] { linalg::solve_spd(good, bad); });
    refused([&] { linalg::solve_triangular(linalg::Triangle::lower, bad, x); });
    refused([&] { linalg::solve_triangular(linalg::Triangle::lower, good, bad); });
    refused([&] { linalg::least_squares(bad, x); });
    refused([&] { linalg::least_squares(good, bad); });
    refused([&] { linalg::cholesky(bad); });
    refused([&] { linalg::qr(bad); });
    refused([&] { linalg::inverse(bad); });
    refused([&] { linalg::inverse_spd(bad); });
    refused([&] { linalg::log_determinant(bad); });
    refused([&] { linalg::condition(bad); });
    refused([&] { linalg::eigh(bad); });
    refused([&] { linalg::eigh(good, bad); });
    refused([&] { linalg::eigvalsh(bad); });
    refused([&] { linalg::eig(bad); });
    refused([&] { linalg::eigvals(bad); });
    refused([&] { linalg::svd(bad); });
    refused([&] { linalg::svdvals(bad); });
    refused([&] { linalg::power(bad, 0.5); });
    EXPECT_EQ(message_of<LinalgError>([&] { linalg::power(bad, 0.5); }).rfind("power: ", 0), 0U);
    refused([&] { linalg::exponential(bad); });
    refused([&] { linalg::canonical_orthogonaliser(bad); });
    // The triangle that is not read may hold anything.
    linalg::solve_triangular(linalg::Triangle::upper, bad, x);
    EXPECT_EQ(norm_inf(x), 1);
    // Nor is a diagonal of ones.
    fill_diagonal(good, none);
    linalg::solve_triangular(linalg::Triangle::upper, good, x, linalg::UnitDiagonal::yes);
    EXPECT_EQ(norm_inf(x), 1);
  }
}

}  // namespace
}  // namespace tessera::test
