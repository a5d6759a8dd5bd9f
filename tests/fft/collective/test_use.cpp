// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <utility>

#include "dft_model.hpp"

// Wrong use is reported on every rank. NaN, infinity and numbers of extreme size go through as in FFTW.

namespace tessera {
namespace {

using namespace test;
using C = std::complex<double>;

TEST(FftUse, reports_dimensions_that_do_not_exist_or_are_listed_twice) {
  const auto make = [](const Extents<2>& dims, std::vector<int> dimensions) {
    fft::Transform<double, 2>(world(), dims, {.dimensions = std::move(dimensions)});
  };
  EXPECT_EQ(message_of<UsageError>([&] {
              make({4, 5}, {0, 2});
            }),
            "fft::Transform: there is no dimension 2; arrays of extents 4 x 5 have dimensions 0 to 1");
  EXPECT_EQ(message_of<UsageError>([&] {
              make({4, 5}, {-1});
            }),
            "fft::Transform: there is no dimension -1; arrays of extents 4 x 5 have dimensions 0 to 1");
  EXPECT_EQ(message_of<UsageError>([&] {
              make({4, 5}, {1, 0, 1});
            }),
            "fft::Transform: dimension 1 is listed twice in 1, 0, 1");
  EXPECT_EQ(message_of<UsageError>([&] {
              make({4, -5}, {});
            }),
            "fft::Transform: the extents 4 x -5 are negative along dimension 1");
}

TEST(FftUse, reports_extents_that_are_not_those_of_the_plan) {
  fft::Transform<double, 2> plan(world(), {4, 6});
  Array<double, 2> space(world(), {4, 6}, {.name = "space"}), other(world(), {6, 4}, {.name = "other"});
  Array<C, 2> spectrum(world(), {4, 4}, {.name = "spectrum"}), full(world(), {4, 6}, {.name = "full"});
  EXPECT_EQ(message_of<UsageError>([&] { plan.forward(other, spectrum); }),
            "fft forward: array \"other\" has extents 6 x 4; the plan's array in space has 4 x 6");
  EXPECT_EQ(message_of<UsageError>([&] { plan.forward(space, full); }),
            "fft forward: array \"full\" has extents 4 x 6; the plan's spectrum has 4 x 4");
  EXPECT_EQ(message_of<UsageError>([&] { plan.backward(full, space); }),
            "fft backward: array \"full\" has extents 4 x 6; the plan's spectrum has 4 x 4");
  EXPECT_THROW(plan.tune(other, spectrum), UsageError);
  plan.forward(space, spectrum);  // the plan can still be used
}

TEST(FftUse, reports_other_groups_and_arrays_that_are_closed) {
  const Group same = world().split(0);  // the same processes, but another group
  fft::Transform<C, 1> plan(world(), {12});
  Array<C, 1> a(world(), {12}, {.name = "a"}), closed(world(), {12}, {.name = "closed"}),
      other(same, {12}, {.name = "other"});
  closed.close();
  EXPECT_THROW(plan.forward(a, closed), UsageError);
  EXPECT_THROW(plan.forward(closed, a), UsageError);
  EXPECT_EQ(message_of<UsageError>([&] { plan.forward(other, other); }),
            "fft forward: array \"other\" is of another group than the plan");
  EXPECT_THROW(plan.forward(a, other), UsageError);
}

TEST(FftUse, reports_plans_that_were_moved_away) {
  fft::Transform<C, 1> plan(world(), {12});
  const fft::Transform<C, 1> moved = std::move(plan);
  Array<C, 1> a(world(), {12});
  // NOLINTNEXTLINE(bugprone-use-after-move)
  EXPECT_EQ(message_of<UsageError>([&] { plan.forward(a); }),
            "fft::Transform: the plan was moved away; make another one");
  EXPECT_EQ(moved.dims(), Extents<1>{12});
}

TEST(FftUse, reports_operands_that_overlap_at_other_positions) {
  fft::Transform<C, 2> plan(world(), {6, 6});
  Array<C, 2> a(world(), {8, 8}, {.name = "a"});
  fill(a, C(1));
  const auto first = a.slice(Patch<2>::at({0, 0}, {6, 6})), second = a.slice(Patch<2>::at({1, 2}, {6, 6}));
  EXPECT_THROW(plan.forward(first, second), UsageError);
  plan.forward(first, first);
  EXPECT_EQ(a.load({0, 0}), C(36));
  EXPECT_EQ(a.load({6, 6}), C(1));
  world().sync();
}

TEST(FftUse, works_on_groups_that_are_not_the_world) {
  const Group half = world().split(world().rank() % 2);
  fft::Transform<C, 2> plan(half, {8, 6}, {.effort = fft::Effort::measure});
  Array<C, 2> a(half, {8, 6});
  fill(a, C(0, 2));
  plan.forward(a);
  EXPECT_EQ(a.load({0, 0}), C(0, 96));
  EXPECT_NEAR(norm2(a), 96, 1e-12);
  plan.backward(a);
  add_constant(a, C(0, -2));
  EXPECT_LE(norm_inf(a), 1e-14);
}

TEST(FftUse, works_when_the_layout_has_fewer_ranks_than_the_group) {
  fft::Transform<C, 2> plan(world(), {9, 8});
  Array<C, 2> a(world(), Layout<2>::blocked({9, 8}, 1));
  const auto x = random_elements<C>(72, 5);
  Operands<C, 2> out({9, 8}, 0, 0);
  for_each_local(a, [&](const Index<2>& k, C& value) { value = x[at(8 * k[0] + k[1])]; });
  plan.forward(a, out.slice());
  EXPECT_TRUE(is_near(sums<2>(precise(x), {9, 8}, {0, 1}, -1), out.get()));
}

TEST(FftNumbers, nan_stays_in_its_line) {
  const Extents<2> dims{6, 10};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool both : {false, true}) {
    fft::Transform<C, 2> plan(world(), dims, {.dimensions = both ? std::vector{0, 1} : std::vector{0}});
    Array<C, 2> a(world(), dims);
    fill(a, C(1, 1));
    if (world().rank() == 0) a.store({3, 7}, C(nan, 0));
    a.sync();
    plan.forward(a);
    Comparison compared;
    for_each_local(a, [&](const Index<2>& k, const C& value) {
      const bool is_nan = std::isnan(value.real()) || std::isnan(value.imag());
      compared.check(is_nan == (both || k[1] == 7), k.values(), both || k[1] == 7, value);
    });
    EXPECT_TRUE(compared.equal());
  }
}

TEST(FftNumbers, of_extreme_size_keep_their_precision) {
  const Extents<3> dims{4, 5, 6};
  for (const double scale : {1e-290, 1e-300, 1e300}) {
    fft::Transform<C, 3> plan(world(), dims);
    Operands<C, 3> a(dims, 0, 0);
    std::vector<C> x = random_elements<C>(dims.size(), 3);
    for (C& value : x) value *= scale;
    a.set(x);
    plan.forward(a.slice());
    EXPECT_TRUE(is_near(sums(precise(x), dims, {0, 1, 2}, -1), a.get()));
    plan.backward(a.slice());
    EXPECT_TRUE(is_near(precise(x), a.get()));
  }
}

TEST(FftNumbers, that_overflow_become_infinite) {
  fft::Transform<double, 1> plan(world(), {16});
  Array<double, 1> a(world(), {16});
  Array<C, 1> spectrum(world(), {9});
  fill(a, 1e308);
  plan.forward(a, spectrum);
  EXPECT_EQ(spectrum.load({0}).real(), std::numeric_limits<double>::infinity());
  world().sync();
}

}  // namespace
}  // namespace tessera
