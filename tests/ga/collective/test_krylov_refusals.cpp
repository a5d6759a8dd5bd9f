// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <limits>

#include <tessera/krylov.hpp>
#include <tessera/tessera.hpp>

#include "mpi_test.hpp"

// What solvers refuse, and why they stop in cases of their own.
namespace tessera::test {
namespace {

TEST(KrylovRefusals, operands_that_do_not_fit_are_refused_whatever_is_in_them) {
  const auto identity = [](const Array<double, 1>& from, Array<double, 1>& to) { copy(from, to); };
  Array<double, 1> b(world(), {10}, {.name = "b"}), longer(world(), {20}, {.name = "x"});
  fill(longer, 1.0);
  for (const double value : {0.0, 1.0, std::numeric_limits<double>::infinity()}) {
    fill(b, value);
    EXPECT_THROW(cg(identity, b, longer), UsageError);
    EXPECT_THROW(bicgstab(identity, b, longer), UsageError);
    EXPECT_THROW(gmres(3, identity, b, longer), UsageError);
  }
  EXPECT_EQ(longer.load({19}), 1.0);
  world().sync();
}

// The residual of a rotation stays as it is until the last step, which may not be allowed.
TEST(KrylovRefusals, too_few_iterations_are_no_stagnation) {
  const auto rotation = [](const Array<double, 1>& from, Array<double, 1>& to) {
    const double x = from.load({0}), y = from.load({1});
    for_each_local(to, [&](const Index<1>& at, double& value) { value = at[0] == 0 ? y : -x; });
    to.sync();
  };
  Array<double, 1> b(world(), {2}, {.name = "b"}), x(world(), {2}, {.name = "x"});
  fill(b, 0.0), fill(x, 0.0);
  if (world().rank() == 0) b.store({0}, 1.0);
  b.sync();
  EXPECT_EQ(gmres(10, rotation, b, x, {.max_iterations = 1}).stop, Stop::iterations);
  fill(x, 0.0);
  EXPECT_EQ(gmres(10, rotation, b, x, {.max_iterations = 2}).stop, Stop::converged);
  EXPECT_NEAR(x.load({1}), 1, 1e-14);
  world().sync();
}

}  // namespace
}  // namespace tessera::test
