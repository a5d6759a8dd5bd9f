// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "onesided_model.hpp"

// Elements that all ranks update at once, elements accessed as plain memory, the domains of atomicity, and the
// operations that statistics count.
namespace {

using namespace tessera;
using namespace tessera::test;

// Each ticket is drawn exactly once; the ranks draw from every owner in turn.
template <class T>
void check_tickets(const Domain& domain) {
  const Group& all = world();
  const int rounds = rounds_in_time(all, times(all, 300, 40));
  Array<T, 2> tickets(all, {2, all.size()}, {.name = "tickets", .domain = domain});
  for_each_local(tickets, [](const Index<2>&, T& x) { x = T{0}; });
  tickets.sync();
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(all.size() * rounds), 0);
  for (int i = 0; i < rounds; ++i) {
    const int column = i % all.size();
    const T ticket = tickets.fetch_add({1, column}, 1);
    // A column has as many tickets as rounds draw from it, times the number of ranks.
    const auto which = static_cast<index_t>(ticket) * all.size() + column;
    EXPECT_LT(which, all.size() * (rounds + all.size())) << to_string(element_kind<T>());
    if (which < static_cast<index_t>(drawn.size())) ++drawn[static_cast<std::size_t>(which)];
  }
  tickets.sync();
  all.all_reduce(std::span<std::int64_t>(drawn), Reduce::sum);
  Comparison compared;
  for (int column = 0; column < all.size(); ++column) {
    const int draws = (rounds - column + all.size() - 1) / all.size() * all.size();
    EXPECT_EQ(tickets.load({1, column}), static_cast<T>(draws));
    EXPECT_EQ(tickets.load({0, column}), T{0});
    for (int ticket = 0; ticket < draws; ++ticket) {
      const auto which = static_cast<std::size_t>(ticket * all.size() + column);
      if (which < drawn.size()) compared(std::pair(column, ticket), 1, drawn[which]);
    }
  }
  EXPECT_TRUE(compared.equal()) << to_string(element_kind<T>());
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
    const int rounds = rounds_in_time(all, times(all, 300, 40));
    Array<std::int64_t, 1> places(all, {all.size()}, {.name = "tokens", .domain = domain});
    places.store(all.rank(), 0);
    places.sync();
    // Each place first gives back 0. Then each token that was put in comes out once, or stays.
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
    const int rounds = rounds_in_time(all, times(all, 60, 8));
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

// On the owner's node, elements have plain pointers; elsewhere they have none.
template <class T, std::size_t N>
void check_addresses(const Layout<N>& layout, const Domain& domain) {
  SCOPED_TRACE(layout.description());
  const Group& all = world();
  Modelled<T, N> m(all, layout, domain);
  const Extents<N> dims = layout.dims();
  Comparison places, elements, owners;
  // A pointer to characters would be printed as a text.
  auto plain = [](const T* place) { return static_cast<const void*>(place); };
  index_t own = 0;
  for (const Index<N>& at : all_indices(dims)) {
    T* place = m.array.address(at);
    const int owner = layout.owner(at);
    if (!all.on_node(owner)) {
      places.check(place == nullptr, at, "no pointer", plain(place));
      continue;
    }
    places.check(place != nullptr, at, "a pointer", plain(place));
    if (place == nullptr) continue;
    elements(at, m.model[at], *place);
    if (owner != all.rank()) continue;
    ++own;
    const T* begin = static_cast<const T*>(m.array.core().local_data());
    const index_t size = m.array.core().local_shape().size;
    places.check(place >= begin && place < begin + size, at, "memory of this rank", plain(place));
  }
  for_each_local(m.array, [&](const Index<N>& at, T& x) { places(at, plain(&x), plain(m.array.address(at))); });
  EXPECT_EQ(own, layout.local_size(all.rank()));
  all.sync();
  // A rank on the owner's node writes, and every rank sees it.
  for (const Index<N>& at : all_indices(dims)) {
    const index_t here = number_of(at, dims);
    const int owner = layout.owner(at);
    owners(at, owner, m.array.owner(at));
    const auto mates = all.ranks_on_node(all.node_of(owner));
    const T value = number<T>(1000 + here, 2);
    m.model[at] = value;
    const int writer = mates[static_cast<std::size_t>(here) % mates.size()];
    if (writer == all.rank()) *m.array.address(at) = value;
  }
  m.array.sync();
  m.compare_local(elements);
  m.compare(elements, m.whole());
  m.array.sync();
  EXPECT_TRUE(places.equal());
  EXPECT_TRUE(elements.equal());
  EXPECT_TRUE(owners.equal());
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
  if (all.node_count() == 1 || has_windows()) {
    EXPECT_EQ(atomics_by(forced), all.node_count() > 1 ? by_mpi : by_cpu);
  } else {
    const auto text = message_of<WindowError>([&] { atomics_by(forced); });
    EXPECT_NE(text.find("mine"), std::string::npos) << text;
  }
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

// Operations and bytes of one kind, by target.
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

Counts together(Counts counts, const Counts& more) {
  for (const auto& [rank, count] : more) counts[rank].first += count.first, counts[rank].second += count.second;
  return counts;
}

// What the statistics of an array should count.
class ExpectedCounts {
 public:
  explicit ExpectedCounts(bool by_mpi) : by_mpi_(by_mpi) {}

  Path path(int owner, Operation operation) const {
    const bool updates = operation == Operation::accumulate || operation == Operation::atomic;
    const bool near = world().on_node(owner);
    if (by_mpi_) return near && !updates ? Path::node : Path::window;
    return near ? Path::node : updates ? Path::agent : moves_by();
  }
  void add(int owner, Operation operation, index_t operations, index_t bytes) {
    auto& [count, sum] = table_[at(path(owner, operation), operation)][owner];
    count += static_cast<std::uint64_t>(operations), sum += static_cast<std::uint64_t>(bytes);
  }
  const Counts& of(Path path, Operation operation) { return table_[at(path, operation)]; }

 private:
  static std::pair<Path, Operation> at(Path path, Operation operation) { return {path, operation}; }

  bool by_mpi_;
  std::map<std::pair<Path, Operation>, Counts> table_;
};

// Patches and single elements.
void transfer_and_update(Array<double, 2>& a, ExpectedCounts& expected) {
  const Layout<2> layout = a.layout();
  const Patch<2> patch{{1, 2}, {7, 8}};
  LocalArray<double, 2> local(patch.extents());
  a.put(patch, local);
  a.put_async(patch, local).wait();
  a.get(patch, local);
  a.acc(patch, local);
  a.acc_max(patch, local);
  for (const auto& part : layout.locate(patch)) {
    expected.add(part.rank, Operation::put, 2, 2 * 8 * part.patch.size());
    expected.add(part.rank, Operation::get, 1, 8 * part.patch.size());
    expected.add(part.rank, Operation::accumulate, 2, 2 * 8 * part.patch.size());
  }
  // Many single elements: an operation whose time is measured is counted only once, too.
  LocalArray<double, 2> one({1, 1});
  for (int i = 0; i < 150; ++i) {
    const Index<2> at(i % 8, i % 9);
    const int owner = layout.owner(at);
    a.store(at, i);
    static_cast<void>(a.load(at));
    a.put(Patch<2>::inclusive(at, at), one);
    expected.add(owner, Operation::put, 2, 16);
    expected.add(owner, Operation::get, 1, 8);
    if (i % 10 != 0) continue;
    a.fetch_add(at, 1);
    a.exchange(at, 1);
    expected.add(owner, Operation::atomic, 2, 16);
  }
  a.sync();
}

// The tests use the method packed unless told otherwise. With others a put or get may go either way.
bool may_go_either_way() {
  const char* method = std::getenv("TESSERA_METHOD");
  return method != nullptr && std::string_view(method) != "packed";
}

void expect_counts(const Statistics& statistics, ExpectedCounts& expected) {
  for (const Operation operation : {Operation::put, Operation::get, Operation::accumulate, Operation::atomic}) {
    auto found = [&](Path path) { return counted(statistics, path, operation); };
    auto wanted = [&](Path path) { return expected.of(path, operation); };
    EXPECT_EQ(found(Path::node), wanted(Path::node)) << to_string(operation);
    EXPECT_EQ(together(found(Path::window), found(Path::agent)),
              together(wanted(Path::window), wanted(Path::agent)))
        << to_string(operation);
    if (may_go_either_way()) continue;
    EXPECT_EQ(found(Path::window), wanted(Path::window)) << to_string(operation);
  }
}

// Lists count their bytes. Twenty times the last of 8 x 9 elements.
void expect_bytes_of_a_list(const Array<double, 2>& a, const ExpectedCounts& expected) {
  const int owner = a.layout().owner({7, 8});
  const std::vector<Index<2>> at(20, Index<2>(7, 8));
  std::vector<double> values(20);
  a.gather(at, values);
  const Statistics found = a.statistics();
  if (may_go_either_way() && !world().on_node(owner))
    EXPECT_EQ(found.of(Path::window, Operation::get).bytes + found.of(Path::agent, Operation::get).bytes, 160U);
  else
    EXPECT_EQ(found.of(expected.path(owner, Operation::get), Operation::get).bytes, 160U);
  EXPECT_EQ(found.targets.size(), 1U);
  EXPECT_TRUE(found.targets.contains(owner));
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
      ExpectedCounts expected(is_by_mpi(all, domain));
      transfer_and_update(a, expected);
      expect_counts(a.statistics(), expected);
      Array<double, 2> other = a.duplicate("lists");
      expect_bytes_of_a_list(other, expected);
      // A duplicate accumulates in the same domain.
      other.acc(Patch<2>({7, 8}, {8, 9}), LocalArray<double, 2>({1, 1}));
      const Path by = expected.path(layout.owner({7, 8}), Operation::accumulate);
      EXPECT_EQ(other.statistics().of(by, Operation::accumulate).operations, 1U);
      all.sync();
    }
  }
}

}  // namespace
