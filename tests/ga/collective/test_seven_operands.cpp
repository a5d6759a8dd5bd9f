// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <limits>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Functions of seven operands of several types and layouts, against a serial model.
TEST(SevenOperands, are_combined_as_a_serial_model_does) {
  Random random(77);
  for (int round = 0; round < 12; ++round) {
    const Extents<2> dims{pick(random, 1, 9), pick(random, 1, 9)};
    const auto layout = [&] { return any_layout(random, dims); };
    Array<double, 2> a(world(), layout(), {.name = "a"}), b(world(), layout(), {.name = "b"}),
        c(world(), layout(), {.name = "c"}), sum(world(), layout(), {.name = "sum"});
    Array<std::int32_t, 2> k(world(), layout(), {.name = "k"});
    Array<float, 2> x(world(), layout(), {.name = "x"}), y(world(), layout(), {.name = "y"}),
        z(world(), layout(), {.name = "z"});
    const auto value = [&](const Index<2>& at, int which) {
      return (at[0] * 31 + at[1] * 7 + which * 5) % 23 - 11;
    };
    const auto set = [&](auto& array, int which) {
      using T = typename std::remove_reference_t<decltype(array)>::value_type;
      for_each_local(array,
                     [&](const Index<2>& at, T& element) { element = static_cast<T>(value(at, which)); });
      array.sync();
    };
    set(a, 0), set(b, 1), set(c, 2), set(k, 3), set(x, 4), set(y, 5), set(z, 6);
    const auto f = [](double u, double v, double w, std::int32_t n, float p, float q, float r) {
      return u - 2 * v + 3 * w - 4 * n + 5 * static_cast<double>(p) - 6 * static_cast<double>(q * r);
    };
    double total = 0, greatest = -std::numeric_limits<double>::infinity();
    LocalArray<double, 2> model(dims);
    for_each_index(Patch<2>::whole(dims), [&](const Index<2>& at) {
      const auto v = [&](int which) { return static_cast<double>(value(at, which)); };
      model[at] = v(0) - 2 * v(1) + 3 * v(2) - 4 * v(3) + 5 * v(4) - 6 * v(5) * v(6);
      total += model[at];
      greatest = std::max(greatest, model[at]);
    });
    tessera::transform(a, b, c, k, x, y, z, sum, f);
    for_each_local(sum, [&](const Index<2>& at, double& element) { EXPECT_EQ(element, model[at]); });
    EXPECT_EQ(tessera::transform_reduce(a, b, c, k, x, y, z, 0.0, std::plus<>(), f), total);
    EXPECT_EQ(tessera::transform_reduce(a, b, c, k, x, y, z, Reduce::sum, f), total);
    EXPECT_EQ(tessera::transform_reduce(a, b, c, k, x, y, z, Reduce::max, f), greatest);
    EXPECT_EQ(tessera::transform_reduce(k, Reduce::min, [](std::int32_t n) { return n; }),
              reduce(k, Reduce::min));
    EXPECT_EQ(tessera::transform_reduce(k, Reduce::bit_or, [](std::int32_t n) { return n; }),
              reduce(k, Reduce::bit_or));
  }
  // As with reduce: NaN wins, nothing gives the neutral value, and operations must fit the type.
  Array<double, 1> one(world(), {5}, {.name = "one"}), none(world(), {0}, {.name = "none"});
  fill(one, 1.0);
  if (world().rank() == 0) one.store({3}, std::numeric_limits<double>::quiet_NaN());
  one.sync();
  const auto same = [](double v) { return v; };
  EXPECT_TRUE(std::isnan(tessera::transform_reduce(one, Reduce::max, same)));
  EXPECT_EQ(tessera::transform_reduce(none, Reduce::max, same), -std::numeric_limits<double>::infinity());
  EXPECT_THROW(static_cast<void>(tessera::transform_reduce(none, Reduce::bit_or, same)), UsageError);
}

}  // namespace
