// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <sched.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "onesided_model.hpp"

// What one process does to patches of an array, beyond put, get and acc. Single elements are in
// test_array_elements.cpp and lists in test_array_lists.cpp.
namespace {

using namespace tessera;
using namespace tessera::test;

// A transfer in flight with its local memory.
template <class T, std::size_t N>
struct Transfer {
  Patch<N> patch;
  RandomBuffer<T, N> buffer;
  Request request;
};

// One rank starts transfers to random patches, which may overlap. It ends them in another order and in every
// possible way. Then every rank reads in the same manner.
template <class T, std::size_t N>
void check_requests(const Group& group, const Layout<N>& layout, const Domain& domain, std::uint64_t seed,
                    int rounds) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(seed);
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, group.size() - 1));
    const bool writes = writer == group.rank();
    std::vector<Transfer<T, N>> sent;
    for (int i = 0; i < 6; ++i) {
      const Patch<N> patch = random_patch(random, layout.dims());
      Transfer<T, N>& t =
          sent.emplace_back(Transfer<T, N>{patch, random_buffer<T, N>(random, patch.extents()), {}});
      const View<T, N>& view = t.buffer.view;
      const bool accumulates = Arithmetic<T> && pick(random, 0, 1) == 1;
      const index_t factor = pick(random, -2, 2);
      if constexpr (Arithmetic<T>) {
        const T alpha = number<T>(factor, 1);
        if (accumulates && writes) t.request = m.array.acc_async(patch, view, alpha);
        if (accumulates)
          for_each_index(patch, [&](const Index<N>& x) { m.model[x] += alpha * view[minus(x, patch.lo)]; });
      }
      if (!accumulates) {
        if (writes) t.request = m.array.put_async(patch, view);
        for_each_index(patch, [&](const Index<N>& x) { m.model[x] = view[minus(x, patch.lo)]; });
      }
    }
    if (writes && round % 2 == 0) wrong += m.differences(m.whole());  // sees all of them, complete or not
    std::shuffle(sent.begin(), sent.end(), random);
    for (Transfer<T, N>& t : sent) {
      const index_t how = pick(random, 0, 4);
      const bool joins = how == 3 && &t != &sent.front();
      if (how == 1) std::move(t.request).detach();
      if (joins) sent.front().request += std::move(t.request);
      if (how == 1 || joins) continue;
      while (how == 2 && !t.request.test()) sched_yield();
      if (how == 4) t.request = Request();
      t.request.wait();
      // Its memory is ours again. The first one's memory is not, if another transfer was joined to it.
      if (&t != &sent.front())
        std::fill(t.buffer.storage.begin(), t.buffer.storage.end(), number<T>(-999, -999));
    }
    sent.front().request.wait();
    m.array.sync();
    wrong += m.own_differences();

    Random own(random() + static_cast<std::uint64_t>(group.rank()));
    std::vector<Transfer<T, N>> got;
    for (int i = 0; i < 5; ++i) {
      const Patch<N> patch = random_patch(own, layout.dims());
      Transfer<T, N>& t =
          got.emplace_back(Transfer<T, N>{patch, random_buffer<T, N>(own, patch.extents()), {}});
      t.request = m.array.get_async(patch, t.buffer.view);
    }
    std::shuffle(got.begin(), got.end(), own);
    const bool detaches = round % 3 == 0;
    for (Transfer<T, N>& t : got) {
      if (detaches) {
        std::move(t.request).detach();
        continue;
      }
      t.request.wait();
      EXPECT_TRUE(t.request.test());
      wrong += m.differences(t.patch, t.buffer.view);
    }
    if (detaches) {
      m.array.flush();
      for (const Transfer<T, N>& t : got) wrong += m.differences(t.patch, t.buffer.view);
    }
    m.array.sync();
  }
  EXPECT_EQ(wrong, 0);
}

template <class T, std::size_t N>
void check_requests(const Group& group, const Extents<N>& dims, int rounds) {
  Random random(4000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    const std::uint64_t seed = random();
    for (const Domain& domain : domains(group))
      check_requests<T, N>(group, layout, domain, seed, rounds_of(group, rounds));
  }
}

TEST(ArrayRequests, random_patches_in_1_to_8_dimensions) {
  const Group& all = world();
  check_requests<double, 1>(all, {61}, 4);
  check_requests<double, 2>(all, {9, 11}, 4);
  check_requests<double, 3>(all, {5, 4, 6}, 3);
  check_requests<double, 4>(all, {3, 4, 2, 4}, 2);
  check_requests<double, 8>(all, {2, 2, 1, 2, 1, 3, 2, 2}, 2);
}

TEST(ArrayRequests, random_patches_of_other_types) {
  const Group& all = world();
  check_requests<std::int32_t, 2>(all, {9, 11}, 2);
  check_requests<std::int64_t, 3>(all, {3, 4, 5}, 2);
  check_requests<float, 1>(all, {50}, 2);
  check_requests<std::complex<float>, 2>(all, {8, 7}, 2);
  check_requests<std::complex<double>, 2>(all, {7, 8}, 2);
  check_requests<Triple, 2>(all, {7, 8}, 2);
}

TEST(ArrayRequests, on_small_arrays_and_on_a_part_of_the_ranks) {
  const Group& all = world();
  check_requests<double, 1>(all, {1}, 2);
  check_requests<std::complex<double>, 2>(all, {1, 2}, 2);
  check_requests<double, 2>(all, {5, 0}, 2);
  const Group part = all.split(all.rank() % 2, -all.rank());
  check_requests<double, 2>(part, {6, 8}, 2);
  check_requests<std::int64_t, 1>(part, {2}, 2);
  all.sync();
}

// Rows of the whole array, so that each transfer has several owners, all in flight at once.
TEST(ArrayRequests, hundreds_outstanding_at_once) {
  const Group& all = world();
  constexpr index_t rows = 300, columns = 12;
  const auto layout =
      Layout<2>::blocked({rows * all.size(), columns}, all.size(), {.grid = Extents<2>{1, all.size()}});
  Array<std::int64_t, 2> a(all, layout, {.name = "outstanding"});
  const index_t begin = rows * all.rank();
  auto row = [&](index_t i) { return Patch<2>{{begin + i, 0}, {begin + i + 1, columns}}; };
  LocalArray<std::int64_t, 2> values({rows, columns}), found({rows, columns});
  std::iota(values.begin(), values.end(), 100000 * all.rank());
  auto line = [](LocalArray<std::int64_t, 2>& of, index_t i) {
    return of.view().subview({{i, 0}, {i + 1, columns}});
  };
  std::vector<Request> requests;
  for (index_t i = 0; i < rows; ++i) requests.push_back(a.put_async(row(i), line(values, i)));
  std::reverse(requests.begin(), requests.end());
  wait_all(requests);
  for (Request& request : requests) EXPECT_TRUE(request.test());
  requests.clear();
  for (index_t i = 0; i < rows; ++i) requests.push_back(a.acc_async(row(i), line(values, i), 2));
  wait_all(requests);
  requests.clear();
  for (index_t i = 0; i < rows; ++i) requests.push_back(a.get_async(row(i), line(found, i)));
  wait_all(requests);
  int wrong = 0;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) wrong += static_cast<int>(found(i, j) != 3 * values(i, j));
  }
  a.sync();
  // Also check at the owners, which hold columns.
  for_each_local(a, [&](const Index<2>& at, std::int64_t& x) {
    wrong += static_cast<int>(x != 3 * (100000 * (at[0] / rows) + at[0] % rows * columns + at[1]));
  });
  EXPECT_EQ(wrong, 0);
  a.sync();
}

TEST(ArrayRequests, detached_ones_are_completed_by_flush_sync_and_close) {
  const Group& all = world();
  const index_t n = 40;
  const int next = (all.rank() + 1) % all.size(), previous = (all.rank() + all.size() - 1) % all.size();
  Array<double, 2> a(all, {all.size(), n}, {.name = "detached"});
  Array<double, 2> closing(all, {all.size(), n}, {.name = "closing"});
  auto row = [&](int i) { return Patch<2>{{i, 0}, {i + 1, n}}; };
  LocalArray<double, 2> sent({1, n}), found({1, n}), last({1, n});
  auto all_are = [](const LocalArray<double, 2>& list, double value) {
    return std::all_of(list.begin(), list.end(), [&](double x) { return x == value; });
  };
  std::fill(sent.begin(), sent.end(), 1.0 + all.rank());
  a.put_async(row(next), sent).detach();
  closing.put_async(row(next), sent).detach();
  a.flush();
  all.barrier();
  a.get_async(row(all.rank()), found).detach();
  a.flush();
  EXPECT_TRUE(all_are(found, 1.0 + previous));
  a.sync();
  a.acc_async(row(next), sent, 10).detach();
  a.sync();
  a.get_async(row(all.rank()), found).detach();
  a.sync();
  EXPECT_TRUE(all_are(found, 11.0 * (1.0 + previous)));
  closing.sync();
  closing.get_async(row(all.rank()), last).detach();
  closing.close();
  EXPECT_TRUE(all_are(last, 1.0 + previous));
}

TEST(ArrayRequests, bad_patches_are_refused_at_once) {
  const Group& all = world();
  Modelled<double, 2> m(all, Layout<2>::blocked({10, 20}, all.size()));
  LocalArray<double, 2> local({10, 20});
  const Patch<2> beyond{{0, 5}, {10, 25}}, part{{0, 0}, {10, 19}};
  for (const Patch<2>& patch : {beyond, part}) {
    for (const auto& text : {message_of<UsageError>([&] { m.array.put_async(patch, local).wait(); }),
                             message_of<UsageError>([&] { m.array.get_async(patch, local).wait(); }),
                             message_of<UsageError>([&] { m.array.acc_async(patch, local).wait(); }),
                             message_of<UsageError>([&] { m.array.acc_min(patch, local); }),
                             message_of<UsageError>([&] { m.array.acc_max(patch, local); })}) {
      EXPECT_NE(text.find("\"modelled\""), std::string::npos) << text;
      EXPECT_NE(text.find("10 x 20"), std::string::npos) << text;
    }
  }
  m.array.sync();
  EXPECT_EQ(m.own_differences(), 0);
  Request nothing = m.array.put_async({{3, 3}, {3, 9}}, LocalArray<double, 2>({0, 6}));
  EXPECT_TRUE(nothing.test());
  m.array.close();
  EXPECT_THROW(m.array.put_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.get_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.acc_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.acc_max({{0, 0}, {10, 20}}, local), UsageError);
}

// One rank after another updates with the minimum or the maximum.
template <class T, std::size_t N>
void check_extremes(const Group& group, const Layout<N>& layout, const Domain& domain, std::uint64_t seed) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(seed);
  int wrong = 0;
  const int rounds = rounds_of(group, 4);
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, group.size() - 1));
    for (int i = 0; i < 4; ++i) {
      const Patch<N> patch = random_patch(random, layout.dims());
      const auto buffer = random_buffer<T, N>(random, patch.extents());
      const bool least = pick(random, 0, 1) == 1;
      if (writer == group.rank())
        least ? m.array.acc_min(patch, buffer.view) : m.array.acc_max(patch, buffer.view);
      for_each_index(patch, [&](const Index<N>& x) {
        const T value = buffer.view[minus(x, patch.lo)];
        m.model[x] = least ? std::min(m.model[x], value) : std::max(m.model[x], value);
      });
      if (writer == group.rank()) wrong += m.differences(patch);
    }
    m.array.sync();
    wrong += m.own_differences();
    m.array.sync();
  }
  EXPECT_EQ(wrong, 0) << to_string(element_kind<T>());
}

template <class T, std::size_t N>
void check_extremes(const Group& group, const Extents<N>& dims) {
  Random random(5000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    const std::uint64_t seed = random();
    for (const Domain& domain : domains(group)) check_extremes<T, N>(group, layout, domain, seed);
  }
}

TEST(ArrayExtremes, random_patches_of_every_real_type) {
  const Group& all = world();
  check_extremes<std::int32_t, 2>(all, {8, 11});
  check_extremes<std::int64_t, 3>(all, {4, 3, 6});
  check_extremes<float, 1>(all, {70});
  check_extremes<double, 2>(all, {11, 8});
  check_extremes<double, 8>(all, {2, 1, 2, 2, 1, 2, 3, 2});
  check_extremes<double, 1>(all, {1});
}

// All ranks update the same elements at once with the maximum and the minimum, by patch and by element.
template <class T>
void check_contended_extremes(const Layout<2>& layout, const Domain& domain) {
  SCOPED_TRACE(layout.description());
  const Group& all = world();
  Modelled<T, 2> high(all, layout, domain), low(all, layout, domain);
  const Extents<2> dims = layout.dims();
  Random random(60 + static_cast<std::uint64_t>(all.rank()));
  const int rounds = rounds_of(all, times(all, 60, 10));
  for (int round = 0; round < rounds; ++round) {
    const Patch<2> patch = random_patch(random, dims);
    const auto buffer = random_buffer<T, 2>(random, patch.extents());
    high.array.acc_max(patch, buffer.view);
    low.array.acc_min(patch, buffer.view);
    const Index<2> at = random_index(random, dims);
    const auto value = number<T>(pick(random, -150, 150));
    const T before = high.array.fetch_op(at, Update::max, value), after = high.array.load(at);
    EXPECT_GE(after, std::max(before, value));  // it only rises
    EXPECT_LE(low.array.fetch_op(at, Update::min, value), number<T>(number_of(at, dims)));
    high.model[at] = std::max(high.model[at], value);
    low.model[at] = std::min(low.model[at], value);
    for_each_index(patch, [&](const Index<2>& x) {
      const T mine = buffer.view[minus(x, patch.lo)];
      high.model[x] = std::max(high.model[x], mine);
      low.model[x] = std::min(low.model[x], mine);
    });
  }
  high.array.sync();
  low.array.sync();
  const auto size = static_cast<std::size_t>(dims.size());
  all.all_reduce(std::span<T>(high.model.data(), size), Reduce::max);
  all.all_reduce(std::span<T>(low.model.data(), size), Reduce::min);
  EXPECT_EQ(high.own_differences(), 0) << to_string(element_kind<T>());
  EXPECT_EQ(low.own_differences(), 0) << to_string(element_kind<T>());
  all.sync();
}

TEST(ArrayExtremes, all_ranks_take_the_extremes_of_the_same_elements_at_once) {
  const Group& all = world();
  for (const Domain& domain : domains(all)) {
    check_contended_extremes<std::int64_t>(Layout<2>::blocked({6, 9}, all.size()), domain);
    check_contended_extremes<double>(Layout<2>::block_cyclic({6, 9}, {2, 2}, {.shape = {all.size(), 1}}),
                                     domain);
    check_contended_extremes<std::int32_t>(
        Layout<2>::blocked({1, 3}, all.size()).with_storage(StorageOrder::column_major), domain);
  }
}

// A message goes round. The rank that has it writes a patch of any owners and notifies the next rank. The next
// rank finds everything that was written so far, its own elements in memory too.
TEST(ArrayFlags, put_notify_goes_round_over_patches_of_several_owners) {
  const Group& all = world();
  Random random(71);
  for (const auto& layout : layouts_of<2>(random, {10, 12}, all.size())) {
    SCOPED_TRACE(layout.description());
    for (const Domain& domain : domains(all)) {
      Modelled<double, 2> m(all, layout, domain);
      Flags flags(all, 2, "turn");
      int wrong = 0;
      const int rounds = rounds_of(all, times(all, 10, 4));
      for (int step = 0; step < rounds * all.size(); ++step) {
        const int writer = step % all.size(), reader = (step + 1) % all.size();
        const Patch<2> patch = step % 5 == 0 ? m.whole() : random_patch(random, layout.dims());
        auto buffer = random_buffer<double, 2>(random, patch.extents());
        for_each_index(patch, [&](const Index<2>& x) { m.model[x] = buffer.view[minus(x, patch.lo)]; });
        if (all.rank() == writer) {
          m.array.put_notify(patch, buffer.view, flags.at(reader, step % 2));
          std::fill(buffer.storage.begin(), buffer.storage.end(), -999.0);
        }
        if (all.rank() == reader) {
          flags.wait(step % 2);
          wrong += m.own_differences();
          wrong += m.differences(m.whole());
        }
      }
      EXPECT_EQ(wrong, 0);
      EXPECT_FALSE(flags.test(0));
      EXPECT_FALSE(flags.test(1));
      all.sync();
    }
  }
}

TEST(ArrayFlags, put_notify_of_everybody_to_one) {
  const Group& all = world();
  const int last = all.size() - 1;
  constexpr index_t columns = 50;
  // Every row has all ranks as owners. The waiting rank owns one column block of each row.
  Array<std::int64_t, 2> a(
      all, Layout<2>::blocked({all.size(), columns}, all.size(), {.grid = Extents<2>{1, all.size()}}),
      {.name = "rows"});
  Flags arrived(all, 1);
  for (int round = 0; round < 5; ++round) {
    LocalArray<std::int64_t, 2> row({1, columns});
    std::iota(row.begin(), row.end(), 1000 * round + 100 * all.rank());
    a.put_notify({{all.rank(), 0}, {all.rank() + 1, columns}}, row, arrived.at(last, 0));
    if (all.rank() == last) {
      arrived.wait(0, all.size());
      int wrong = 0;
      const auto found = a.get(Patch<2>::whole(a.dims()));
      for_each_index(Patch<2>::whole(a.dims()), [&](const Index<2>& at) {
        wrong += static_cast<int>(found[at] != 1000 * round + 100 * at[0] + at[1]);
      });
      EXPECT_EQ(wrong, 0);
    }
    all.barrier();
  }
  EXPECT_FALSE(arrived.test(0));
  a.sync();
}

// Large enough to be in flight for a while, and packed on the way.
TEST(ArrayFlags, put_notify_of_large_patches_that_are_stored_across) {
  const Group& all = world();
  const index_t rows = 300, columns = 500;
  const int me = all.rank(), next = (me + 1) % all.size();
  Array<double, 2> a(all,
                     Layout<2>::blocked({rows, columns}, all.size()).with_storage(StorageOrder::column_major),
                     {.name = "large"});
  Flags turn(all, 1);
  LocalArray<double, 2> sent({rows, columns}), found({rows, columns});
  for (int step = 0; step < 4 * all.size(); ++step) {
    auto value = [&](index_t i) { return static_cast<double>(1000000 * step + i); };
    if (step % all.size() == me) {
      for (index_t i = 0; i < sent.size(); ++i) sent.data()[i] = value(i);
      a.put_notify(Patch<2>::whole(a.dims()), sent, turn.at(next, 0));
      std::fill(sent.begin(), sent.end(), -1.0);
    }
    if ((step + 1) % all.size() != me) continue;
    turn.wait(0);
    int wrong = 0;
    for_each_local(a, [&](const Index<2>& at, double& x) {
      wrong += static_cast<int>(x != value(number_of(at, a.dims())));
    });
    a.get(Patch<2>::whole(a.dims()), found);
    for (index_t i = 0; i < found.size(); ++i) wrong += static_cast<int>(found.data()[i] != value(i));
    EXPECT_EQ(wrong, 0) << step;
  }
  a.sync();
}

TEST(ArrayFlags, put_notify_of_nothing_notifies_and_a_refused_one_does_not) {
  const Group& all = world();
  Modelled<double, 2> m(all, Layout<2>::blocked({4, 6}, all.size()));
  Flags flags(all, 2);
  LocalArray<double, 2> local({4, 6});
  const int next = (all.rank() + 1) % all.size();
  const auto text = message_of<UsageError>([&] {
    m.array.put_notify({{0, 1}, {4, 7}}, local, flags.at(next, 1));
  });
  EXPECT_NE(text.find("\"modelled\""), std::string::npos) << text;
  EXPECT_THROW(m.array.put_notify({{0, 0}, {4, 5}}, local, flags.at(next, 1)), UsageError);
  m.array.put_notify({{2, 3}, {2, 5}}, LocalArray<double, 2>({0, 2}), flags.at(next, 0));
  flags.wait(0);
  const Patch<2> nothing{{0, 0}, {0, 0}};
  EXPECT_THROW(m.array.put_notify(nothing, LocalArray<double, 2>({0, 0}), flags.at(next, 2)), UsageError);
  EXPECT_THROW(m.array.put_notify(nothing, LocalArray<double, 2>({0, 0}), flags.at(all.size(), 0)), UsageError);
  all.sync();
  EXPECT_FALSE(flags.test(0));
  EXPECT_FALSE(flags.test(1));
  EXPECT_EQ(m.own_differences(), 0);
  all.sync();
}

}  // namespace
