// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>
#include <functional>

#include <tessera/halo.hpp>

#include "onesided_model.hpp"

// Boundary conditions, checked against one serial array with its border.
namespace {

using namespace tessera;
using namespace tessera::test;

using Condition =
    std::function<double(index_t k, const std::function<double(index_t)>& inside, const Index<2>& cell)>;

// A condition, and the same as a formula: inside(i) is the i-th element from the end.
struct Pair {
  Boundary<double, 2> ours;
  Condition model;
};

Pair random_condition(Random& random) {
  const auto number = static_cast<double>(pick(random, -9, 9));
  switch (pick(random, 0, 6)) {
    case 0:
      return {Boundary<double, 2>::value(number), [=](index_t, const auto&, const auto&) { return number; }};
    case 1:
      return {Boundary<double, 2>::gradient(number), [=](index_t k, const auto& inside, const auto&) {
                return inside(0) + static_cast<double>(k) * number;
              }};
    case 2:
      return {Boundary<double, 2>::even(),
              [](index_t k, const auto& inside, const auto&) { return inside(k - 1); }};
    case 3:
      return {Boundary<double, 2>::even(Mirror::at_element),
              [](index_t k, const auto& inside, const auto&) { return inside(k); }};
    case 4:
      return {Boundary<double, 2>::odd(Mirror::at_face, number),
              [=](index_t k, const auto& inside, const auto&) { return 2 * number - inside(k - 1); }};
    case 5:
      return {Boundary<double, 2>::odd(Mirror::at_element),
              [](index_t k, const auto& inside, const auto&) { return -inside(k); }};
    default:
      return {
          Boundary<double, 2>::function(
              [](const Index<2>& at) { return static_cast<double>(1000 * at[0] + at[1]); }),
          [](index_t, const auto&, const Index<2>& at) { return static_cast<double>(1000 * at[0] + at[1]); }};
  }
}

// The whole array with its border.
struct Serial {
  Extents<2> dims, widths;
  LocalArray<double, 2> cells;

  Serial(const Extents<2>& extents, const Extents<2>& border)
      : dims(extents), widths(border), cells({extents[0] + 2 * border[0], extents[1] + 2 * border[1]}) {}
  double& operator[](const Index<2>& at) { return cells(at[0] + widths[0], at[1] + widths[1]); }
  // A function gets positions inside along a periodic dimension.
  void fill(std::size_t d, bool high, const std::array<bool, 2>& periodic, const Condition& condition) {
    const std::size_t other = 1 - d;
    const index_t more = other < d ? widths[other] : 0;  // borders of the dimension before are filled
    for (index_t k = 1; k <= widths[d]; ++k) {
      for (index_t i = -more; i < dims[other] + more; ++i) {
        Index<2> cell;
        cell[other] = i;
        cell[d] = high ? dims[d] - 1 + k : -k;
        const auto inside = [&](index_t from_end) {
          Index<2> at = cell;
          at[d] = high ? dims[d] - 1 - from_end : from_end;
          return (*this)[at];
        };
        Index<2> position = cell;
        if (periodic[other]) position[other] = (cell[other] + dims[other]) % dims[other];
        const double value = condition(k, inside, periodic[d] ? cell : position);
        (*this)[cell] = value;
      }
    }
  }
};

// Blocks in one dimension, of which some may be thinner than borders.
Layout<2> thin_blocks(Random& random, Extents<2>& dims) {
  const std::size_t cut = pick(random, 0, 1) == 0 ? 0 : 1;
  std::array<std::vector<index_t>, 2> starts{{{0}, {0}}};
  dims[cut] = pick(random, 1, 3);
  for (int part = 1; part < world().size(); ++part) {
    starts[cut].push_back(dims[cut]);
    dims[cut] += pick(random, 1, 3);
  }
  return Layout<2>::irregular(dims, starts, world().size());
}

void check_against_serial_borders(bool is_thin) {
  Random random(1);
  for (int round = 0; round < (is_thin ? 40 : 60); ++round) {
    SCOPED_TRACE(round);
    const int ranks = world().size();
    Extents<2> dims, widths;
    std::array<bool, 2> periodic{};
    for (std::size_t d = 0; d < 2; ++d) {
      widths[d] = pick(random, 0, 3);
      dims[d] = pick(random, 4, 6) * ranks;
      periodic[d] = !is_thin && pick(random, 0, 3) == 0;
    }
    if (widths == Extents<2>{}) widths[0] = 1;
    const auto layout = is_thin ? thin_blocks(random, dims) : Layout<2>::blocked(dims, ranks);
    Array<double, 2> a(world(), layout,
                       {.name = "a", .ghosts = PerDimension<index_t, 2>(widths), .periodic = periodic});
    Serial serial(dims, widths);
    Boundaries<double, 2> boundaries;
    {
      const auto access = a.local();
      const auto own = access.global();
      for_each_index(Patch<2>::whole(dims), [&](const Index<2>& at) {
        serial[at] = static_cast<double>(pick(random, -50, 50));
        if (own.patch().contains(at)) own[at] = serial[at];
      });
    }
    for (std::size_t d = 0; d < 2; ++d) {
      for (const bool high : {false, true}) {
        Pair condition = random_condition(random);
        while (is_thin && condition.ours.depth(3) > 1) condition = random_condition(random);
        boundaries.set(static_cast<int>(d), high ? Side::high : Side::low, condition.ours);
        if (periodic[d]) {
          serial.fill(d, high, periodic, [&](index_t k, const auto&, const Index<2>& cell) {
            Index<2> at = cell;
            at[d] = high ? k - 1 : dims[d] - k;
            return serial[at];
          });
        } else {
          serial.fill(d, high, periodic, condition.model);
        }
      }
    }
    if (pick(random, 0, 1) == 0) {
      a.update_ghosts();
      boundaries.apply(a);
    } else {
      Halo halo({halo_of(a, boundaries)});
      if (pick(random, 0, 1) == 0) {
        halo.update();
      } else {
        halo.update_async().wait();
      }
    }
    Comparison compared;
    const auto access = std::as_const(a).local_with_ghosts();
    const auto all = access.global();
    // A periodic dimension behind one with conditions: its border copies cells of that one, which its owner
    // fills.
    for_each_point(all.patch(), [&](index_t i, index_t j) {
      compared(std::pair(i, j), serial[{i, j}], all(i, j));
    });
    EXPECT_TRUE(compared.equal()) << "round " << round;
    a.sync();
  }
}

TEST(Boundaries, give_every_cell_beyond_the_ends_what_a_serial_border_has) {
  check_against_serial_borders(false);
}
// The cells of a rank may then be beyond an end that its block does not touch.
TEST(Boundaries, reach_cells_behind_thin_blocks) { check_against_serial_borders(true); }

TEST(Boundaries, of_components_and_members_leave_the_others_alone) {
  struct State {
    double u, v;
  };
  const int ranks = world().size();
  Array<State, 1> states(world(), Layout<1>::blocked({3 * ranks}, ranks), {.name = "states", .ghosts = 2});
  {
    const auto access = states.local_with_ghosts();
    for (index_t i = 0; i < access.extent(0); ++i) access(i) = {static_cast<double>(i), -5};
  }
  Boundaries<double, 1> odd, even;
  odd.set(Boundary<double, 1>::odd());
  even.set(Boundary<double, 1>::even());
  odd.apply(states.slice().member(&State::u));
  {
    const auto access = states.local_with_ghosts();
    if (world().rank() == 0) {
      EXPECT_EQ(access(1).u, -2);
      EXPECT_EQ(access(0).u, -3);
      EXPECT_EQ(access(1).v, -5);
    }
  }
  even.apply(states.slice().member(&State::v));

  Array<double, 2> components(world(),
                              Layout<2>::blocked({2, 3 * ranks}, ranks, {.grid = Extents<2>{1, ranks}}),
                              {.name = "components", .ghosts = {0, 1}});
  {
    const auto access = components.local_with_ghosts();
    const auto all = access.global();
    for_each_point(all.patch(), [&](index_t c, index_t i) { all(c, i) = static_cast<double>(10 * c + i + 1); });
  }
  Boundaries<double, 2> wall;
  wall.set(1, Side::both, Boundary<double, 2>::odd());
  wall.apply(components.slice({{1, 0}, {2, 3 * ranks}}));
  {
    const auto access = components.local_with_ghosts();
    const auto all = access.global();
    if (world().rank() == 0) {
      EXPECT_EQ(all(0, -1), 0) << "the other component";
      EXPECT_EQ(all(1, -1), -11);
    }
  }
  components.sync();
}

TEST(Boundaries, may_be_functions_and_values_of_any_type) {
  struct Two {
    int a, b;
  };
  const int ranks = world().size();
  Array<Two, 1> pairs(world(), Layout<1>::blocked({2 * ranks}, ranks), {.name = "pairs", .ghosts = 1});
  Boundaries<Two, 1> boundaries;
  boundaries.set(0, Side::low, Boundary<Two, 1>::function([](const Index<1>& at) {
                   return Two{static_cast<int>(at[0]), 7};
                 }));
  boundaries.set(0, Side::high, Boundary<Two, 1>::value({1, 2}));
  boundaries.apply(pairs);
  const auto access = std::as_const(pairs).local_with_ghosts();
  if (world().rank() == 0) {
    EXPECT_EQ(access(0).a, -1);
    EXPECT_EQ(access(0).b, 7);
  }
  if (world().rank() == ranks - 1) {
    EXPECT_EQ(access(3).b, 2);
  }
}

TEST(Boundaries, wrong_uses_are_told) {
  const int ranks = world().size();
  Boundaries<double, 1> boundaries;
  EXPECT_THROW(boundaries.set(1, Side::low, Boundary<double, 1>::even()), UsageError);
  boundaries.set(Boundary<double, 1>::even(Mirror::at_element));
  Array<double, 1> thin(world(), Layout<1>::blocked({ranks}, ranks), {.name = "thin", .ghosts = 1});
  const bool at_end = thin.layout().is_at_end(world().rank(), 0, Side::low) ||
                      thin.layout().is_at_end(world().rank(), 0, Side::high);
  if (at_end) {
    EXPECT_THROW(boundaries.apply(thin), UsageError) << "one element, and the mirror needs the second";
  }
  // A halo has the conditions of all ranks, so all are told.
  EXPECT_THROW(Halo{std::vector{halo_of(thin, boundaries)}}, UsageError);
  Array<double, 2> plane(world(), Layout<2>::blocked({4, 4}, ranks), {.name = "plane", .ghosts = 1});
  Boundaries<double, 2> two;
  EXPECT_THROW(two.apply(plane.slice().transposed()), UsageError);
  EXPECT_THROW(two.apply(plane.slice({{0, 0}, {2, 4}})), UsageError);
  plane.sync();
}

}  // namespace
