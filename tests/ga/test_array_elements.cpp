// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sched.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onesided_model.hpp"

// Single elements of arrays: moved, updated, and reached as plain memory. The domains of atomicity, and what is
// counted.
namespace {

using namespace tessera;
using namespace tessera::test;

// Positions that a rank alone works on, if there are any.
template <std::size_t N>
std::vector<Index<N>> share_of(int rank, int ranks, const Extents<N>& dims) {
  std::vector<Index<N>> list;
  for (const Index<N>& at : all_indices(dims)) {
    if (number_of(at, dims) % ranks == rank) list.push_back(at);
  }
  return list;
}

// Everybody does everything there is to the elements of its share, and knows at any time what they are.
template <class T, std::size_t N>
void check_elements(const Group& group, const Layout<N>& layout, const Domain& domain, int rounds) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(80 + static_cast<std::uint64_t>(group.rank()));
  const auto mine = share_of(group.rank(), group.size(), layout.dims());
  int wrong = 0;
  auto check = [&wrong](bool right) { wrong += static_cast<int>(!right); };
  for (int i = 0; i < rounds && !mine.empty(); ++i) {
    const Index<N> at = mine[static_cast<std::size_t>(pick(random, 0, static_cast<index_t>(mine.size()) - 1))];
    const Patch<N> patch = Patch<N>::inclusive(at, at);
    T& expected = m.model[at];
    const T value = random_number<T>(random);
    switch (pick(random, 0, 8)) {
      case 0:
        m.array.store(at, value);
        expected = value;
        break;
      case 1:
        check(m.array.load(at) == expected);
        break;
      case 2: {
        const auto buffer = random_buffer<T, N>(random, patch.extents());
        m.array.put(patch, buffer.view);
        expected = *buffer.view.data_handle();
        break;
      }
      case 3: {
        auto buffer = random_buffer<T, N>(random, patch.extents());
        m.array.get(patch, buffer.view);
        check(*buffer.view.data_handle() == expected);
        check(m.array.get(patch)[Index<N>{}] == expected);
        break;
      }
      case 4:
        if constexpr (Arithmetic<T>) {
          const auto buffer = random_buffer<T, N>(random, patch.extents());
          m.array.acc(patch, buffer.view, number<T>(2, 1));
          expected += number<T>(2, 1) * *buffer.view.data_handle();
        }
        break;
      case 5:
        if constexpr (Arithmetic<T>) {
          check(m.array.fetch_add(at, value) == expected);
          expected = static_cast<T>(expected + value);
        }
        break;
      case 6:
        if constexpr (Arithmetic<T>) {
          check(m.array.exchange(at, value) == expected);
          expected = value;
        }
        break;
      case 7:
        if constexpr (Arithmetic<T>) {
          const Update update = all_updates[static_cast<std::size_t>(pick(random, 0, 6))];
          if (!is_defined(update, element_kind<T>())) break;
          check(m.array.fetch_op(at, update, value) == expected);
          expected = updated(update, expected, value);
        }
        break;
      default:
        if constexpr (Integer<T>) {
          if (!has_compare_exchange(group, domain)) break;
          const bool matches = pick(random, 0, 1) == 1;
          T known = matches ? expected : static_cast<T>(expected + 1);
          check(m.array.compare_exchange(at, known, value) == matches);
          check(known == expected);
          if (matches) expected = value;
        }
    }
    if (i % 7 == 0) check(m.array.load(at) == expected);
  }
  m.array.sync();
  // What the others have written, too: the models of all have a share each.
  std::vector<T> shares(mine.size());
  m.array.gather(mine, shares);
  for (std::size_t i = 0; i < mine.size(); ++i) check(shares[i] == m.model[mine[i]]);
  for_each_local(m.array, [&](const Index<N>& at, T& x) {
    if (number_of(at, layout.dims()) % group.size() == group.rank()) check(x == m.model[at]);
  });
  m.array.sync();
  EXPECT_EQ(wrong, 0);
}

template <class T, std::size_t N>
void check_elements(const Group& group, const Extents<N>& dims) {
  Random random(6000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    for (const Domain& domain : domains(group))
      check_elements<T, N>(group, layout, domain, rounds_of(group, times(group, 600, 80)));
  }
}

TEST(ArrayElements, every_operation_in_1_to_8_dimensions) {
  const Group& all = world();
  check_elements<std::int64_t, 1>(all, {31});
  check_elements<std::int64_t, 2>(all, {7, 9});
  check_elements<double, 3>(all, {3, 5, 4});
  check_elements<double, 4>(all, {2, 3, 4, 2});
  check_elements<float, 5>(all, {2, 3, 1, 2, 3});
  check_elements<double, 6>(all, {2, 1, 2, 3, 2, 1});
  check_elements<double, 7>(all, {2, 1, 2, 3, 2, 1, 2});
  check_elements<std::int32_t, 8>(all, {2, 1, 2, 1, 2, 3, 1, 2});
}

TEST(ArrayElements, every_operation_of_every_type) {
  const Group& all = world();
  check_elements<std::int32_t, 2>(all, {7, 9});
  check_elements<float, 2>(all, {8, 5});
  check_elements<double, 2>(all, {5, 8});
  check_elements<std::complex<float>, 2>(all, {6, 6});
  check_elements<std::complex<double>, 2>(all, {4, 9});
  check_elements<Triple, 2>(all, {6, 7});
  check_elements<char, 1>(all, {40});
}

TEST(ArrayElements, of_small_arrays_and_on_a_part_of_the_ranks) {
  const Group& all = world();
  check_elements<std::int64_t, 1>(all, {1});
  check_elements<std::int32_t, 2>(all, {2, 1});
  const Group part = all.split(all.rank() % 2, -all.rank());
  check_elements<std::int64_t, 2>(part, {5, 4});
  check_elements<double, 1>(part, {1});
  all.sync();
}

TEST(ArrayElements, on_overlapping_groups_that_their_members_have_formed) {
  const Group& all = world();
  // Neighbours: everybody is in two groups, except where there are but two ranks or one.
  std::vector<Group> groups;
  for (int first = 0; first + 1 < all.size(); ++first) {
    if (all.rank() == first || all.rank() == first + 1)
      groups.push_back(all.form(std::vector<int>{first + 1, first}));
  }
  for (Group& group : groups) {
    check_elements<std::int64_t, 2>(group, Layout<2>::blocked({3, 5}, 2), {}, 40);
    group.close();
  }
  all.sync();
}

TEST(ArrayElements, updates_that_a_type_does_not_have_are_refused) {
  const Group& all = world();
  Array<double, 1> reals(all, {all.size()}, {.name = "reals"});
  Array<std::complex<double>, 1> complex(all, {all.size()}, {.name = "complex"});
  const Index<1> last(all.size() - 1);
  if (all.rank() == 0) reals.store(last, 4.5), complex.store(last, {1, 2});
  all.sync();
  reals.sync();
  complex.sync();
  for (const Update update : {Update::bit_and, Update::bit_or, Update::bit_xor}) {
    EXPECT_NE(message_of<UsageError>([&] { reals.fetch_op(last, update, 1); }).find(to_string(update)),
              std::string::npos);
    EXPECT_THROW(complex.fetch_op(last, update, 1), UsageError);
  }
  EXPECT_THROW(complex.fetch_op(last, Update::min, 1), UsageError);
  EXPECT_THROW(complex.fetch_op(last, Update::max, 1), UsageError);
  reals.sync();
  complex.sync();
  EXPECT_EQ(reals.load(last), 4.5);
  EXPECT_EQ(complex.load(last), std::complex<double>(1, 2));
  complex.sync();
}

TEST(ArrayElements, positions_outside_are_refused_with_the_arrays_name) {
  const Group& all = world();
  Random random(8);
  for (const auto& layout : layouts_of<2>(random, {5, 6}, all.size())) {
    SCOPED_TRACE(layout.description());
    Modelled<std::int64_t, 2> m(all, layout);
    std::int64_t expected = 0;
    LocalArray<std::int64_t, 2> one({1, 1});
    for (const Index<2>& at : {Index<2>(5, 0), Index<2>(0, 6), Index<2>(-1, 0), Index<2>(2, -7),
                               Index<2>(std::numeric_limits<index_t>::max() - 1, 1)}) {
      const Patch<2> patch = Patch<2>::inclusive(at, at);
      for (const auto& text : {message_of<UsageError>([&] { m.array.load(at); }),
                               message_of<UsageError>([&] { m.array.store(at, -1); }),
                               message_of<UsageError>([&] { m.array.put(patch, one); }),
                               message_of<UsageError>([&] { m.array.get(patch, one); }),
                               message_of<UsageError>([&] { m.array.acc(patch, one); }),
                               message_of<UsageError>([&] { m.array.fetch_add(at, 1); }),
                               message_of<UsageError>([&] { m.array.fetch_op(at, Update::max, 1); }),
                               message_of<UsageError>([&] { m.array.exchange(at, 1); }),
                               message_of<UsageError>([&] { m.array.compare_exchange(at, expected, 1); }),
                               message_of<UsageError>([&] { m.array.address(at); })}) {
        EXPECT_NE(text.find("\"modelled\""), std::string::npos) << text;
        EXPECT_NE(text.find("5 x 6"), std::string::npos) << text;
        EXPECT_NE(text.find(std::to_string(at[0])), std::string::npos) << text;
      }
    }
    // One element here, but not there, and the other way round.
    EXPECT_THROW(m.array.put({{0, 0}, {1, 1}}, LocalArray<std::int64_t, 2>({1, 2})), UsageError);
    EXPECT_THROW(m.array.put({{0, 0}, {1, 2}}, one), UsageError);
    EXPECT_THROW(m.array.get({{0, 0}, {0, 1}}, one), UsageError);
    m.array.sync();
    EXPECT_EQ(m.own_differences(), 0);
    EXPECT_EQ(one(0, 0), 0);
    m.array.sync();
  }
}

TEST(ArrayElements, of_closed_and_moved_from_arrays_are_refused) {
  const Group& all = world();
  auto expect_unusable = [](Array<std::int64_t, 1>& a) {
    std::int64_t expected = 0;
    LocalArray<std::int64_t, 1> one(Extents<1>(1));
    std::vector<std::int64_t> list(1);
    const std::vector<Index<1>> at{Index<1>(0)};
    Flags flags(world(), 1);
    EXPECT_THROW(a.put({Index<1>(0), Index<1>(1)}, one), UsageError);
    EXPECT_THROW(a.get({Index<1>(0), Index<1>(1)}, one), UsageError);
    EXPECT_THROW(a.load(0), UsageError);
    EXPECT_THROW(a.store(0, 1), UsageError);
    EXPECT_THROW(a.fetch_op(0, Update::max, 1), UsageError);
    EXPECT_THROW(a.exchange(0, 1), UsageError);
    EXPECT_THROW(a.compare_exchange(0, expected, 1), UsageError);
    EXPECT_THROW(a.address(0), UsageError);
    EXPECT_THROW(a.gather(at, list), UsageError);
    EXPECT_THROW(a.scatter(at, list), UsageError);
    EXPECT_THROW(a.scatter_acc(at, list), UsageError);
    EXPECT_THROW(a.put_notify({Index<1>(0), Index<1>(1)}, one, flags.at(0, 0)), UsageError);
    world().sync();
    EXPECT_FALSE(flags.test(0));
  };
  Array<std::int64_t, 1> a(all, {10}, {.name = "gone"});
  for (int i = 0; i < 3; ++i) a.store(9, all.size());  // so that its owner is known to the fast path
  Array<std::int64_t, 1> b = std::move(a);
  expect_unusable(a);  // NOLINT: on purpose
  b.sync();
  EXPECT_EQ(b.load(9), all.size());
  b.close();
  expect_unusable(b);
  EXPECT_NE(message_of<UsageError>([&] { b.exchange(0, 1); }).find("\"gone\""), std::string::npos);
}

// Tickets: each is drawn exactly once, and from every owner in turn.
template <class T>
void check_tickets(const Domain& domain) {
  const Group& all = world();
  const int rounds = times(all, 300, 40);
  Array<T, 2> tickets(all, {2, all.size()}, {.name = "tickets", .domain = domain});
  for_each_local(tickets, [](const Index<2>&, T& x) { x = T{0}; });
  tickets.sync();
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(all.size() * rounds), 0);
  for (int i = 0; i < rounds; ++i) {
    const int column = i % all.size();
    const T ticket = tickets.fetch_add({1, column}, 1);
    // The tickets of a column: as many as there are rounds that draw from it, times the ranks.
    const auto which = static_cast<index_t>(ticket) * all.size() + column;
    EXPECT_LT(which, all.size() * (rounds + all.size())) << to_string(element_kind<T>());
    if (which < static_cast<index_t>(drawn.size())) ++drawn[static_cast<std::size_t>(which)];
  }
  tickets.sync();
  all.all_reduce(std::span<std::int64_t>(drawn), Reduce::sum);
  index_t missing = 0;
  for (int column = 0; column < all.size(); ++column) {
    const int draws = (rounds - column + all.size() - 1) / all.size() * all.size();
    EXPECT_EQ(tickets.load({1, column}), static_cast<T>(draws));
    EXPECT_EQ(tickets.load({0, column}), T{0});
    for (int ticket = 0; ticket < draws; ++ticket) {
      const auto which = static_cast<std::size_t>(ticket * all.size() + column);
      if (which < drawn.size()) missing += std::abs(drawn[which] - 1);
    }
  }
  EXPECT_EQ(missing, 0) << to_string(element_kind<T>());
  tickets.sync();
}

TEST(ArrayElements, all_ranks_draw_from_the_same_counters_at_once) {
  for (const Domain& domain : domains(world())) {
    check_tickets<std::int32_t>(domain);
    check_tickets<std::int64_t>(domain);
    check_tickets<double>(domain);
  }
}

TEST(ArrayElements, exchange_of_all_ranks_at_once_loses_no_value) {
  const Group& all = world();
  for (const Domain& domain : domains(all)) {
    const int rounds = times(all, 300, 40);
    Array<std::int64_t, 1> places(all, {all.size()}, {.name = "tokens", .domain = domain});
    places.store(all.rank(), 0);
    places.sync();
    // 0 comes out of every place first; then every token that was put in comes out once, or stays.
    std::vector<std::int64_t> seen(static_cast<std::size_t>(rounds * all.size() + 1), 0);
    for (int i = 0; i < rounds; ++i) {
      const std::int64_t old = places.exchange(i % all.size(), all.rank() * rounds + i + 1);
      ++seen.at(static_cast<std::size_t>(old));
    }
    places.sync();
    ++seen.at(static_cast<std::size_t>(places.load(all.rank())));
    all.all_reduce(std::span<std::int64_t>(seen), Reduce::sum);
    EXPECT_EQ(seen[0], all.size());
    seen[0] = 1;
    EXPECT_EQ(seen, std::vector<std::int64_t>(seen.size(), 1));
    places.sync();
  }
}

template <class T>
void check_compare_exchange(const Domain& domain) {
  const Group& all = world();
  Random random(9);
  for (const auto& layout : layouts_of<2>(random, {2, 3}, all.size())) {
    SCOPED_TRACE(layout.description());
    Array<T, 2> a(all, layout, {.name = "compared", .domain = domain});
    for_each_local(a, [](const Index<2>&, T& x) { x = T{7}; });
    a.sync();
    if (!has_compare_exchange(all, domain)) {
      T expected = 7;
      const auto text = message_of<UsageError>([&] { a.compare_exchange({1, 2}, expected, 8); });
      EXPECT_NE(text.find("\"compared\""), std::string::npos) << text;
      a.sync();
      EXPECT_EQ(a.load({1, 2}), 7);
      a.sync();
      continue;
    }
    // Counters that nothing else changes.
    const int rounds = times(all, 60, 8);
    index_t failures = 0;
    for (int i = 0; i < rounds; ++i) {
      const Index<2> at(i % 2, i % 3);
      T seen = 0, more = 1;
      while (!a.compare_exchange(at, seen, more)) {
        more = static_cast<T>(seen + 1);
        ++failures;
        sched_yield();
      }
      EXPECT_EQ(seen, more - 1);
      EXPECT_GE(seen, 7);
    }
    EXPECT_GE(failures, rounds);  // none was 0
    a.sync();
    T sum = 0;
    for (const T x : a.get(Patch<2>::whole({2, 3}))) sum += x;
    EXPECT_EQ(sum, 6 * 7 + rounds * all.size()) << to_string(element_kind<T>());
    a.sync();
  }
}

TEST(ArrayElements, compare_exchange_counts_or_is_refused_where_mpi_cannot) {
  for (const Domain& domain : domains(world())) {
    check_compare_exchange<std::int32_t>(domain);
    check_compare_exchange<std::int64_t>(domain);
  }
}

// Plain pointers to all elements on the node, and to none elsewhere.
template <class T, std::size_t N>
void check_addresses(const Layout<N>& layout, const Domain& domain) {
  SCOPED_TRACE(layout.description());
  const Group& all = world();
  Modelled<T, N> m(all, layout, domain);
  const Extents<N> dims = layout.dims();
  int wrong = 0;
  index_t own = 0;
  for (const Index<N>& at : all_indices(dims)) {
    T* place = m.array.address(at);
    const int owner = layout.owner(at);
    if (!all.on_node(owner)) {
      wrong += static_cast<int>(place != nullptr);
      continue;
    }
    if (place == nullptr) {
      ++wrong;
      continue;
    }
    wrong += static_cast<int>(!(*place == m.model[at]));
    if (owner != all.rank()) continue;
    ++own;
    const T* begin = static_cast<const T*>(m.array.core().local_data());
    wrong += static_cast<int>(place < begin || place >= begin + m.array.core().local_shape().size);
  }
  for_each_local(m.array,
                 [&](const Index<N>& at, T& x) { wrong += static_cast<int>(m.array.address(at) != &x); });
  EXPECT_EQ(own, layout.local_size(all.rank()));
  all.sync();
  // Written by somebody on the owner's node, seen by everybody.
  for (const Index<N>& at : all_indices(dims)) {
    const index_t here = number_of(at, dims);
    const int owner = layout.owner(at);
    wrong += static_cast<int>(m.array.owner(at) != owner);
    const auto mates = all.ranks_on_node(all.node_of(owner));
    const T value = number<T>(1000 + here, 2);
    m.model[at] = value;
    const int writer = mates[static_cast<std::size_t>(here) % mates.size()];
    if (writer == all.rank()) *m.array.address(at) = value;
  }
  m.array.sync();
  wrong += m.own_differences();
  wrong += m.differences(m.whole());
  m.array.sync();
  EXPECT_EQ(wrong, 0);
}

TEST(ArrayElements, addresses_are_those_of_all_elements_on_the_node) {
  const Group& all = world();
  Random random(10);
  for (const Domain& domain : domains(all)) {
    for (const auto& layout : layouts_of<2>(random, {9, 8}, all.size()))
      check_addresses<double, 2>(layout, domain);
    for (const auto& layout : layouts_of<3>(random, {3, 5, 4}, all.size()))
      check_addresses<Triple, 3>(layout, domain);
    check_addresses<std::complex<float>, 1>(Layout<1>::blocked({1}, all.size()), domain);
    check_addresses<char, 8>(Layout<8>::blocked({2, 1, 2, 1, 2, 1, 3, 1}, all.size()), domain);
  }
}

TEST(ArrayElements, the_domain_says_who_makes_updates_atomic) {
  const Group& all = world();
  const Index<1> last(all.size() - 1);
  const Path near_path = all.on_node(all.size() - 1) ? Path::node : Path::agent;
  auto atomics_by = [&](const ArrayOptions<1>& options) {
    Array<std::int64_t, 1> a(all, {all.size()}, options);
    a.fetch_add(last, 1);
    const Statistics found = a.statistics();
    a.sync();
    return std::pair{found.of(near_path, Operation::atomic).operations,
                     found.of(Path::window, Operation::atomic).operations};
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  const Pair by_cpu{1, 0}, by_mpi{0, 1};
  EXPECT_EQ(atomics_by({.name = "default"}), by_cpu);
  EXPECT_EQ(atomics_by({.name = "cpu", .domain = AtomicDomain::cpu}), by_cpu);
  const ArrayOptions<1> forced{.name = "mine", .domain = AtomicDomain::mpi};
  if (all.size() == 1 || has_windows()) {
    EXPECT_EQ(atomics_by(forced), all.size() > 1 ? by_mpi : by_cpu);
  } else {
    const auto text = message_of<WindowError>([&] { atomics_by(forced); });
    EXPECT_NE(text.find("mine"), std::string::npos) << text;
  }
  // The parts of a group that are on one node have the choice.
  const Group node = all.split(all.node_of(all.rank()));
  Array<std::int64_t, 1> here(node, {3}, {.domain = AtomicDomain::cpu});
  here.fetch_add(2, 1);
  EXPECT_EQ(here.statistics().of(Path::node, Operation::atomic).operations, 1U);
  here.sync();
  if (all.size() > 1 && all.node_count() == 1) {
    const auto domain = all.rank() == all.size() - 1 ? AtomicDomain::cpu : AtomicDomain::mpi;
    EXPECT_THROW((Array<std::int64_t, 1>(all, {4}, {.name = "torn", .domain = domain})), UsageError);
  }
  all.sync();
}

// Operations and bytes by target, of one kind.
using Counts = std::map<int, std::pair<std::uint64_t, std::uint64_t>>;

Counts counted(const Statistics& statistics, Path path, Operation operation) {
  Counts counts;
  std::pair<std::uint64_t, std::uint64_t> sum{0, 0};
  for (const auto& [rank, table] : statistics.targets) {
    const Traffic& traffic = table[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)];
    if (traffic.operations > 0) counts[rank] = {traffic.operations, traffic.bytes};
    sum.first += traffic.operations, sum.second += traffic.bytes;
  }
  EXPECT_EQ(statistics.of(path, operation).operations, sum.first);
  EXPECT_EQ(statistics.of(path, operation).bytes, sum.second);
  return counts;
}

TEST(ArrayElements, statistics_count_what_each_owner_was_asked_for) {
  const Group& all = world();
  Random random(11);
  for (const auto& layout : layouts_of<2>(random, {8, 9}, all.size())) {
    SCOPED_TRACE(layout.description());
    for (const Domain& domain : domains(all)) {
      Array<double, 2> a(all, layout, {.name = "counted", .domain = domain});
      EXPECT_TRUE(a.statistics().targets.empty());
      for_each_local(a, [](const Index<2>&, double& x) { x = 1; });
      a.sync();
      Counts expected[path_count][operation_count];
      const bool mpi = is_by_mpi(all, domain);
      auto add = [&](int owner, Operation operation, index_t times, index_t bytes) {
        const bool updates = operation == Operation::accumulate || operation == Operation::atomic;
        const Path path = mpi && (updates || !all.on_node(owner)) ? Path::window
                          : all.on_node(owner)                    ? Path::node
                                                                  : Path::agent;
        auto& [operations, sum] =
            expected[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)][owner];
        operations += static_cast<std::uint64_t>(times), sum += static_cast<std::uint64_t>(bytes);
      };
      const Patch<2> patch{{1, 2}, {7, 8}};
      LocalArray<double, 2> local(patch.extents());
      a.put(patch, local);
      a.put_async(patch, local).wait();
      a.get(patch, local);
      a.acc(patch, local);
      a.acc_max(patch, local);
      for (const auto& part : layout.locate(patch)) {
        add(part.rank, Operation::put, 2, 2 * 8 * part.patch.size());
        add(part.rank, Operation::get, 1, 8 * part.patch.size());
        add(part.rank, Operation::accumulate, 2, 2 * 8 * part.patch.size());
      }
      // Many single elements: the ones whose time is taken are counted once as well.
      LocalArray<double, 2> one({1, 1});
      for (int i = 0; i < 150; ++i) {
        const Index<2> at(i % 8, i % 9);
        const int owner = layout.owner(at);
        a.store(at, i);
        static_cast<void>(a.load(at));
        a.put(Patch<2>::inclusive(at, at), one);
        add(owner, Operation::put, 2, 16);
        add(owner, Operation::get, 1, 8);
        if (i % 10 != 0) continue;
        a.fetch_add(at, 1);
        a.exchange(at, 1);
        add(owner, Operation::atomic, 2, 16);
      }
      a.sync();
      for (const Path path : {Path::node, Path::window, Path::agent}) {
        for (const Operation operation :
             {Operation::put, Operation::get, Operation::accumulate, Operation::atomic})
          EXPECT_EQ(counted(a.statistics(), path, operation),
                    expected[static_cast<std::size_t>(path)][static_cast<std::size_t>(operation)])
              << to_string(path) << " " << to_string(operation);
      }
      // Lists count their bytes; a duplicate accumulates in the same domain.
      Array<double, 2> other = a.duplicate("lists");
      const std::vector<Index<2>> at(20, Index<2>(7, 8));
      std::vector<double> values(20);
      other.gather(at, values);
      const Statistics found = other.statistics();
      const bool near = all.on_node(layout.owner({7, 8}));
      const Path by = near ? Path::node : mpi ? Path::window : Path::agent;
      EXPECT_EQ(found.of(by, Operation::get).bytes, 160U);
      EXPECT_EQ(found.targets.size(), 1U);
      EXPECT_TRUE(found.targets.contains(layout.owner({7, 8})));
      other.acc(Patch<2>({7, 8}, {8, 9}), one);
      EXPECT_EQ(other.statistics().of(mpi ? Path::window : by, Operation::accumulate).operations, 1U);
      all.sync();
    }
  }
}

}  // namespace
