// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <thread>

#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>
#include <tessera/runtime/scalars.hpp>

#include "onesided_model.hpp"

// Ghost cells, checked against the value that follows from each cell's position alone.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr double untouched = -1;

template <std::size_t N>
struct Setting {
  Extents<N> dims, widths;
  std::array<bool, N> periodic{};
};

template <std::size_t N>
Setting<N> random_setting(Random& random) {
  Setting<N> s;
  for (std::size_t d = 0; d < N; ++d) {
    s.dims[d] = pick(random, N > 2 ? 2 : 1, N > 3 ? 4 : N > 2 ? 6 : 10);
    // Often wider than a block, sometimes wider than the array.
    s.widths[d] = pick(random, 0, N > 2 ? 2 : 4);
    s.periodic[d] = pick(random, 0, 1) == 1;
  }
  if (s.widths == Extents<N>{}) s.widths[0] = 1;
  return s;
}

template <std::size_t N>
Layout<N> random_layout(Random& random, const Extents<N>& dims) {
  const int ranks = world().size();
  const auto blocked = Layout<N>::blocked(dims, ranks);
  switch (pick(random, 0, 3)) {
    case 0:
      return blocked.with_storage(StorageOrder::column_major);
    case 1: {
      std::array<std::vector<index_t>, N> starts;
      index_t left = ranks;
      for (std::size_t d = 0; d < N; ++d) {
        starts[d] = random_starts(random, dims[d], left);
        left /= static_cast<index_t>(starts[d].size());
      }
      return Layout<N>::irregular(dims, starts, ranks);
    }
    case 2: {
      const int some = static_cast<int>(pick(random, 1, ranks));
      return Layout<N>::blocked(dims, some).on_ranks(random_members(random, some, ranks), ranks);
    }
    default:
      return blocked;
  }
}

// An array and its step. The position of an element and the step determine its value.
template <std::size_t N>
class Field {
 public:
  Field(const Setting<N>& setting, const Layout<N>& layout)
      : setting_(setting),
        array_(world(), layout,
               {.name = "field", .ghosts = setting.widths.values(), .periodic = setting.periodic}) {}

  Array<double, N>& array() { return array_; }
  // Sets the own elements to those of the next step, and marks all ghost cells.
  void next_step() {
    ++step_;
    const auto all = array_.local_with_ghosts();
    for_each_index(Patch<N>::whole(all.extents()),
                   [&](const Index<N>& at) { all[at] = is_own(at) ? value(here(at)) : mark(); });
  }
  // Compares all cells. filled(offsets) says whether a cell should have been filled. The offset of a cell is -1
  // below the block, 0 in it and 1 above, in each dimension.
  template <class F>
  void compare(Comparison& compared, F&& filled) const {
    const auto all = array_.local_with_ghosts();
    for_each_index(Patch<N>::whole(all.extents()), [&](const Index<N>& at) {
      double expected = mark();
      if (is_own(at)) {
        expected = value(here(at));
      } else if (filled(sides(at)) && exists(here(at))) {
        expected = value(wrapped(here(at)));
      }
      compared(here(at), expected, all[at]);
    });
  }

 private:
  // The mark differs by rank, so that a mark from another rank would show.
  static double mark() { return untouched - world().rank(); }
  Patch<N> block() const { return array_.layout().block(world().rank()); }
  Index<N> here(Index<N> at) const {
    for (std::size_t d = 0; d < N; ++d) at[d] += block().lo[d] - setting_.widths[d];
    return at;
  }
  std::array<int, N> sides(const Index<N>& at) const {
    std::array<int, N> sides{};
    const Index<N> where = here(at);
    for (std::size_t d = 0; d < N; ++d)
      sides[d] = where[d] < block().lo[d] ? -1 : where[d] >= block().hi[d] ? 1 : 0;
    return sides;
  }
  bool is_own(const Index<N>& at) const { return block().contains(here(at)); }
  bool exists(const Index<N>& where) const {
    for (std::size_t d = 0; d < N; ++d) {
      if (!setting_.periodic[d] && (where[d] < 0 || where[d] >= setting_.dims[d])) return false;
    }
    return true;
  }
  Index<N> wrapped(Index<N> where) const {
    for (std::size_t d = 0; d < N; ++d)
      where[d] = ((where[d] % setting_.dims[d]) + setting_.dims[d]) % setting_.dims[d];
    return where;
  }
  double value(const Index<N>& where) const {
    return static_cast<double>(number_of(where, setting_.dims) * 1000 + step_);
  }

  Setting<N> setting_;
  Array<double, N> array_;
  index_t step_ = 0;
};

template <std::size_t N>
bool is_corner(const std::array<int, N>& sides) {
  return std::count(sides.begin(), sides.end(), 0) < static_cast<std::ptrdiff_t>(N) - 1;
}

// Each rank takes a different time between updates. A rank that owns nothing takes part as well.
template <std::size_t N>
void check_updates(int rounds) {
  Random random(700 + N), own(70 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < rounds; ++round) {
    const auto setting = random_setting<N>(random);
    const auto layout = random_layout<N>(random, setting.dims);
    SCOPED_TRACE(layout.with_ghosts(setting.widths).description());
    Field<N> field(setting, layout);
    const bool owns = layout.block_count(world().rank()) > 0;
    Comparison compared;
    auto expect_filled = [&](auto&& filled) {
      if (owns) field.compare(compared, filled);
    };
    const auto all_cells = [](const auto&) { return true; };
    const auto no_corners = [](const auto& sides) { return !is_corner<N>(sides); };
    for (int step = 0; step < 14; ++step) {
      if (owns) field.next_step();
      if (pick(own, 0, 3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      const auto dimension = static_cast<int>(pick(random, 0, N - 1));
      const auto d = static_cast<std::size_t>(dimension);
      constexpr std::array all_sides{Side::low, Side::high, Side::both};
      const Side side = all_sides[at(pick(random, 0, 2))];
      auto is_side = [&](int at) { return at != 0 && (side == Side::both || (at < 0) == (side == Side::low)); };
      switch (pick(random, 0, 6)) {
        case 0:
          field.array().update_ghosts(Corners::with, GhostMethod::by_dimension);
          expect_filled(all_cells);
          break;
        case 1:
          field.array().update_ghosts(Corners::with, GhostMethod::all_at_once);
          expect_filled(all_cells);
          break;
        case 2:
          field.array().update_ghosts(Corners::without);
          expect_filled(no_corners);
          break;
        case 3:
          field.array().update_ghosts_along(dimension, side);
          expect_filled([&](const auto& sides) { return !is_corner<N>(sides) && is_side(sides[d]); });
          break;
        case 4:
          field.array().update_ghosts_along(dimension, side, Corners::with);
          expect_filled([&](const auto& sides) { return is_side(sides[d]); });
          break;
        case 5: {
          auto update = field.array().update_ghosts_async();
          while (pick(own, 0, 1) == 0 && !update.test()) std::this_thread::yield();
          update.wait();
          expect_filled(all_cells);
          break;
        }
        default:
          static_cast<void>(field.array().update_ghosts_async(Corners::without));  // waits
          expect_filled(no_corners);
      }
    }
    EXPECT_TRUE(compared.equal());
    world().sync();
  }
}

TEST(Ghosts, every_way_fills_the_cells_of_every_side_in_1d) { check_updates<1>(8); }
TEST(Ghosts, every_way_fills_the_cells_of_every_side_in_2d) { check_updates<2>(8); }
TEST(Ghosts, every_way_fills_the_cells_of_every_side_in_3d) { check_updates<3>(5); }
TEST(Ghosts, every_way_fills_the_cells_of_every_side_in_4d) { check_updates<4>(3); }

TEST(Ghosts, a_rank_waits_for_its_neighbours_only) {
  const Group& all = world();
  if (all.size() < 4) return;  // all are neighbours of all
  const index_t n = 3 * all.size();
  Array<double, 1> line(all, {n}, {.name = "line", .ghosts = {1}});
  fill(line, 1);
  const auto begin = std::chrono::steady_clock::now();
  constexpr auto late = std::chrono::milliseconds(500);
  if (all.rank() == 0) std::this_thread::sleep_for(late);
  line.update_ghosts();
  const auto took = std::chrono::steady_clock::now() - begin;
  // The ranks from 2 on are no neighbours of rank 0 and need not wait for it.
  if (all.rank() >= 2) {
    EXPECT_LT(took, late);
  }
  all.sync();
}

TEST(Ghosts, a_stencil_on_a_ring_gives_binomial_numbers) {
  // Each step, an element becomes the sum of its neighbours on a ring: binomial numbers.
  const Group& all = world();
  const index_t n = 4 * all.size() + 3;
  Array<std::int64_t, 1> ring(all, {n}, {.name = "ring", .ghosts = {1}, .periodic = {true}});
  fill(ring, 0);
  if (all.rank() == 0) ring.store({0}, 1);
  ring.sync();
  std::vector<std::int64_t> model(static_cast<std::size_t>(n), 0), next = model;
  model[0] = 1;
  for (int step = 0; step < 30; ++step) {
    ring.update_ghosts();
    const auto cells = ring.local_with_ghosts();
    std::vector<std::int64_t> old(cells.data(), cells.data() + cells.size());
    for (index_t i = 1; i + 1 < cells.extent(0); ++i)
      cells(i) = old[static_cast<std::size_t>(i - 1)] + old[static_cast<std::size_t>(i + 1)];
    for (index_t i = 0; i < n; ++i)
      next[static_cast<std::size_t>(i)] =
          model[static_cast<std::size_t>((i + n - 1) % n)] + model[static_cast<std::size_t>((i + 1) % n)];
    std::swap(model, next);
  }
  ring.sync();
  const auto result = ring.get(Patch<1>::whole({n}));
  Comparison compared;
  for (index_t i = 0; i < n; ++i) compared(i, model[static_cast<std::size_t>(i)], result(i));
  EXPECT_TRUE(compared.equal());
  ring.sync();
}

// Longer than what leaves a process at once. Each step has other values.
TEST(Ghosts, long_ones_arrive_behind_a_computation) {
  const Group& all = world();
  constexpr index_t columns = 40000, rows = 2;
  const auto layout = Layout<2>::blocked({rows * all.size(), columns}, all.size(),
                                         {.grid = {{all.size(), 1}}, .periodic = {true, false}});
  Array<double, 2> a(all, layout.with_ghosts({1, 0}), {.name = "long", .periodic = {true, false}});
  const auto value = [&](index_t row, index_t column, int step) {
    const index_t n = rows * all.size();
    return static_cast<double>(((row + n) % n) * 100 + column % 97 + 1000 * step);
  };
  const index_t first = rows * all.rank();
  const auto wrong_cells = [&](int step) {
    const auto local = a.local_with_ghosts();
    index_t wrong = 0;
    for (const index_t i : {index_t{-1}, rows}) {
      for (index_t j = 0; j < columns; ++j) wrong += local(i + 1, j) != value(first + i, j, step) ? 1 : 0;
    }
    return wrong;
  };
  const auto write = [&](int step) {
    const auto local = a.local();
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < columns; ++j) local(i, j) = value(first + i, j, step);
    }
  };
  for (int step = 0; step < 6; step += 2) {
    write(step);
    auto update = a.update_ghosts_async(Corners::without);
    if (step / 2 % 2 == all.rank() % 2) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    while (step == 4 && !update.test()) {
    }
    update.wait();
    EXPECT_EQ(wrong_cells(step), 0);
    write(step + 1);
    a.update_ghosts(Corners::without);  // is waited for at once: the same cells come in messages
    EXPECT_EQ(wrong_cells(step + 1), 0);
  }
}

// Rank 0 only gives. Without a limit, what it sends would fill the memory of a slower rank.
TEST(Ghosts, a_rank_that_only_gives_does_not_run_ahead) {
  const Group& all = world();
  if (all.size() == 1) return;
  Array<double, 1> a(all, {4 * all.size()}, {.name = "chain", .ghosts = 1});
  Scalars<std::int64_t> updates(all, 1);
  fill(a, 1);
  if (all.rank() == 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_LE(updates.load(0, 0), 2);
  }
  for (int i = 0; i < 10; ++i) {
    a.update_ghosts_along(0, Side::low);
    if (all.rank() == 0) updates.fetch_add(0, 0, 1);
  }
  a.sync();
}

TEST(Ghosts, of_other_nodes_are_counted_as_messages) {
  const Group& all = world();
  if (all.size() == 1) return;
  Array<double, 1> a(all, {4 * all.size()}, {.name = "ring", .ghosts = 1, .periodic = true});
  fill(a, 1);
  const Traffic before = runtime().statistics().of(Path::message, Operation::put);
  a.update_ghosts();
  const Traffic after = runtime().statistics().of(Path::message, Operation::put);
  const int low = (all.rank() + all.size() - 1) % all.size(), high = (all.rank() + 1) % all.size();
  const unsigned sides = (all.on_node(low) ? 0U : 1U) + (all.on_node(high) ? 0U : 1U);
  const unsigned neighbours = low == high ? sides / 2 : sides;
  EXPECT_EQ(after.operations - before.operations, neighbours);
  EXPECT_EQ(after.bytes - before.bytes, sides * sizeof(double));
}

TEST(Ghosts, arrays_with_ghost_cells_are_operands) {
  const Extents<2> dims{9, 8};
  Array<double, 2> a(world(), dims, {.name = "a", .ghosts = {2, 1}}), plain(world(), dims, {.name = "plain"});
  EXPECT_EQ(a.layout().ghosts(), (Extents<2>{2, 1}));
  for_each_local(a, [&](const Index<2>& at, double& x) { x = static_cast<double>(number_of(at, dims)); });
  copy(a, plain);
  axpby(2, a, 1, plain);
  a.sync();
  const auto values = plain.get(Patch<2>::whole(dims));
  Comparison compared;
  compare_patch(compared, Patch<2>::whole(dims), values.view(),
                [&](const Index<2>& at) { return 3 * static_cast<double>(number_of(at, dims)); });
  EXPECT_TRUE(compared.equal());
  const auto twin = a.duplicate("twin");
  EXPECT_EQ(twin.layout(), a.layout());
  plain.sync();
}

TEST(Ghosts, an_update_ends_the_epoch_and_brings_what_was_added_in_it) {
  const int ranks = world().size();
  const auto all = Patch<1>::whole({index_t{3} * ranks});
  Array<double, 1> a(world(), all.extents(), {.name = "a", .ghosts = {1}, .periodic = {true}});
  fill(a, 1);
  const std::vector<double> ones(static_cast<std::size_t>(all.size()), 1);
  for (int round = 1; round <= 2; ++round) {
    auto phase = accumulate_only(a);
    phase.acc(all, View<const double, 1>(ones.data(), all.extents()));
    if (round == 1)
      a.update_ghosts();
    else
      a.update_ghosts_async().wait();
    const auto cells = a.local_with_ghosts();
    for (index_t i = 0; i < cells.extent(0); ++i) EXPECT_EQ(cells(i), 1 + round * ranks) << i;
    a.sync();
  }
}

// Long rows of one direction are put, and the shorter message of the other direction tells that they were read.
TEST(Ghosts, of_neighbours_that_send_in_different_ways_are_filled_in_every_round) {
  const index_t rows = 2 * world().size() - 1, columns = 25600;
  Array<double, 2> a(world(), Layout<2>::blocked({rows, columns}, world().size(), {.grid = {{0, 1}}}),
                     {.name = "a", .ghosts = {2, 0}});
  for (int round = 1; round <= 4; ++round) {
    for_each_local(a, [&](const Index<2>& at, double& x) { x = static_cast<double>(round * (at[0] + 1)); });
    a.update_ghosts_async().wait();
    const auto cells = a.local_with_ghosts();
    const index_t first = a.local_patch().lo[0] - 2;
    for (index_t i = std::max<index_t>(0, -first); i < std::min(cells.extent(0), rows - first); ++i)
      EXPECT_EQ(cells(i, columns - 1), static_cast<double>(round * (first + i + 1))) << i;
    a.sync();
  }
}

TEST(Ghosts, wrong_uses_are_told) {
  Array<double, 2> a(world(), {8, 8}, {.name = "bare"}), b(world(), {8, 8}, {.name = "B", .ghosts = {1, 1}});
  fill(b, 1);
  EXPECT_NE(message_of<UsageError>([&] { a.update_ghosts(); }).find("\"bare\" has no ghost cells"),
            std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { b.update_ghosts_along(2); }).find("no dimension 2"),
            std::string::npos);
  {
    const auto update = b.update_ghosts_async();
    EXPECT_THROW(b.close(), UsageError);
    EXPECT_NE(message_of<UsageError>([&] { b.update_ghosts(); }).find("has not been waited for"),
              std::string::npos);
  }
  EXPECT_THROW((Array<double, 2>(world(), {8, 8}, {.name = "B", .ghosts = {1, -1}})), UsageError);
  EXPECT_THROW((Array<double, 2>(world(), Layout<2>::block_cyclic({8, 8}, {2, 2}, {.shape = {1, 1}}),
                                 {.ghosts = {1, 1}})),
               UsageError);
  b.close();
  EXPECT_THROW(b.update_ghosts(), UsageError);
}

}  // namespace
