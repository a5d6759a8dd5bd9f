// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <limits>
#include <map>

#include <tessera/elementwise.hpp>
#include <tessera/linalg/block_tensor.hpp>
#include <tessera/linalg/denominators.hpp>
#include <tessera/linalg/diis.hpp>
#include <tessera/reductions.hpp>

#include "message_of.hpp"
#include "test_matrix.hpp"

// What iterations of tensors need: energy denominators, and DIIS.
namespace tessera::test {
namespace {

using linalg::Diis;
using linalg::divide_by_denominators;
using linalg::OrbitalEnergies;

template <class T>
class Iterations : public testing::Test {};
using IteratedScalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Iterations, IteratedScalars);

// A slice in any layout, against a loop over all elements.
TYPED_TEST(Iterations, tensors_are_divided_by_energy_denominators) {
  using T = TypeParam;
  Random random(11);
  const Extents<4> dims(3, 4, 5, 2);
  std::vector<double> occupied{-20.5, -1.25, -0.75, -0.5}, virtuals{0.25, 0.5, 1.0, 2.0, 9.0};
  for (int round = 0; round < 12; ++round) {
    Array<T, 4> array(world(), any_layout(random, dims), {.name = "t"});
    SCOPED_TRACE(array.layout().description());
    std::vector<T> model(at(dims.size()));
    for (T& x : model) x = number<T>(pick(random, -9, 9), pick(random, -9, 9));
    set_contents(array, model);
    const double shift = round % 2 == 0 ? 0 : -0.125;
    // t(a, i, b, j), whose last two dimensions change places every other round
    const std::vector<OrbitalEnergies> energies{
        {std::span(virtuals).first(3), -1}, {occupied}, {virtuals, -1}, {std::span(occupied).first(2)}};
    if (round % 3 == 0)
      divide_by_denominators(array.slice().permuted({3, 0, 2, 1}),
                             {energies[3], energies[0], energies[2], energies[1]}, shift);
    else
      divide_by_denominators(array, energies, shift);
    const std::vector<T> now = contents(array);
    const double bound = 4 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
    Comparison compared;
    for_each_index(Patch<4>::whole(dims), [&](const Index<4>& place) {
      const auto i = at(number_of(place, dims));
      double sum = shift;
      for (std::size_t d = 0; d < 4; ++d) sum += energies[d].sign * energies[d].values[at(place[d])];
      const auto expected = std::complex<double>(model[i]) / sum, found = std::complex<double>(now[i]);
      compared(place, true, std::abs(expected - found) <= bound * std::abs(expected));
    });
    EXPECT_TRUE(compared.equal());
  }
}

TEST(IterationErrors, energies_that_do_not_fit_are_told) {
  Array<double, 2> t(world(), {3, 4}, {.name = "t"});
  const std::vector<double> three(3, 1.0), four(4, 1.0);
  EXPECT_EQ(message_of<UsageError>([&] { divide_by_denominators(t, {{three}}); }),
            "divide_by_denominators: 1 lists of energies for the 2 dimensions of array \"t\"");
  EXPECT_EQ(message_of<UsageError>([&] {
              divide_by_denominators(t, {{three}, {three}});
            }),
            "divide_by_denominators: 3 energies for dimension 1 of array \"t\", which has 4 indices");
  // The list of one rank is too long, and all ranks are told.
  const bool is_last = world().rank() == world().size() - 1;
  EXPECT_THROW((divide_by_denominators(t, {{is_last ? four : three}, {four}})), UsageError);
  fill(t, 3.0);
  divide_by_denominators(t, {{three}, {four}}, -2);
  EXPECT_TRUE(std::isinf(reduce(t, Reduce::max)));
}

// The solution of d x = b, for d with few values, by damped steps: x = x - 0.1 (d x - b). The error of each
// step is a combination of as many vectors as d has values, so that DIIS finds the solution with one vector
// more.
template <class T>
struct Equations {
  Equations(Random& random, double size)
      : small(world(), any_layout(random, Extents<1>(10)), {.name = "small"}),
        large(world(), any_layout(random, Extents<3>(4, 5, 6)), {.name = "large"}),
        small_error(world(), any_layout(random, Extents<1>(10)), {.name = "error of small"}),
        large_error(world(), any_layout(random, Extents<3>(6, 4, 5)), {.name = "error of large"}),
        scale(static_cast<RealOf<T>>(size)) {
    fill(small, T{0});
    fill(large, T{0});
  }
  static RealOf<T> coefficient(index_t number) { return static_cast<RealOf<T>>(1 + number % 3); }
  T solution(index_t i) const { return number<T>(i % 7 - 3, i % 5) * scale; }
  auto turned() { return large_error.slice().permuted({1, 2, 0}); }
  void find_errors() {
    for_each_local(small_error, [&](const Index<1>& at, T& e) { e = error_of(at[0], small.load(at)); });
    for_each_local(large_error, [&](const Index<3>& at, T& e) {
      e = error_of((at[1] * 5 + at[2]) * 6 + at[0], large.load({at[1], at[2], at[0]}));
    });
  }
  T error_of(index_t number, T x) const { return coefficient(number) * (x - solution(number)); }
  void step() {
    axpby(T(RealOf<T>(-0.5)), small_error, T{1}, small);
    axpby(T(RealOf<T>(-0.5)), turned(), T{1}, large);
  }
  double distance() {
    double most = 0;
    for_each_local(small, [&](const Index<1>& at, T x) { most = std::max(most, off(at[0], x)); });
    for_each_local(large, [&](const Index<3>& at, T x) {
      most = std::max(most, off((at[0] * 5 + at[1]) * 6 + at[2], x));
    });
    return world().all_reduce(most, Reduce::max);
  }
  double off(index_t number, T x) const { return static_cast<double>(std::abs(x - solution(number)) / scale); }

  Array<T, 1> small;
  Array<T, 3> large;
  Array<T, 1> small_error;
  Array<T, 3> large_error;
  RealOf<T> scale;
};

TYPED_TEST(Iterations, diis_solves_equations_with_few_vectors) {
  using T = TypeParam;
  Random random(5);
  constexpr bool is_double = sizeof(RealOf<T>) == sizeof(double);
  for (const double scale : is_double ? std::vector{1.0, 1e-290, 1e290} : std::vector{1.0, 1e-30, 1e30}) {
    SCOPED_TRACE(scale);
    Equations<T> equations(random, scale);
    Diis<T> diis;
    double first = 0, last = 0;
    for (int step = 0; step < 6; ++step) {
      equations.find_errors();
      const double expected = norm2(equations.large_error) / scale;
      equations.step();
      last =
          diis.extrapolate({{equations.small, equations.small_error}, {equations.large, equations.turned()}}) /
          scale;
      EXPECT_GE(last, expected);
      if (step == 0) first = last;
      if (last == 0) break;
      EXPECT_EQ(diis.iterations(), step + 1);
    }
    EXPECT_LT(last, first);
    EXPECT_LT(equations.distance(), is_double ? 1e-10 : 1e-3);
    diis.close();
  }
}

// More vectors than one call of axpby combines; and the elements of block tensors.
TEST(DiisLife, combines_many_iterations_and_block_tensors) {
  constexpr index_t kinds = 11;
  const std::vector<index_t> rows{3, 4, 5}, columns{6, 2};
  linalg::BlockTensor<double, 2> x(world(), {rows, columns}, {.name = "x"}),
      error(world(), {rows, columns}, {.name = "error"});
  const auto solution = [](index_t i) { return static_cast<double>(i % 13 - 6); };
  // The elements have coefficients from 1 to 2 of so many kinds, so as many vectors and one more solve for all.
  const auto for_each = [&](const auto& f) {
    for_each_local(x.elements(), [&](const Index<1>& at, double& value) {
      f(at[0], value, 1 + static_cast<double>(at[0] % kinds) / (kinds - 1));
    });
  };
  Diis<double> diis({.max_iterations = 20});
  const auto distance = [&] {
    double most = 0;
    for_each([&](index_t i, double value, double) { most = std::max(most, std::abs(value - solution(i))); });
    return world().all_reduce(most, Reduce::max);
  };
  for (int step = 0; step <= kinds && distance() > 1e-9; ++step) {
    if (step == 8) {
      EXPECT_GT(distance(), 1e-6);
    }
    std::map<index_t, double> errors;
    for_each(
        [&](index_t i, double value, double coefficient) { errors[i] = coefficient * (value - solution(i)); });
    for_each_local(error.elements(), [&](const Index<1>& at, double& e) { e = errors.at(at[0]); });
    axpby(-0.5, error.elements(), 1, x.elements());
    diis.extrapolate({{x.elements(), error.elements()}});
  }
  EXPECT_GT(diis.iterations(), 8);
  EXPECT_LT(distance(), 1e-7);
}

// With one iteration there is nothing to combine. With as many as there are vectors, old ones are replaced.
TEST(DiisLife, oldest_iterations_are_replaced) {
  Random random(6);
  Equations<double> one(random, 1), many(random, 1), few(random, 1);
  Diis<double> keeps_one({.max_iterations = 1}), keeps_many({.max_iterations = 20}),
      keeps_few({.max_iterations = 2});
  for (int step = 0; step < 10; ++step) {
    for (auto [equations, diis] :
         {std::pair(&one, &keeps_one), std::pair(&many, &keeps_many), std::pair(&few, &keeps_few)}) {
      equations->find_errors();
      equations->step();
      diis->extrapolate({{equations->small, equations->small_error}, {equations->large, equations->turned()}});
    }
  }
  EXPECT_EQ(keeps_one.iterations(), 1);
  EXPECT_EQ(keeps_few.iterations(), 2);
  EXPECT_NEAR(one.distance(), 3 * std::pow(0.5, 10), 1e-14);
  EXPECT_LT(few.distance(), one.distance() / 2);
  EXPECT_LT(many.distance(), 1e-12);
  keeps_few.restart();
  EXPECT_EQ(keeps_few.iterations(), 0);
  few.find_errors();
  const std::vector<double> before = contents(few.large);
  keeps_few.extrapolate({{few.small, few.small_error}, {few.large, few.turned()}});
  EXPECT_EQ(contents(few.large), before);
  EXPECT_EQ(keeps_few.iterations(), 1);
  Diis<double> moved = std::move(keeps_few);
  moved.close();
  EXPECT_EQ(moved.iterations(), 0);
}

TEST(DiisLife, errors_of_zero_change_nothing) {
  Array<double, 2> x(world(), {5, 5}, {.name = "x"}), error(world(), {5, 5}, {.name = "error"});
  fill(x, 3.0);
  fill(error, 0.0);
  Diis<> diis;
  EXPECT_EQ(diis.extrapolate({{x, error}}), 0);
  EXPECT_EQ(diis.iterations(), 0);
  EXPECT_EQ(reduce(x, Reduce::min), 3);
}

TEST(DiisLife, wrong_uses_are_told) {
  Array<double, 2> x(world(), {5, 4}, {.name = "x"}), error(world(), {5, 4}, {.name = "error"}),
      other(world(), {4, 5}, {.name = "other"});
  fill(x, 1.0);
  fill(error, 1.0);
  EXPECT_THROW(Diis<>({.max_iterations = 0}), UsageError);
  Diis<> diis({.name = "amplitudes"});
  EXPECT_EQ(message_of<UsageError>([&] { diis.extrapolate({}); }), "amplitudes: no tensors");
  EXPECT_EQ(message_of<UsageError>([&] {
              diis.extrapolate({{x, error}, {x.slice({{4, 0}, {5, 4}}), error}});
            }),
            "amplitudes: array \"x\" and slice [4:5, 0:4] of array \"x\" overlap; give each tensor once");
  diis.extrapolate({{x, error}});
  fill(other, 1.0);
  EXPECT_EQ(message_of<UsageError>([&] {
              diis.extrapolate({{other, other}});
            }),
            "amplitudes: the tensors are not those of earlier iterations; close() it before others");
  if (world().rank() == world().size() - 1) error.store({0, 3}, std::nan(""));
  EXPECT_THROW(diis.extrapolate({{x, error}}), linalg::LinalgError);
  diis.close();
  Array<double, 1> few(world(), {3}, {.name = "few"});
  fill(few, 1.0);
  diis.extrapolate({{other, few}});  // the errors may have other extents
  EXPECT_THROW(diis.extrapolate({{other, other}}), UsageError);
  // A difference of such errors would overflow.
  fill(few, 1e308);
  EXPECT_THROW(diis.extrapolate({{other, few}}), linalg::LinalgError);
  EXPECT_EQ(norm_inf(other), 1);
}

}  // namespace
}  // namespace tessera::test
