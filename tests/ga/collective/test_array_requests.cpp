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

// Transfers of patches that the program waits for later.
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

// Starts updates of random patches, which may overlap, if this rank writes. Every rank updates its model.
template <class T, std::size_t N>
std::vector<Transfer<T, N>> start_updates(Modelled<T, N>& m, Random& random, bool writes) {
  std::vector<Transfer<T, N>> sent;
  for (int i = 0; i < 6; ++i) {
    const Patch<N> patch = random_patch(random, m.dims());
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
  return sent;
}

// Ends transfers in another order and in every possible way.
template <class T, std::size_t N>
void end_updates(std::vector<Transfer<T, N>>& sent, Random& random) {
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
    if (&t != &sent.front()) std::fill(t.buffer.storage.begin(), t.buffer.storage.end(), number<T>(-999, -999));
  }
  sent.front().request.wait();
}

// Reads random patches with requests that end in another order, or with a flush.
template <class T, std::size_t N>
void compare_reads(Comparison& compared, Modelled<T, N>& m, Random& own, bool detaches) {
  std::vector<Transfer<T, N>> got;
  for (int i = 0; i < 5; ++i) {
    const Patch<N> patch = random_patch(own, m.dims());
    Transfer<T, N>& t = got.emplace_back(Transfer<T, N>{patch, random_buffer<T, N>(own, patch.extents()), {}});
    t.request = m.array.get_async(patch, t.buffer.view);
  }
  std::shuffle(got.begin(), got.end(), own);
  for (Transfer<T, N>& t : got) {
    if (detaches) {
      std::move(t.request).detach();
      continue;
    }
    t.request.wait();
    EXPECT_TRUE(t.request.test());
    m.compare(compared, t.patch, t.buffer.view);
  }
  if (!detaches) return;
  m.array.flush();
  for (const Transfer<T, N>& t : got) m.compare(compared, t.patch, t.buffer.view);
}

// One rank writes. Then every rank reads.
template <class T, std::size_t N>
void check_requests(const Group& group, const Layout<N>& layout, const Domain& domain, std::uint64_t seed,
                    int rounds) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(seed);
  Comparison compared;
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, group.size() - 1));
    const bool writes = writer == group.rank();
    auto sent = start_updates(m, random, writes);
    if (writes && round % 2 == 0) m.compare(compared, m.whole());  // sees all of them, complete or not
    end_updates(sent, random);
    m.array.sync();
    m.compare_local(compared);
    Random own(random() + static_cast<std::uint64_t>(group.rank()));
    compare_reads(compared, m, own, round % 3 == 0);
    m.array.sync();
  }
  EXPECT_TRUE(compared.equal());
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

TEST(ArrayRequests, random_patches_agree_with_a_model_in_1_to_8_dimensions) {
  const Group& all = world();
  check_requests<double, 1>(all, {61}, 4);
  check_requests<double, 2>(all, {9, 11}, 4);
  check_requests<double, 3>(all, {5, 4, 6}, 3);
  check_requests<double, 4>(all, {3, 4, 2, 4}, 2);
  check_requests<double, 8>(all, {2, 2, 1, 2, 1, 3, 2, 2}, 2);
}

TEST(ArrayRequests, random_patches_agree_with_a_model_for_every_type) {
  const Group& all = world();
  check_requests<std::int32_t, 2>(all, {9, 11}, 2);
  check_requests<std::int64_t, 3>(all, {3, 4, 5}, 2);
  check_requests<float, 1>(all, {50}, 2);
  check_requests<std::complex<float>, 2>(all, {8, 7}, 2);
  check_requests<std::complex<double>, 2>(all, {7, 8}, 2);
  check_requests<Triple, 2>(all, {7, 8}, 2);
}

TEST(ArrayRequests, arrays_may_be_small_or_on_a_part_of_the_ranks) {
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
TEST(ArrayRequests, hundreds_may_be_outstanding_at_once) {
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
  Comparison compared;
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) compared(std::pair(i, j), 3 * values(i, j), found(i, j));
  }
  a.sync();
  // Also check at the owners, which hold columns.
  compare_local(compared, a, [](const Index<2>& at) {
    return 3 * (100000 * (at[0] / rows) + at[0] % rows * columns + at[1]);
  });
  EXPECT_TRUE(compared.equal());
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
  EXPECT_TRUE(m.local_equal());
  Request nothing = m.array.put_async({{3, 3}, {3, 9}}, LocalArray<double, 2>({0, 6}));
  EXPECT_TRUE(nothing.test());
  m.array.close();
  EXPECT_THROW(m.array.put_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.get_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.acc_async({{0, 0}, {10, 20}}, local).wait(), UsageError);
  EXPECT_THROW(m.array.acc_max({{0, 0}, {10, 20}}, local), UsageError);
}

}  // namespace
