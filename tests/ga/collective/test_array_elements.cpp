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

// Single elements of arrays: transfers, updates, and refused calls.
namespace {

using namespace tessera;
using namespace tessera::test;

// The positions that only `rank` works on, if there are any.
template <std::size_t N>
std::vector<Index<N>> share_of(int rank, int ranks, const Extents<N>& dims) {
  std::vector<Index<N>> list;
  for (const Index<N>& at : all_indices(dims)) {
    if (number_of(at, dims) % ranks == rank) list.push_back(at);
  }
  return list;
}

// Random operations on single elements. What they return is compared with the model.
template <class T, std::size_t N>
class ElementOperations {
 public:
  ElementOperations(const Group& group, const Layout<N>& layout, const Domain& domain)
      : m(group, layout, domain),
        random_(80 + static_cast<std::uint64_t>(group.rank())),
        has_compare_exchange_(has_compare_exchange(group, domain)) {}

  Modelled<T, N> m;
  Comparison compared;

  // One operation on one of these elements, which no other rank works on.
  void operate(const std::vector<Index<N>>& mine, bool loads) {
    const Index<N> at = mine[static_cast<std::size_t>(pick(random_, 0, static_cast<index_t>(mine.size()) - 1))];
    const T value = random_number<T>(random_);
    const index_t kind = pick(random_, 0, 8);
    if (kind < 4)
      transfer(kind, at, value);
    else if constexpr (Arithmetic<T>)
      kind < 8 ? update(kind, at, value) : compare_exchange(at, value);
    if (loads) compared(at, m.model[at], m.array.load(at));
  }

 private:
  void transfer(index_t kind, const Index<N>& at, const T& value) {
    const Patch<N> patch = Patch<N>::inclusive(at, at);
    T& expected = m.model[at];
    switch (kind) {
      case 0:
        m.array.store(at, value);
        expected = value;
        break;
      case 1:
        compared(at, expected, m.array.load(at));
        break;
      case 2: {
        const auto buffer = random_buffer<T, N>(random_, patch.extents());
        m.array.put(patch, buffer.view);
        expected = *buffer.view.data_handle();
        break;
      }
      default: {
        auto buffer = random_buffer<T, N>(random_, patch.extents());
        m.array.get(patch, buffer.view);
        compared(at, expected, *buffer.view.data_handle());
        compared(at, expected, m.array.get(patch)[Index<N>{}]);
      }
    }
  }

  void update(index_t kind, const Index<N>& at, const T& value) {
    T& expected = m.model[at];
    switch (kind) {
      case 4: {
        const Patch<N> patch = Patch<N>::inclusive(at, at);
        const auto buffer = random_buffer<T, N>(random_, patch.extents());
        m.array.acc(patch, buffer.view, number<T>(2, 1));
        expected += number<T>(2, 1) * *buffer.view.data_handle();
        break;
      }
      case 5:
        compared(at, expected, m.array.fetch_add(at, value));
        expected = static_cast<T>(expected + value);
        break;
      case 6:
        compared(at, expected, m.array.exchange(at, value));
        expected = value;
        break;
      default: {
        const Update update = all_updates[static_cast<std::size_t>(pick(random_, 0, 6))];
        if (!is_defined(update, element_kind<T>())) break;
        compared(at, expected, m.array.fetch_op(at, update, value));
        expected = updated(update, expected, value);
      }
    }
  }

  void compare_exchange(const Index<N>& at, const T& value) {
    if constexpr (IntegerElement<T>) {
      if (!has_compare_exchange_) return;
      T& expected = m.model[at];
      const bool matches = pick(random_, 0, 1) == 1;
      T known = matches ? expected : static_cast<T>(expected + 1);
      compared(at, matches, m.array.compare_exchange(at, known, value));
      compared(at, expected, known);
      if (matches) expected = value;
    }
  }

  Random random_;
  bool has_compare_exchange_;
};

// Every rank does every operation on the elements of its share, and always knows their values.
template <class T, std::size_t N>
void check_elements(const Group& group, const Layout<N>& layout, const Domain& domain, int rounds) {
  SCOPED_TRACE(layout.description());
  ElementOperations<T, N> operations(group, layout, domain);
  auto& array = operations.m.array;
  const auto& model = operations.m.model;
  Comparison& compared = operations.compared;
  const auto mine = share_of(group.rank(), group.size(), layout.dims());
  for (int i = 0; i < rounds && !mine.empty(); ++i) operations.operate(mine, i % 7 == 0);
  array.sync();
  // The writes of the other ranks, too: the models of all ranks cover a share each.
  std::vector<T> shares(mine.size());
  array.gather(mine, shares);
  for (std::size_t i = 0; i < mine.size(); ++i) compared(mine[i], model[mine[i]], shares[i]);
  for_each_local(array, [&](const Index<N>& at, T& x) {
    if (number_of(at, layout.dims()) % group.size() == group.rank()) compared(at, model[at], x);
  });
  array.sync();
  EXPECT_TRUE(compared.equal());
}

template <class T, std::size_t N>
void check_elements(const Group& group, const Extents<N>& dims) {
  Random random(6000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    for (const Domain& domain : domains(group))
      check_elements<T, N>(group, layout, domain, rounds_of(group, times(group, 600, 80)));
  }
}

TEST(ArrayElements, every_operation_agrees_with_a_model_in_1_to_8_dimensions) {
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

TEST(ArrayElements, every_operation_agrees_with_a_model_for_every_type) {
  const Group& all = world();
  check_elements<std::int32_t, 2>(all, {7, 9});
  check_elements<float, 2>(all, {8, 5});
  check_elements<double, 2>(all, {5, 8});
  check_elements<std::complex<float>, 2>(all, {6, 6});
  check_elements<std::complex<double>, 2>(all, {4, 9});
  check_elements<Triple, 2>(all, {6, 7});
  check_elements<char, 1>(all, {40});
}

TEST(ArrayElements, arrays_may_be_small_or_on_a_part_of_the_ranks) {
  const Group& all = world();
  check_elements<std::int64_t, 1>(all, {1});
  check_elements<std::int32_t, 2>(all, {2, 1});
  const Group part = all.split(all.rank() % 2, -all.rank());
  check_elements<std::int64_t, 2>(part, {5, 4});
  check_elements<double, 1>(part, {1});
  all.sync();
}

TEST(ArrayElements, groups_of_arrays_may_overlap_and_be_formed_by_their_members) {
  const Group& all = world();
  // Groups of neighbours. Every rank is in two groups, except where there are only one or two ranks.
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
    // The patch has one element and the buffer more, or the other way round.
    EXPECT_THROW(m.array.put({{0, 0}, {1, 1}}, LocalArray<std::int64_t, 2>({1, 2})), UsageError);
    EXPECT_THROW(m.array.put({{0, 0}, {1, 2}}, one), UsageError);
    EXPECT_THROW(m.array.get({{0, 0}, {0, 1}}, one), UsageError);
    m.array.sync();
    EXPECT_TRUE(m.local_equal());
    EXPECT_EQ(one(0, 0), 0);
    m.array.sync();
  }
}

TEST(ArrayElements, operations_of_closed_and_moved_from_arrays_are_refused) {
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
  for (int i = 0; i < 3; ++i) a.store(all.rank(), all.size());  // so that the fast path knows its owner
  Array<std::int64_t, 1> b = std::move(a);
  expect_unusable(a);  // NOLINT: on purpose
  b.sync();
  EXPECT_EQ(b.load(all.rank()), all.size());
  b.close();
  expect_unusable(b);
  EXPECT_NE(message_of<UsageError>([&] { b.exchange(0, 1); }).find("\"gone\""), std::string::npos);
}

}  // namespace
