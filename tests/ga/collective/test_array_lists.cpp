// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "onesided_model.hpp"

// Elements at lists of positions: gather, scatter and scatter_acc.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr std::array methods{VectorMethod::automatic, VectorMethod::conservative, VectorMethod::batched,
                             VectorMethod::direct};
// The methods that keep the order of the list where a position occurs twice.
constexpr std::array ordered_methods{VectorMethod::automatic, VectorMethod::conservative};

template <std::size_t n>
VectorMethod random_method(const std::array<VectorMethod, n>& list, Random& random) {
  return list[static_cast<std::size_t>(pick(random, 0, n - 1))];
}

// Positions in any order: all different, or with random repeats.
template <std::size_t N>
std::vector<Index<N>> random_list(Random& random, const Extents<N>& dims, bool repeats, index_t most) {
  const index_t size = dims.size();
  if (size == 0) return {};
  const index_t some = pick(random, 2, 25);
  const index_t lengths[] = {0, 1, some, repeats ? size + some : size};
  const auto length = std::min(lengths[pick(random, 0, 3)], most);
  std::vector<Index<N>> list;
  if (repeats) {
    for (index_t i = 0; i < length; ++i) list.push_back(random_index(random, dims));
  } else {
    list = all_indices(dims);
    std::shuffle(list.begin(), list.end(), random);
    list.resize(static_cast<std::size_t>(std::min(length, size)));
  }
  return list;
}

template <class T, std::size_t N>
void compare_list(Comparison& compared, const LocalArray<T, N>& model, const std::vector<Index<N>>& at,
                  const std::vector<T>& found) {
  for (std::size_t i = 0; i < at.size(); ++i) compared(at[i], model[at[i]], found.at(i));
}

// One rank at a time writes to lists of positions and reads them. Then every rank reads other lists.
template <class T, std::size_t N>
void check_lists(const Group& group, const Layout<N>& layout, const Domain& domain, std::uint64_t seed,
                 int rounds) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(seed);
  const index_t most = rounds_of(group, 120);  // positions
  Comparison compared;
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, group.size() - 1));
    const bool writes = writer == group.rank();
    for (int i = 0; i < 3; ++i) {
      const bool accumulates = Arithmetic<T> && pick(random, 0, 1) == 1, repeats = pick(random, 0, 1) == 1;
      const auto at = random_list(random, layout.dims(), repeats, most);
      auto values = random_numbers<T>(random, static_cast<index_t>(at.size()));
      const VectorMethod method = random_method(methods, random),
                         ordered = random_method(ordered_methods, random);
      const auto factor = pick(random, -2, 2);
      if constexpr (Arithmetic<T>) {
        const T alpha = number<T>(factor, factor % 2);
        for (std::size_t k = 0; accumulates && k < at.size(); ++k) m.model[at[k]] += alpha * values[k];
        if (accumulates && writes) m.array.scatter_acc(at, values, alpha, method);
      }
      if (!accumulates) {
        for (std::size_t k = 0; k < at.size(); ++k) m.model[at[k]] = values[k];
        if (writes) m.array.scatter(at, values, repeats ? ordered : method);
      }
      if (writes) {
        // The values may be overwritten, and the writer sees what it wrote.
        m.array.gather(at, values, method);
        compare_list(compared, m.model, at, values);
      }
    }
    m.array.sync();
    m.compare_local(compared);
    Random own(random() + static_cast<std::uint64_t>(group.rank()));
    const auto at = random_list(own, layout.dims(), true, most);
    std::vector<T> found(at.size(), number<T>(-777));
    m.array.gather(at, found, random_method(methods, own));
    compare_list(compared, m.model, at, found);
    m.array.sync();
  }
  EXPECT_TRUE(compared.equal());
}

template <class T, std::size_t N>
void check_layouts(const Group& group, const Extents<N>& dims, int rounds) {
  Random random(2000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    const std::uint64_t seed = random();
    for (const Domain& domain : domains(group))
      check_lists<T, N>(group, layout, domain, seed, rounds_of(group, rounds));
  }
}

TEST(ArrayLists, random_lists_agree_with_a_model_in_1_to_8_dimensions) {
  const Group& all = world();
  check_layouts<double, 1>(all, {53}, 5);
  check_layouts<double, 2>(all, {7, 11}, 5);
  check_layouts<double, 3>(all, {3, 7, 4}, 3);
  check_layouts<double, 4>(all, {3, 2, 5, 3}, 3);
  check_layouts<double, 5>(all, {3, 2, 3, 1, 4}, 2);
  check_layouts<double, 6>(all, {2, 3, 2, 1, 3, 2}, 2);
  check_layouts<double, 7>(all, {2, 2, 3, 1, 2, 1, 3}, 2);
  check_layouts<double, 8>(all, {2, 2, 1, 1, 2, 3, 1, 3}, 2);
}

TEST(ArrayLists, random_lists_agree_with_a_model_for_every_type) {
  const Group& all = world();
  check_layouts<std::int32_t, 2>(all, {9, 8}, 3);
  check_layouts<std::int64_t, 1>(all, {60}, 3);
  check_layouts<float, 3>(all, {4, 3, 5}, 3);
  check_layouts<std::complex<float>, 2>(all, {7, 8}, 3);
  check_layouts<std::complex<double>, 2>(all, {8, 7}, 3);
  check_layouts<Triple, 2>(all, {8, 9}, 3);
  check_layouts<char, 2>(all, {5, 12}, 3);
}

TEST(ArrayLists, arrays_may_have_fewer_elements_than_ranks_or_none) {
  const Group& all = world();
  check_layouts<double, 1>(all, {1}, 4);
  check_layouts<std::complex<double>, 2>(all, {1, 2}, 4);
  check_layouts<std::int64_t, 3>(all, {1, 1, 3}, 4);
  check_layouts<double, 2>(all, {0, 5}, 2);
}

TEST(ArrayLists, arrays_may_be_on_a_part_of_the_ranks) {
  const Group& all = world();
  const Group part = all.split(all.rank() % 2, -all.rank());
  check_layouts<double, 2>(part, {6, 8}, 3);
  check_layouts<std::int32_t, 1>(part, {2}, 3);
  all.sync();
}

// All ranks add to the same elements at once, in every possible way.
template <class T, std::size_t N>
void check_contended(const Group& group, const Layout<N>& layout, const Domain& domain) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  const Extents<N> dims = layout.dims();
  LocalArray<T, N> added(dims);
  Random random(90 + static_cast<std::uint64_t>(group.rank()));
  const auto places = static_cast<std::size_t>(std::min<index_t>(dims.size(), 5));
  const auto everywhere = all_indices(dims);
  // If there are more processes than cores, MPI's locks are held for whole time slices.
  const int rounds = rounds_of(group, is_by_mpi(group, domain) ? 8 : times(group, 40, 8));
  for (int round = 0; round < rounds; ++round) {
    // A few elements many times, and all elements once.
    std::vector<Index<N>> at(everywhere.begin(), everywhere.begin() + static_cast<std::ptrdiff_t>(places));
    for (int i = 0; i < 20; ++i)
      at.push_back(everywhere[static_cast<std::size_t>(pick(random, 0, static_cast<index_t>(places) - 1))]);
    at.insert(at.end(), everywhere.begin(), everywhere.end());
    const auto values = random_numbers<T>(random, static_cast<index_t>(at.size()));
    const T alpha = number<T>(round % 3 - 1, 1);
    m.array.scatter_acc(at, values, alpha, methods[static_cast<std::size_t>(round % 4)]);
    for (std::size_t i = 0; i < at.size(); ++i) added[at[i]] += alpha * values[i];

    const Patch<N> patch = random_patch(random, dims);
    const auto one = random_buffer<T, N>(random, patch.extents());
    const auto two = random_buffer<T, N>(random, patch.extents());
    Request request = m.array.acc_async(patch, one.view);
    m.array.acc(patch, two.view, alpha);
    const Index<N> single = everywhere[static_cast<std::size_t>(pick(random, 0, 2)) % everywhere.size()];
    m.array.fetch_add(single, number<T>(round, 3));
    request.wait();
    for_each_index(patch, [&](const Index<N>& x) {
      added[x] += one.view[minus(x, patch.lo)] + alpha * two.view[minus(x, patch.lo)];
    });
    added[single] += number<T>(round, 3);
  }
  m.array.sync();
  group.all_reduce(std::span<T>(added.data(), static_cast<std::size_t>(added.size())), Reduce::sum);
  for_each_index(m.whole(), [&](const Index<N>& x) { m.model[x] += added[x]; });
  EXPECT_TRUE(m.local_equal());
  Comparison read;
  m.compare(read, m.whole());
  EXPECT_TRUE(read.equal());
  m.array.sync();
}

template <class T, std::size_t N>
void check_contended(const Extents<N>& dims) {
  Random random(3000 + N);
  const Group& all = world();
  for (const Layout<N>& layout : layouts_of(random, dims, all.size())) {
    for (const Domain& domain : domains(all)) check_contended<T, N>(all, layout, domain);
  }
}

TEST(ArrayLists, all_ranks_add_to_the_same_elements_at_once) {
  check_contended<std::int64_t, 2>({6, 7});
  check_contended<double, 1>({20});
  check_contended<std::complex<double>, 3>({3, 2, 4});
  check_contended<float, 2>({1, 1});
}

TEST(ArrayLists, a_position_listed_many_times_is_added_to_as_often) {
  const Group& all = world();
  for (const Domain& domain : domains(all)) {
    Array<std::int32_t, 2> a(all, {4, all.size()}, {.name = "counts", .domain = domain});
    for_each_local(a, [](const Index<2>&, std::int32_t& x) { x = 0; });
    a.sync();
    const std::vector<Index<2>> at(300, Index<2>(2, all.size() - 1));
    const std::vector<std::int32_t> ones(300, 1);
    for (const VectorMethod method : methods) a.scatter_acc(at, ones, 3, method);
    a.sync();
    EXPECT_EQ(a.load({2, all.size() - 1}), 4 * 3 * 300 * all.size());
    std::int64_t sum = 0;
    for (const std::int32_t x : a.get(Patch<2>::whole(a.dims()))) sum += x;
    EXPECT_EQ(sum, 4 * 3 * 300 * all.size());
    a.sync();
  }
}

TEST(ArrayLists, the_last_value_for_a_position_stays) {
  const Group& all = world();
  Array<std::int64_t, 1> a(all, {3 * all.size()}, {.name = "last"});
  for (const VectorMethod method : ordered_methods) {
    if (all.rank() == all.size() - 1) {
      // Up and then down through all owners. So the last write to most places is the one on the way down.
      std::vector<Index<1>> at;
      std::vector<std::int64_t> values;
      for (index_t i = 0; i < a.size(); ++i) at.emplace_back(i), values.push_back(-1);
      for (index_t i = a.size(); i-- > 0;) at.emplace_back(i), values.push_back(10 + i);
      a.scatter(at, values, method);
    }
    a.sync();
    for (index_t i = 0; i < a.size(); ++i) EXPECT_EQ(a.load(i), 10 + i) << to_string(method);
    a.sync();
    for_each_local(a, [](const Index<1>&, std::int64_t& x) { x = 0; });
    a.sync();
  }
}

TEST(ArrayLists, empty_lists_do_nothing) {
  const Group& all = world();
  Modelled<double, 2> m(all, Layout<2>::blocked({5, 6}, all.size()));
  const std::vector<Index<2>> nowhere;
  std::vector<double> nothing;
  const auto before = m.array.statistics();
  for (const VectorMethod method : methods) {
    m.array.gather(nowhere, nothing, method);
    m.array.scatter(nowhere, nothing, method);
    m.array.scatter_acc(nowhere, nothing, 2, method);
  }
  m.array.sync();
  for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate}) {
    for (const Path path : {Path::node, Path::window, Path::agent})
      EXPECT_EQ(m.array.statistics().of(path, operation).operations, before.of(path, operation).operations);
  }
  EXPECT_TRUE(m.local_equal());
}

TEST(ArrayLists, lists_of_different_lengths_are_refused) {
  const Group& all = world();
  Modelled<double, 2> m(all, Layout<2>::blocked({5, 6}, all.size()));
  const std::vector<Index<2>> at{{0, 0}, {4, 5}, {2, 3}};
  std::vector<double> few{-1, -2}, many{-1, -2, -3, -4};
  for (std::vector<double>* values : {&few, &many}) {
    const std::vector<double> copy = *values;
    const std::string length = std::to_string(values->size());
    for (const auto& text : {message_of<UsageError>([&] { m.array.gather(at, *values); }),
                             message_of<UsageError>([&] { m.array.scatter(at, *values); }),
                             message_of<UsageError>([&] { m.array.scatter_acc(at, *values); })}) {
      EXPECT_NE(text.find("\"modelled\""), std::string::npos) << text;
      EXPECT_NE(text.find("3 positions"), std::string::npos) << text;
      EXPECT_NE(text.find(length + " values"), std::string::npos) << text;
    }
    EXPECT_EQ(*values, copy);
  }
  EXPECT_THROW(m.array.gather(std::vector<Index<2>>{}, few), UsageError);
  EXPECT_THROW(m.array.scatter(at, std::vector<double>{}), UsageError);
  m.array.sync();
  EXPECT_TRUE(m.local_equal());
}

TEST(ArrayLists, positions_outside_are_refused_before_anything_moves) {
  const Group& all = world();
  Random random(7);
  for (const auto& layout : layouts_of<2>(random, {5, 6}, all.size())) {
    SCOPED_TRACE(layout.description());
    Modelled<double, 2> m(all, layout);
    const std::vector<std::pair<Index<2>, std::string>> bad{
        {{5, 0}, "(5, 0)"},
        {{0, 6}, "(0, 6)"},
        {{-1, 3}, "(-1, 3)"},
        {{3, std::numeric_limits<index_t>::min()}, "(3, -9223372036854775808)"}};
    for (const auto& [outside, where] : bad) {
      // The last position is the bad one.
      std::vector<Index<2>> at = all_indices<2>({5, 6});
      at.push_back(outside);
      const std::vector<double> values(at.size(), -5);
      std::vector<double> into(at.size(), -5);
      for (const VectorMethod method : methods) {
        for (const auto& text : {message_of<UsageError>([&] { m.array.gather(at, into, method); }),
                                 message_of<UsageError>([&] { m.array.scatter(at, values, method); }),
                                 message_of<UsageError>([&] { m.array.scatter_acc(at, values, 1, method); })}) {
          EXPECT_NE(text.find("element " + where), std::string::npos) << text;
          EXPECT_NE(text.find("\"modelled\""), std::string::npos) << text;
          EXPECT_NE(text.find("5 x 6"), std::string::npos) << text;
        }
      }
      EXPECT_EQ(into, values);
    }
    m.array.sync();
    EXPECT_TRUE(m.local_equal());
    m.array.sync();
  }
  Array<double, 2> none(all, {0, 4}, {.name = "without"});
  std::vector<double> one(1);
  EXPECT_NE(message_of<UsageError>([&] {
              none.gather(std::vector<Index<2>>{{0, 0}}, one);
            }).find("\"without\""),
            std::string::npos);
}

#ifdef TESSERA_TEST_CHECKS
TEST(ArrayLists, repeated_positions_are_told_in_checked_builds_where_the_order_is_left_to_chance) {
  const Group& all = world();
  Modelled<double, 1> m(all, Layout<1>::blocked({all.size()}, all.size()));
  const std::vector<Index<1>> at{Index<1>(0), Index<1>(all.size() - 1), Index<1>(0)};
  std::vector<double> values{1, 2, 3};
  for (const VectorMethod method : {VectorMethod::batched, VectorMethod::direct}) {
    EXPECT_THROW(m.array.scatter(at, values, method), UsageError) << to_string(method);
    m.array.gather(at, values, method);  // reading does no harm
    Comparison compared;
    compare_list(compared, m.model, at, values);
    EXPECT_TRUE(compared.equal()) << to_string(method);
  }
  m.array.sync();
}
#endif

}  // namespace
