// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <chrono>
#include <memory>
#include <thread>

#include <tessera/elementwise.hpp>
#include <tessera/halo.hpp>

#include "onesided_model.hpp"

// Halos of several arrays, checked against what follows from the position of each cell alone.
namespace {

using namespace tessera;
using namespace tessera::test;

struct State {
  std::int32_t id, unused;
  double mass;
};

// The layout of an array with ghost cells, and what a halo exchanges of it.
template <std::size_t N>
struct Shape {
  Layout<N> layout;
  std::array<bool, N> periodic;
  HaloOptions<N> options;

  Extents<N> dims() const { return layout.dims(); }
  Extents<N> ghosts() const { return layout.ghosts(); }
  index_t low(std::size_t d) const { return options.low ? (*options.low)[d] : ghosts()[d]; }
  index_t high(std::size_t d) const { return options.high ? (*options.high)[d] : ghosts()[d]; }
  // The block of a rank with all its ghost cells, in indices of the array.
  Patch<N> cells(int rank) const {
    Patch<N> all = layout.block(rank);
    for (std::size_t d = 0; d < N; ++d) all.lo[d] -= ghosts()[d], all.hi[d] += ghosts()[d];
    return all;
  }
  // The element that a ghost cell of a rank is a copy of, if the halo exchanges the cell.
  std::optional<Index<N>> element(int rank, const Index<N>& cell) const {
    const Patch<N> block = layout.block(rank);
    Index<N> where = cell;
    int sides = 0;
    for (std::size_t d = 0; d < N; ++d) {
      const index_t below = block.lo[d] - cell[d], above = cell[d] - block.hi[d] + 1;
      if (below > low(d) || above > high(d)) return {};
      sides += static_cast<int>(below > 0 || above > 0);
      if (periodic[d]) where[d] = ((cell[d] % dims()[d]) + dims()[d]) % dims()[d];
      if (where[d] < 0 || where[d] >= dims()[d]) return {};
    }
    if (sides == 0 || (sides > 1 && options.corners == Corners::without)) return {};
    return where;
  }
};

template <std::size_t N>
Shape<N> random_shape(Random& random) {
  Extents<N> dims, widths;
  std::array<bool, N> periodic{};
  for (std::size_t d = 0; d < N; ++d) {
    dims[d] = pick(random, 2, N > 2 ? 6 : 9);
    widths[d] = pick(random, 0, 2);
    periodic[d] = pick(random, 0, 1) == 1;
  }
  if (widths == Extents<N>{}) widths[0] = 1;
  auto layout = Layout<N>::blocked(dims, world().size());
  if (pick(random, 0, 2) == 0) layout = layout.with_storage(StorageOrder::column_major);
  if (pick(random, 0, 3) == 0) {
    const int some = static_cast<int>(pick(random, 1, world().size()));
    layout =
        Layout<N>::blocked(dims, some).on_ranks(random_members(random, some, world().size()), world().size());
  }
  HaloOptions<N> options;
  if (pick(random, 0, 1) == 1) options.corners = Corners::without;
  if (pick(random, 0, 2) == 0) {
    PerDimension<index_t, N> low, high;
    for (std::size_t d = 0; d < N; ++d)
      low[d] = pick(random, 0, widths[d]), high[d] = pick(random, 0, widths[d]);
    options.low = low, options.high = high;
  }
  return {layout.with_ghosts(PerDimension<index_t, N>(widths)), periodic, options};
}

// An array in a halo, whose cells are looked at as numbers.
class Member {
 public:
  virtual ~Member() = default;
  virtual HaloPart part() = 0;
  /// Elements of this step, and a mark in each ghost cell.
  virtual void begin(index_t step) = 0;
  virtual void compare(Comparison& compared, index_t step, bool filled) = 0;
  /// Numbers by rank in all cells.
  virtual void begin_sums() = 0;
  virtual void compare_sums(Comparison& compared) = 0;
};

double& number_in(double& element) { return element; }
double& number_in(State& element) { return element.mass; }

template <class T, std::size_t N>
class MemberOf final : public Member {
 public:
  MemberOf(int number, const Shape<N>& shape)
      : number_(number),
        shape_(shape),
        array_(world(), shape.layout, {.name = "member", .periodic = shape.periodic}),
        owns_(shape.layout.block_count(world().rank()) > 0) {}

  HaloPart part() override {
    if constexpr (std::is_same_v<T, State>)
      return halo_of(array_.slice().member(&State::mass), shape_.options);
    else
      return halo_of(array_, shape_.options);
  }
  void begin(index_t step) override {
    set([&](const Index<N>& cell) { return is_own(cell) ? value(cell, step) : mark; });
  }
  void compare(Comparison& compared, index_t step, bool filled) override {
    each([&](const Index<N>& cell, T& found) {
      double expected = is_own(cell) ? value(cell, step) : mark;
      if (const auto element = shape_.element(world().rank(), cell); element && filled)
        expected = value(*element, step);
      compared(cell, expected, number_in(found));
      check_rest(compared, cell, found);
    });
  }
  void begin_sums() override {
    set([&](const Index<N>& cell) { return of_rank(world().rank(), cell); });
  }
  void compare_sums(Comparison& compared) override {
    LocalArray<double, N> sums(shape_.dims());
    for (int rank = 0; rank < world().size(); ++rank) {
      if (shape_.layout.block_count(rank) == 0) continue;
      for_each_index(shape_.cells(rank), [&](const Index<N>& cell) {
        if (shape_.layout.block(rank).contains(cell)) sums[cell] += of_rank(rank, cell);
        if (const auto element = shape_.element(rank, cell)) sums[*element] += of_rank(rank, cell);
      });
    }
    each([&](const Index<N>& cell, T& found) {
      compared(cell, is_own(cell) ? sums[cell] : of_rank(world().rank(), cell), number_in(found));
      check_rest(compared, cell, found);
    });
  }

 private:
  static constexpr double mark = -1;
  double value(const Index<N>& at, index_t step) const {
    return static_cast<double>((number_of(at, shape_.dims()) * 100 + step) * 10 + number_);
  }
  double of_rank(int rank, const Index<N>& cell) const {
    double sum = rank * 1000 + number_;
    for (std::size_t d = 0; d < N; ++d) sum += static_cast<double>(cell[d] + 7) * (d == 0 ? 1 : 16);
    return sum;
  }
  bool is_own(const Index<N>& cell) const { return shape_.layout.block(world().rank()).contains(cell); }
  template <class F>
  void each(F&& f) {
    if (!owns_) return;
    const auto access = array_.local_with_ghosts();
    const Patch<N> cells = shape_.cells(world().rank());
    for_each_index(cells, [&](const Index<N>& cell) {
      Index<N> place;
      for (std::size_t d = 0; d < N; ++d) place[d] = cell[d] - cells.lo[d];
      f(cell, access[place]);
    });
  }
  template <class F>
  void set(F&& f) {
    each([&](const Index<N>& cell, T& element) {
      if constexpr (std::is_same_v<T, State>) element = {77 + world().rank(), 0, 0};
      number_in(element) = f(cell);
    });
  }
  // The other members of a structure stay.
  static void check_rest(Comparison& compared, const Index<N>& cell, const T& found) {
    if constexpr (std::is_same_v<T, State>) compared(cell, 77 + world().rank(), found.id);
  }

  int number_;
  Shape<N> shape_;
  Array<T, N> array_;
  bool owns_;
};

std::vector<std::unique_ptr<Member>> random_members_of_a_halo(Random& random) {
  std::vector<std::unique_ptr<Member>> all;
  const index_t count = pick(random, 1, 4);
  for (int i = 0; i < count; ++i) {
    switch (pick(random, 0, 3)) {
      case 0:
        all.push_back(std::make_unique<MemberOf<double, 1>>(i, random_shape<1>(random)));
        break;
      case 1:
        all.push_back(std::make_unique<MemberOf<State, 2>>(i, random_shape<2>(random)));
        break;
      case 2:
        all.push_back(std::make_unique<MemberOf<double, 3>>(i, random_shape<3>(random)));
        break;
      default:
        all.push_back(std::make_unique<MemberOf<double, 2>>(i, random_shape<2>(random)));
    }
  }
  return all;
}

std::vector<HaloPart> parts_of(const std::vector<std::unique_ptr<Member>>& members) {
  std::vector<HaloPart> parts;
  for (const auto& member : members) parts.push_back(member->part());
  return parts;
}

TEST(Halo, fills_the_cells_of_all_its_arrays_and_no_others) {
  Random random(1), own(10 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < 10; ++round) {
    const auto members = random_members_of_a_halo(random);
    Halo halo(parts_of(members), "several");
    Comparison compared;
    for (index_t step = 0; step < 6; ++step) {
      for (const auto& member : members) member->begin(step);
      if (pick(own, 0, 3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      switch (pick(random, 0, 3)) {
        case 0:
          halo.update(GhostMethod::by_dimension);
          break;
        case 1:
          halo.update(GhostMethod::all_at_once);
          break;
        case 2: {
          auto update = halo.update_async();
          while (pick(own, 0, 1) == 0 && !update.test()) std::this_thread::yield();
          update.wait();
          break;
        }
        default:
          halo.update();
      }
      for (const auto& member : members) member->compare(compared, step, true);
    }
    halo.close();
    EXPECT_TRUE(compared.equal()) << "round " << round;
  }
}

TEST(Halo, adds_cells_to_the_elements_that_they_are_copies_of) {
  Random random(2), own(20 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < 10; ++round) {
    const auto members = random_members_of_a_halo(random);
    Halo halo(parts_of(members), "sums");
    Comparison compared;
    for (index_t step = 0; step < 5; ++step) {
      for (const auto& member : members) member->begin_sums();
      if (pick(own, 0, 3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      halo.accumulate();
      for (const auto& member : members) member->compare_sums(compared);
      // Both directions take turns at the same landing places.
      if (pick(random, 0, 1) == 0) {
        for (const auto& member : members) member->begin(step);
        halo.update();
        for (const auto& member : members) member->compare(compared, step, true);
      }
    }
    EXPECT_TRUE(compared.equal()) << "round " << round;
  }
}

TEST(Halo, exchanges_chosen_components_only) {
  const int ranks = world().size();
  const index_t n = 3 * ranks;
  Array<double, 2> u(world(), Layout<2>::blocked({5, n}, ranks, {.grid = Extents<2>{1, ranks}}),
                     {.name = "u", .ghosts = {0, 1}, .periodic = {false, true}});
  Halo halo({halo_of(u.slice({{1, 0}, {3, n}}))}, "components");
  Comparison compared;
  {
    const auto access = u.local_with_ghosts();
    const auto all = access.global();
    for_each_point(all.patch(), [&](index_t c, index_t i) {
      all(c, i) = u.local_patch().contains({c, i}) ? static_cast<double>(100 * c + i) : -1;
    });
  }
  halo.update();
  {
    const auto access = u.local_with_ghosts();
    const auto all = access.global();
    for_each_point(all.patch(), [&](index_t c, index_t i) {
      const bool is_filled = u.local_patch().contains({c, i}) || (c >= 1 && c < 3);
      compared(std::pair(c, i), is_filled ? static_cast<double>(100 * c + (i + n) % n) : -1, all(c, i));
    });
  }
  EXPECT_TRUE(compared.equal());
  u.sync();
}

TEST(Halo, sums_are_the_same_bits_in_every_repetition) {
  const int ranks = world().size();
  Array<double, 1> a(world(), Layout<1>::blocked({4 * ranks}, ranks),
                     {.name = "a", .ghosts = 4, .periodic = true});
  Halo halo(a);
  std::vector<double> first;
  for (int repetition = 0; repetition < 20; ++repetition) {
    {
      const auto access = a.local_with_ghosts();
      for (index_t i = 0; i < access.extent(0); ++i)
        access(i) = 1.0 / static_cast<double>(3 + 7 * world().rank() + i) * (i % 2 == 0 ? 1e10 : 1);
    }
    halo.accumulate();
    const auto access = std::as_const(a).local();
    std::vector<double> now(access.data(), access.data() + access.size());
    if (repetition == 0) first = now;
    EXPECT_EQ(now, first) << "repetition " << repetition;
  }
  a.sync();
}

// Elements of 4, 8 and 16 bytes in one message.
TEST(Halo, adds_cells_of_elements_of_different_sizes) {
  const int ranks = world().size();
  const auto layout = Layout<1>::blocked({3 * ranks}, ranks);
  Array<float, 1> a(world(), layout, {.name = "a", .ghosts = 1, .periodic = true});
  Array<std::complex<double>, 1> b(world(), layout, {.name = "b", .ghosts = 1, .periodic = true});
  Array<double, 1> c(world(), layout, {.name = "c", .ghosts = 1, .periodic = true});
  Halo halo(a, b, c);
  for (int round = 1; round <= 3; ++round) {
    const auto set = [&](auto& array) {
      const auto access = array.local_with_ghosts();
      for (index_t i = 0; i < access.extent(0); ++i)
        access(i) = static_cast<float>(round * (10 * world().rank() + 1 + i));
    };
    set(a), set(b), set(c);
    halo.accumulate();
    // The low cell of the next block, and the high cell of the one before, come to the outer elements.
    const auto check = [&](auto& array) {
      const int me = world().rank(), left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
      const auto access = std::as_const(array).local();
      const std::complex<double> expected[] = {double(round * (10 * me + 2 + 10 * left + 5)),
                                               double(round * (10 * me + 3)),
                                               double(round * (10 * me + 4 + 10 * right + 1))};
      for (index_t i = 0; i < 3; ++i)
        EXPECT_EQ(std::complex<double>(access(i)), expected[i]) << array.name() << i;
    };
    check(a), check(b), check(c);
    world().sync();
  }
}

TEST(Halo, wrong_uses_are_told) {
  const int ranks = world().size();
  const auto layout = Layout<2>::blocked({4, 6}, ranks);
  Array<double, 2> with(world(), layout, {.name = "with", .ghosts = 1}),
      without(world(), layout, {.name = "without"});
  Array<State, 2> states(world(), layout, {.name = "states", .ghosts = 1});
  EXPECT_THROW(Halo(std::vector<HaloPart>{}), UsageError);
  EXPECT_THROW(Halo(with, without), UsageError);
  EXPECT_THROW(Halo({halo_of(with, {.low = PerDimension<index_t, 2>(2)})}), UsageError);
  EXPECT_THROW(Halo({halo_of(with, {.high = PerDimension<index_t, 2>(-1)})}), UsageError);
  EXPECT_THROW(Halo({halo_of(with.slice({{0, 0}, {4, 5}}))}), UsageError);
  EXPECT_THROW(Halo({halo_of(with.slice().transposed())}), UsageError);
  Halo halo(with, states);
  EXPECT_THROW(halo.accumulate(), UsageError) << "structures are no numbers";
  {
    auto update = halo.update_async();
    EXPECT_THROW(halo.update(), UsageError);
    EXPECT_THROW(halo.close(), UsageError);
    update.wait();
  }
  with.redistribute(layout.with_storage(StorageOrder::column_major));
  EXPECT_THROW(halo.update(), UsageError) << "another layout";
  halo.close();
  EXPECT_THROW(halo.update(), UsageError) << "closed";
  const Halo moved(std::move(halo));
  EXPECT_THROW(halo.update(), UsageError) << "moved from";  // NOLINT(bugprone-use-after-move)
  with.close();
  EXPECT_THROW(Halo{with}, UsageError);
}

}  // namespace
