// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <gtest/gtest.h>

#include "euler/flux.hpp"
#include "euler/gas.hpp"
#include "euler/riemann.hpp"
#include "message_of.hpp"
#include "mpi_test.hpp"
#include "run/run.hpp"

namespace {

using namespace euler;
using tessera::test::message_of;
using tessera::test::world;

// Toro 2009, tables 4.1 and 4.2.
TEST(Riemann, MiddleOfToro) {
  struct Problem {
    Primitive left, right;
    double pressure, speed;
  };
  for (const auto& [left, right, pressure, speed] :
       {Problem{{1, 0, 0, 1}, {0.125, 0, 0, 0.1}, 0.30313, 0.92745},
        Problem{{1, -2, 0, 0.4}, {1, 2, 0, 0.4}, 0.00189, 0},
        Problem{{1, 0, 0, 1000}, {1, 0, 0, 0.01}, 460.894, 19.5975},
        Problem{{1, 0, 0, 0.01}, {1, 0, 0, 100}, 46.0950, -6.19633},
        Problem{{5.99924, 19.5975, 0, 460.894}, {5.99242, -6.19633, 0, 46.0950}, 1691.64, 8.68975}}) {
    const RiemannProblem problem(left, right);
    EXPECT_NEAR(problem.middle_pressure(), pressure, 6e-6 * std::max(1.0, pressure));
    EXPECT_NEAR(problem.middle_speed(), speed, 6e-6 * std::max(1.0, std::abs(speed)));
  }
}

// Mass, momentum and energy that the exact solution has in an interval change only by what enters it.
TEST(Riemann, Conserves) {
  const Primitive left{1, 0.3, 2, 1}, right{0.125, 0.1, -1, 0.1};
  const RiemannProblem problem(left, right);
  constexpr int points = 200000;
  State sum{};
  for (int k = 0; k < points; ++k) sum = sum + conserved_of(problem.at(-3 + 6 * (k + 0.5) / points));
  const auto flux = [](const Primitive& w) {
    const State s = conserved_of(w);
    return State{s.momentum_x, s.momentum_x * w.u + w.pressure, s.momentum_y * w.u,
                 (s.energy + w.pressure) * w.u};
  };
  const State found = (6.0 / points) * sum;
  const State expected = 3.0 * (conserved_of(left) + conserved_of(right)) + flux(left) - flux(right);
  for (const Member& member : members)
    EXPECT_NEAR(found.*member.which, expected.*member.which, 1e-4) << member.name;
}

TEST(Hllc, ResolvesContactsExactly) {
  const Primitive left{1, 0.7, 0.2, 1.3}, right{3, 0.7, -0.4, 1.3};
  const State found = hllc(left, right), upwind = hllc(left, left);
  EXPECT_NEAR(upwind.density, 0.7, 1e-15);
  EXPECT_NEAR(upwind.momentum_x, 0.49 + 1.3, 1e-15);
  for (const Member& member : members)
    EXPECT_NEAR(found.*member.which, upwind.*member.which, 1e-14) << member.name;
}

// x and y are alike, bit for bit.
TEST(Gas, IsTransposed) {
  const auto along = [](bool is_transposed) {
    Case which = blast();
    which.solution = [is_transposed](double x, double y, double) -> Primitive {
      if (is_transposed) std::swap(x, y);
      const Primitive w{1 + 0.3 * x, 0.5 - y, x * y, x < 0.3 && y < 0.6 ? 10.0 : 0.1};
      return is_transposed ? turned(w) : w;
    };
    Gas gas(world(), which, 24);
    for (index_t step = 0; step < 20; ++step) gas.step(std::min(5e-3, gas.time_step(0.4, step)));
    gas.states().sync();
    return gas.states().slice().get();
  };
  const auto straight = along(false), transposed = along(true);
  index_t different = 0;
  for (index_t j = 0; j < 24; ++j) {
    for (index_t i = 0; i < 24; ++i) {
      const State a = straight(j, i), b = turned(transposed(i, j));
      for (const Member& member : members) different += a.*member.which != b.*member.which ? 1 : 0;
    }
  }
  EXPECT_EQ(different, 0);
}

// Toro's second test leaves hardly any gas in the middle.
TEST(Gas, StaysPositive) {
  Case which = sod();
  which.solution = [](double x, double, double) { return Primitive{1, x < 0.5 ? -2.0 : 2.0, 0, 0.4}; };
  Gas gas(world(), which, 100);
  double time = 0;
  for (index_t step = 0; time < 0.15; ++step) {
    const double dt = gas.time_step(Gas::greatest_courant, step);
    gas.step(dt);
    time += dt;
  }
  EXPECT_NO_THROW(gas.time_step(0.4, 0));
}

TEST(Gas, NamesStatesThatCannotBe) {
  const auto message = [](double State::*which, double value) {
    Gas gas(world(), vortex(), 16);
    if (gas.states().local_patch().contains({3, 5})) {
      const auto access = gas.states().local();
      access.global()(3, 5).*which = value;
    }
    return message_of<solvers::SolverError>([&] { gas.time_step(0.4, 17); });
  };
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message(&State::density, -1).find("density is -1 in row 3, column 5 after step 17"),
            std::string::npos);
  EXPECT_NE(message(&State::density, nan).find("density is nan in row 3, column 5"), std::string::npos);
  EXPECT_NE(message(&State::energy, -2).find("pressure is -"), std::string::npos);
  EXPECT_NE(message(&State::momentum_x, nan).find("pressure is nan in row 3, column 5"), std::string::npos);
}

}  // namespace
