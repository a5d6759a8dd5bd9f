// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>
#include <tessera/reductions.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// A read in an epoch returns what the array holds. What was read in an earlier epoch is forgotten.
template <class T, std::size_t N>
void check_reads(const Extents<N>& dims, index_t cache, int rounds) {
  Random random(50 + N), own(500 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < rounds; ++round) {
    Array<T, N> a(world(), any_layout(random, dims), {.name = "read"});
    for (int epoch = 0; epoch < 3; ++epoch) {
      const auto model = random_numbers<T>(random, dims.size());
      set_contents(a, model);
      auto phase = read_only(a, {.cache = cache});
      auto expected = [&](const Index<N>& where) { return model[at(number_of(where, dims))]; };
      Comparison compared;
      for (int i = 0; i < 12; ++i) {
        const Patch<N> patch = random_patch(own, dims);
        RandomBuffer<T, N> into(own, patch.extents());
        phase.get(patch, into.view);
        compare_patch(compared, patch, into.view, expected);
        if (patch.empty()) continue;
        compared(patch.lo, expected(patch.lo), phase.load(patch.lo));
        compared(patch.lo, expected(patch.lo), phase.get(patch)[Index<N>{}]);
      }
      EXPECT_TRUE(compared.equal()) << a.layout().description();
      if (epoch < 2) phase.end();  // else the next collective call ends it
    }
    a.sync();
  }
}

TEST(Epochs, what_is_read_is_what_is_there) {
  check_reads<double, 2>({40, 30}, index_t{1} << 20, 3);
  check_reads<double, 1>({9000}, index_t{1} << 15, 2);  // two pages: most find no room
  check_reads<std::complex<float>, 3>({9, 8, 7}, index_t{1} << 20, 2);
  check_reads<Triple, 2>({50, 60}, index_t{1} << 20, 2);
  check_reads<double, 2>({30, 30}, 0, 1);
  check_reads<double, 2>({0, 30}, 1000, 1);
}

// A page that is read again comes from the node's cache.
TEST(Epochs, a_node_fetches_once) {
  const Group& all = world();
  const index_t each = 4096;
  Array<double, 1> a(all, Extents<1>(each * all.size()), {.name = "once"});
  fill(a, 2);
  const int other = (all.rank() + 1) % all.size();
  const Patch<1> patch = a.layout().block(other);
  LocalArray<double, 1> into(patch.extents());
  auto phase = read_only(a);
  phase.get(patch, into);
  const Statistics before = a.statistics();
  for (int i = 0; i < 10; ++i) phase.get(patch, into);
  const Statistics after = a.statistics();
  EXPECT_EQ(into[{0}], 2);
  if (!all.on_node(other)) {
    EXPECT_EQ(
        after.of(Path::agent, Operation::get).operations + after.of(Path::window, Operation::get).operations,
        before.of(Path::agent, Operation::get).operations + before.of(Path::window, Operation::get).operations);
  }
  phase.end();
}

// Beyond a process's elements no memory was reserved. On a full machine, a read there would end the process.
TEST(Epochs, pages_end_where_a_slice_does) {
  const Group& all = world();
  const index_t last = all.size() - 1, most = 20000, few = 10;
  std::vector<index_t> starts;
  for (int r = 0; r < all.size(); ++r) starts.push_back(r * most);
  const Extents<1> dims(last * most + few);
  Array<double, 1> a(all, Layout<1>::irregular(dims, {starts}, all.size()), {.name = "short"});
  fill(a, 3);
  auto phase = read_only(a);
  LocalArray<double, 1> into(Extents<1>(few - 1));
  const Statistics before = a.statistics();
  if (all.rank() == 0) phase.get({{last * most + 1}, {last * most + few}}, into);
  const Statistics after = a.statistics();
  std::uint64_t bytes = 0;
  for (const Path path : {Path::agent, Path::window})
    bytes += after.of(path, Operation::get).bytes - before.of(path, Operation::get).bytes;
  if (all.rank() == 0) {
    EXPECT_EQ(into[{few - 2}], 3);
    EXPECT_EQ(bytes, all.on_node(static_cast<int>(last)) ? 0U : std::uint64_t{few} * sizeof(double));
  }
  phase.end();
}

template <class T, std::size_t N>
void check_accumulates(const Extents<N>& dims, index_t cache, int rounds) {
  Random random(80 + N), own(800 + static_cast<unsigned>(world().rank()));
  for (int round = 0; round < rounds; ++round) {
    Array<T, N> a(world(), any_layout(random, dims), {.name = "added"});
    auto model = random_numbers<T>(random, dims.size());
    set_contents(a, model);
    for (int epoch = 0; epoch < 2; ++epoch) {
      auto phase = accumulate_only(a, {.cache = cache});
      for (int turn = 0; turn < 5 * world().size(); ++turn) {
        const Patch<N> patch = random_patch(random, dims);
        const auto values = random_numbers<T>(random, patch.size());
        const T alpha = number<T>(2, 1);
        if (turn % world().size() == world().rank()) {
          RandomBuffer<T, N> from(own, patch.extents());
          std::vector<Index<N>> places;
          for_each_index(patch, [&](const Index<N>& where) {
            const Index<N> here = minus(where, patch.lo);
            from.view[here] = values[at(number_of(here, patch.extents()))];
            places.push_back(where);
          });
          const View<const T, N> view = from.view;
          if (turn % 3 == 0)
            phase.scatter_acc(places, values, alpha);
          else
            phase.acc(patch, view, alpha);
        }
        for_each_index(patch, [&](const Index<N>& where) {
          model[at(number_of(where, dims))] +=
              alpha * values[at(number_of(minus(where, patch.lo), patch.extents()))];
        });
      }
      if (epoch == 0) phase.end();
    }
    EXPECT_TRUE(has_contents(a, model)) << a.layout().description();
  }
}

TEST(Epochs, what_is_accumulated_is_all_there) {
  check_accumulates<double, 2>({20, 30}, index_t{1} << 20, 3);
  check_accumulates<double, 1>({9000}, index_t{1} << 15, 2);
  check_accumulates<std::int32_t, 3>({5, 6, 7}, index_t{1} << 20, 2);
  check_accumulates<std::complex<double>, 2>({12, 9}, index_t{1} << 20, 2);
  check_accumulates<float, 1>({50}, 0, 1);
}

TEST(Epochs, disjoint_writes_are_puts) {
  const Group& all = world();
  const Extents<2> dims(4 * all.size(), 5);
  Array<std::int64_t, 2> a(all, dims, {.name = "rows"});
  {
    auto phase = disjoint_writes(a);
    // Each rank writes rows of other ranks, and its own rows twice.
    for (int round = 0; round < 2; ++round) {
      for (index_t i = 0; i < 4; ++i) {
        const index_t row = i * all.size() + all.rank();
        LocalArray<std::int64_t, 2> line({1, 5});
        std::fill(line.begin(), line.end(), row);
        phase.put({{row, 0}, {row + 1, 5}}, line);
      }
    }
    phase.end();
  }
  std::vector<std::int64_t> expected;
  for (index_t k = 0; k < dims.size(); ++k) expected.push_back(k / 5);
  EXPECT_TRUE(has_contents(a, expected));
#ifdef TESSERA_TEST_CHECKS
  if (all.size() == 1) return;
  auto phase = disjoint_writes(a);
  LocalArray<std::int64_t, 2> two({2, 1});
  if (all.rank() < 2) phase.put({{all.rank(), 0}, {all.rank() + 2, 1}}, two);
  const auto text = message_of<UsageError>([&] { phase.end(); });
  EXPECT_NE(text.find("\"rows\""), std::string::npos) << text;
  EXPECT_NE(text.find("overlap"), std::string::npos) << text;
#endif
}

// Slices in any layout, with steps, held indices and dimensions in another order.
TEST(Epochs, slices_are_transferred_like_patches) {
  using placeholders::all;
  Random random(91), own(92 + static_cast<unsigned>(world().rank()));
  const Extents<4> dims(5, 6, 4, 7);
  for (int round = 0; round < 4; ++round) {
    Array<double, 4> t(world(), any_layout(random, dims), {.name = "t"}), u(world(), t.layout(), {.name = "u"});
    const auto model = random_numbers<double>(random, dims.size());
    set_contents(t, model);
    fill(u, 0);
    const auto expected = [&](index_t i, index_t j, index_t k, index_t l) {
      return model[at(number_of(Index<4>(i, j, k, l), dims))];
    };
    const index_t i = pick(own, 0, 4), k = pick(own, 0, 3);
    auto reading = read_only(t);
    const auto matrix = reading.get(t(i, all, k, all).transposed());
    const auto some = reading.get(std::as_const(t).slice({{0, 1, 0, 0}, {5, 6, 4, 7}}, {2, 1, 3, 2}));
    Comparison compared;
    for (index_t j = 0; j < 6; ++j)
      for (index_t l = 0; l < 7; ++l) compared(Index<2>(l, j), expected(i, j, k, l), matrix(l, j));
    for_each_index(Patch<4>::whole(some.extents()), [&](const Index<4>& x) {
      compared(x, expected(2 * x[0], 1 + x[1], 3 * x[2], 2 * x[3]), some[x]);
    });
    reading.end();
    auto adding = accumulate_only(u);
    const auto part = u.slice({{0, 1, 0, 0}, {5, 6, 4, 7}}, {2, 1, 3, 2});
    adding.acc(part, some, 2.0);
    EXPECT_NE(message_of<UsageError>([&] {
                adding.acc(t(all, 0, 0, all), LocalArray<double, 2>({5, 7}));
              }).find("is no slice of array \"u\""),
              std::string::npos);
    EXPECT_THROW(adding.acc(u(all, 0, 0, all), matrix), UsageError);
    adding.end();
    const auto sums = part.get();
    for_each_index(Patch<4>::whole(some.extents()),
                   [&](const Index<4>& x) { compared(x, 2.0 * world().size() * some[x], sums[x]); });
    u.sync();
    auto writing = disjoint_writes(u);
    if (world().rank() == 0) writing.put(part, some);
    writing.end();
    const auto written = part.get();
    for_each_index(Patch<4>::whole(some.extents()),
                   [&](const Index<4>& x) { compared(x, some[x], written[x]); });
    EXPECT_TRUE(compared.equal()) << t.layout().description();
  }
}

// Writes that alternate are disjoint, also with different steps.
TEST(Epochs, stepped_writes_may_alternate) {
  const index_t ranks = world().size(), me = world().rank(), n = 12 * ranks;
  Array<double, 1> a(world(), {n}, {.name = "a"});
  fill(a, -1);
  LocalArray<double, 1> mine(Extents<1>{12});
  std::fill(mine.begin(), mine.end(), static_cast<double>(me));
  auto writing = disjoint_writes(a);
  writing.put(a.slice({{me}, {n}}, {ranks}), mine);
  writing.end();
  for (index_t i = 0; i < n; ++i) EXPECT_EQ(a.load({i}), static_cast<double>(i % ranks));
  a.sync();
#ifdef TESSERA_TEST_CHECKS
  if (ranks < 2) return;
  // Multiples of 4, and 2 more than multiples of 3: 8 and 20 are both.
  auto meeting = disjoint_writes(a);
  const LocalArray<double, 1> fours(Extents<1>{6}), threes(Extents<1>{7});
  if (me == 0) meeting.put(a.slice({{0}, {24}}, {4}), fours);
  if (me == 1) meeting.put(a.slice({{2}, {23}}, {3}), threes);
  EXPECT_THROW(meeting.end(), UsageError);
#endif
}

// Operations that an epoch is not meant for do not compile.
template <class P>
concept Puts = requires(P phase, Patch<2> patch, View<const double, 2> view) {
  phase.put(patch, view);
};
template <class P>
concept Gets = requires(P phase, Patch<2> patch, View<double, 2> view) {
  phase.get(patch, view);
};
template <class P>
concept Accumulates = requires(P phase, Patch<2> patch, View<const double, 2> view) {
  phase.acc(patch, view);
};
static_assert(Gets<ReadOnly<double, 2>> && !Puts<ReadOnly<double, 2>> && !Accumulates<ReadOnly<double, 2>>);
static_assert(!Gets<AccumulateOnly<double, 2>> && !Puts<AccumulateOnly<double, 2>> &&
              Accumulates<AccumulateOnly<double, 2>>);
static_assert(!Gets<DisjointWrites<double, 2>> && Puts<DisjointWrites<double, 2>> &&
              !Accumulates<DisjointWrites<double, 2>>);

TEST(Epochs, wrong_uses_are_told) {
  Array<double, 2> a(world(), {6, 6}, {.name = "used"});
  fill(a, 1);
  LocalArray<double, 2> one({1, 1}), two({1, 2});
  auto phase = read_only(a);
  EXPECT_NE(message_of<UsageError>([&] { (void)accumulate_only(a); }).find("in an epoch of read_only"),
            std::string::npos);
#ifdef TESSERA_TEST_CHECKS
  EXPECT_NE(message_of<UsageError>([&] {
              a.put({{0, 0}, {1, 2}}, two);
            }).find("put of array \"used\" in an epoch of read_only"),
            std::string::npos);
  EXPECT_THROW(a.acc({{0, 0}, {1, 1}}, one), UsageError);
  EXPECT_THROW(a.store({0, 0}, 2), UsageError);
  EXPECT_THROW(a.fetch_add({0, 0}, 2), UsageError);
  EXPECT_THROW((void)a.local(), UsageError);
  EXPECT_EQ(a.load({0, 0}), 1);
#endif
  phase.end();
  EXPECT_NE(message_of<UsageError>([&] {
              phase.get({{0, 0}, {1, 1}}, one);
            }).find("after it had ended"),
            std::string::npos);
  phase.end();  // once is enough
  if (world().rank() == 0) a.store({0, 0}, 1);
  EXPECT_EQ(reduce(a, Reduce::sum), 36);
  auto sums = accumulate_only(a);
  sums.acc({{0, 0}, {1, 1}}, one);
  EXPECT_EQ(reduce(a, Reduce::sum), 36);  // ended by this
  EXPECT_THROW(sums.acc({{0, 0}, {1, 1}}, one), UsageError);
  auto last = read_only(a);
  a.close();
  EXPECT_THROW(last.get({{0, 0}, {1, 1}}, one), UsageError);
}

}  // namespace
