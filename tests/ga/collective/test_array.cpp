// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>

#include "onesided_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Whole numbers, so that sums are exact in any order.
template <class T>
T value_of(index_t number) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(number % 100);
  else if constexpr (Arithmetic<T>)
    return {static_cast<typename T::value_type>(number % 50), static_cast<typename T::value_type>(number % 7)};
  else
    return {static_cast<std::int32_t>(number), -1, static_cast<std::int32_t>(number * 3)};
}

template <class T, std::size_t N>
void set_to_numbers(Array<T, N>& array, LocalArray<T, N>& model) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = value_of<T>(number_of(at, dims)); });
  array.sync();
  for_each_index(Patch<N>::whole(dims),
                 [&](const Index<N>& at) { model[at] = value_of<T>(number_of(at, dims)); });
}

// Every patch operation on one layout, checked against an ordinary array that every rank keeps.
template <class T, std::size_t N>
void check_array(const Layout<N>& layout, std::uint64_t seed, int rounds) {
  const Group& all = world();
  SCOPED_TRACE(layout.description());
  Array<T, N> array(all, layout, {.name = "random"});
  EXPECT_EQ(array.name(), "random");
  EXPECT_EQ(array.layout(), layout);
  EXPECT_EQ(array.size(), layout.dims().size());
  LocalArray<T, N> model(layout.dims());
  set_to_numbers(array, model);
  Random random(seed);
  const auto expected = [&](const Index<N>& at) { return model[at]; };
  Comparison compared;
  for (int round = 0; round < rounds; ++round) {
    const auto writer = static_cast<int>(pick(random, 0, all.size() - 1));
    for (int i = 0; i < 3; ++i) {
      const Patch<N> patch = random_patch(random, layout.dims());
      RandomBuffer<T, N> buffer(random, patch.extents());
      const bool accumulates = Arithmetic<T> && pick(random, 0, 1) == 1;
      const index_t factor = pick(random, -2, 2), salt = pick(random, 0, 1000);
      for (std::size_t k = 0; k < buffer.storage.size(); ++k)
        buffer.storage[k] = value_of<T>(static_cast<index_t>(k) + salt);
      const View<T, N>& view = buffer.view;
      if constexpr (Arithmetic<T>) {
        const T alpha = static_cast<T>(static_cast<float>(factor));
        if (accumulates && writer == all.rank()) array.acc(patch, view, alpha);
        if (accumulates)
          for_each_index(patch, [&](const Index<N>& at) { model[at] += alpha * view[minus(at, patch.lo)]; });
      }
      if (!accumulates) {
        if (writer == all.rank()) array.put(patch, view);
        for_each_index(patch, [&](const Index<N>& at) { model[at] = view[minus(at, patch.lo)]; });
      }
      // The writer sees its own operations at once.
      if (writer == all.rank()) compare_patch(compared, patch, array.get(patch).view(), expected);
    }
    array.sync();
    Random own(random() + static_cast<std::uint64_t>(all.rank()));
    const Patch<N> patch = round == 0 ? Patch<N>::whole(layout.dims()) : random_patch(own, layout.dims());
    RandomBuffer<T, N> buffer(own, patch.extents());
    array.get(patch, buffer.view);
    compare_patch(compared, patch, buffer.view, expected);
    array.sync();
  }
  // Single elements, and the elements that each rank owns.
  for_each_index(Patch<N>::whole(layout.dims()), [&](const Index<N>& at) {
    const index_t number = number_of(at, layout.dims());
    if (number % 5 == all.rank() % 5) compared(at, model[at], array.load(at));
  });
  index_t owned = 0;
  for_each_local(array, [&](const Index<N>& at, T& x) {
    ++owned;
    EXPECT_EQ(layout.owner(at), all.rank()) << testing::PrintToString(at);
    compared(at, model[at], x);
  });
  EXPECT_EQ(owned, layout.local_size(all.rank()));
  EXPECT_TRUE(compared.equal());
  array.sync();
}

template <class T, std::size_t N>
void check_layouts(const Extents<N>& dims, int rounds) {
  Random random(1000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, world().size()))
    check_array<T, N>(layout, random(), rounds);
}

TEST(Array, random_patches_agree_with_a_model_in_1d) { check_layouts<double, 1>({53}, 6); }
TEST(Array, random_patches_agree_with_a_model_in_2d) { check_layouts<double, 2>({13, 17}, 8); }
TEST(Array, random_patches_agree_with_a_model_in_3d) { check_layouts<double, 3>({5, 7, 6}, 5); }
TEST(Array, random_patches_agree_with_a_model_in_4d) { check_layouts<double, 4>({3, 4, 5, 4}, 4); }
TEST(Array, random_patches_agree_with_a_model_in_5d) { check_layouts<double, 5>({3, 2, 3, 3, 4}, 3); }
TEST(Array, random_patches_agree_with_a_model_in_6d) { check_layouts<double, 6>({2, 3, 2, 2, 3, 2}, 3); }
TEST(Array, random_patches_agree_with_a_model_in_7d) { check_layouts<double, 7>({2, 2, 3, 2, 2, 1, 3}, 3); }
TEST(Array, random_patches_agree_with_a_model_in_8d) { check_layouts<double, 8>({2, 2, 2, 1, 2, 3, 2, 2}, 3); }
TEST(Array, random_patches_of_int32_agree_with_a_model) { check_layouts<std::int32_t, 2>({9, 20}, 3); }
TEST(Array, random_patches_of_int64_agree_with_a_model) { check_layouts<std::int64_t, 2>({9, 20}, 3); }
TEST(Array, random_patches_of_float_agree_with_a_model) { check_layouts<float, 2>({20, 9}, 3); }
TEST(Array, random_patches_of_complex_float_agree_with_a_model) {
  check_layouts<std::complex<float>, 2>({11, 11}, 3);
}
TEST(Array, random_patches_of_complex_double_agree_with_a_model) {
  check_layouts<std::complex<double>, 3>({4, 5, 6}, 3);
}
TEST(Array, random_patches_of_structs_agree_with_a_model) { check_layouts<Triple, 2>({12, 14}, 3); }

TEST(Array, extents_may_be_smaller_than_the_ranks_or_zero) {
  check_layouts<double, 1>({1}, 3);
  check_layouts<double, 2>({1, 2}, 3);
  check_layouts<double, 1>({0}, 2);
  check_layouts<double, 2>({0, 5}, 2);
  check_layouts<double, 3>({4, 0, 5}, 2);
}

TEST(Array, fetch_add_gives_every_number_once) {
  const Group& all = world();
  Array<std::int64_t, 2> counters(all, {3, all.size()}, {.name = "counters"});
  for (int row = 0; row < 3; ++row) counters.store({row, all.rank()}, 100 * row);
  counters.sync();
  std::vector<std::int64_t> drawn(static_cast<std::size_t>(50 * all.size()), 0);
  for (int i = 0; i < 50; ++i) {
    const auto old = counters.fetch_add({1, all.size() - 1}, 1);
    drawn.at(static_cast<std::size_t>(old - 100)) += 1;
    counters.fetch_add({2, i % all.size()}, -3);
  }
  all.all_reduce(std::span<std::int64_t>(drawn), Reduce::sum);
  EXPECT_EQ(drawn, std::vector<std::int64_t>(drawn.size(), 1));
  counters.sync();
  EXPECT_EQ(counters.load({1, all.size() - 1}), 100 + 50 * all.size());
  std::int64_t sum = 0;
  for (std::int64_t x : counters.get({{2, 0}, {3, all.size()}})) sum += x;
  EXPECT_EQ(sum, 200 * all.size() - 3 * 50 * all.size());
  EXPECT_EQ(counters.load({0, all.size() - 1}), 0);
  counters.flush();
  counters.flush(0);
  counters.sync();
}

TEST(Array, accumulates_of_all_ranks_into_one_patch_add_up) {
  const Group& all = world();
  for (const auto& layout : {Layout<2>::blocked({30, 40}, all.size()),
                             Layout<2>::block_cyclic({30, 40}, {4, 8}, {.shape = {all.size(), 1}})}) {
    Array<double, 2> sum(all, layout, {.name = "sum"});
    for_each_local(sum, [](const Index<2>&, double& x) { x = 0; });
    sum.sync();
    LocalArray<double, 2> ones({20, 30});
    for (double& x : ones) x = 1;
    for (int i = 0; i < 20; ++i) {
      sum.acc({{5, 5}, {25, 35}}, ones, 0.5);
      sum.fetch_add({10, 10 + i % 3}, 0.25);
    }
    sum.sync();
    Comparison compared;
    const auto found = sum.get(Patch<2>::whole({30, 40}));
    compare_patch(compared, Patch<2>::whole({30, 40}), found.view(), [&](const Index<2>& at) {
      double expected = Patch<2>{{5, 5}, {25, 35}}.contains(at) ? 10.0 * all.size() : 0.0;
      if (at[0] == 10 && at[1] >= 10 && at[1] < 13) expected += 0.25 * all.size() * (at[1] < 12 ? 7 : 6);
      return expected;
    });
    EXPECT_TRUE(compared.equal());
    sum.sync();
  }
}

TEST(Array, local_gives_the_elements_of_this_rank) {
  const Group& all = world();
  Array<double, 2> a(all, {7, 9}, {.name = "local"});
  const Patch<2> mine = a.local_patch();
  {
    auto here = a.local();
    EXPECT_EQ(here.size(), mine.size());
    EXPECT_EQ(here.extents(), a.layout().block(all.rank()).extents());
    for (index_t i = 0; i < here.extent(0); ++i) {
      for (index_t j = 0; j < here.extent(1); ++j)
        here(i, j) = static_cast<double>(100 * (mine.lo[0] + i) + mine.lo[1] + j);
    }
    here.release();
    here.release();
  }
  a.sync();
  EXPECT_EQ(a.load({6, 8}), 608);
  const Array<double, 2>& constant = a;
  const auto look = constant.local();
  static_assert(std::is_same_v<decltype(look.data()), const double*>);
  if (!mine.empty()) {
    EXPECT_EQ(look(0, 0), static_cast<double>(100 * mine.lo[0] + mine.lo[1]));
  }
  Array<double, 2> cyclic(all, Layout<2>::block_cyclic({7, 9}, {2, 2}, {.shape = {1, all.size()}}),
                          {.name = "cyc"});
  EXPECT_EQ(cyclic.local().size(), cyclic.layout().local_size(all.rank()));
  if (cyclic.local().size() > 0) {
    EXPECT_EQ(cyclic.local().view().stride(0), 1);
  }
  EXPECT_NE(message_of<UsageError>([&] { cyclic.local_patch(); }).find("\"cyc\""), std::string::npos);
  auto other = a.duplicate("twin");
  EXPECT_EQ(other.name(), "twin");
  EXPECT_EQ(other.layout(), a.layout());
  a.sync();
}

#ifdef TESSERA_TEST_CHECKS
TEST(Array, new_elements_are_signalling_nan_in_checked_builds) {
  Array<double, 1> a(world(), {100});
  for_each_local(a, [](const Index<1>&, double& x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, 8);
    EXPECT_EQ(bits, 0x7ff4000000000000U);
  });
  a.sync();
}
#endif

TEST(Array, bad_patches_have_the_messages_of_the_design) {
  Array<double, 2> f(world(), {10, 20}, {.name = "F"});
  LocalArray<double, 2> view({10, 20});
  const Patch<2> beyond{{0, 5}, {10, 25}};
  const std::string text =
      "patch [0:10, 5:25) exceeds array \"F\" of extents 10 x 20 (dimension 1 ends at 25); did you pass "
      "inclusive "
      "bounds? use Patch::inclusive";
  EXPECT_EQ(message_of<UsageError>([&] { f.put(beyond, view); }), text);
  EXPECT_EQ(message_of<UsageError>([&] { f.get(beyond, view); }), text);
  EXPECT_EQ(message_of<UsageError>([&] { f.acc(beyond, view); }), text);
  EXPECT_EQ(message_of<UsageError>([&] { f.get(beyond); }), text);
  auto refuse = [&](const Patch<2>& patch, std::initializer_list<const char*> parts) {
    const auto said = message_of<UsageError>([&] { f.put(patch, view); });
    for (const char* part : parts) EXPECT_NE(said.find(part), std::string::npos) << said << "\nlacks " << part;
    EXPECT_THROW(f.get(patch, view), UsageError);
    EXPECT_THROW(f.acc(patch, view), UsageError);
  };
  refuse({{-1, 0}, {9, 20}}, {"[-1:9, 0:20)", "\"F\"", "dimension 0 begins at -1"});
  refuse({{4, 0}, {3, 20}}, {"[4:3, 0:20)", "inverted", "dimension 0"});
  refuse({{0, 0}, {10, 19}}, {"10 x 20", "[0:10, 0:19)", "\"F\"", "dimension 1 has 19"});
  refuse({{0, 0}, {20, 10}}, {"dimension 0 ends at 20"});
  EXPECT_NE(message_of<UsageError>([&] {
              f.load({10, 3});
            }).find("element (10, 3) is outside array \"F\" of extents 10 x 20"),
            std::string::npos);
  EXPECT_THROW(f.load({0, -1}), UsageError);
  EXPECT_THROW(f.store({0, 20}, 1), UsageError);
  EXPECT_THROW(f.fetch_add({std::numeric_limits<index_t>::max(), 0}, 1), UsageError);
  EXPECT_THROW(f.get({{4, 0}, {3, 20}}), UsageError);
  EXPECT_THROW(f.get({{-1, 0}, {9, 20}}), UsageError);
  // A refused transfer has changed nothing, and everything still works.
  f.store({9, world().rank()}, 4);
  EXPECT_EQ(f.load({9, world().rank()}), 4);
  f.put({{3, 3}, {3, 3}}, View<double, 2>(nullptr, {0, 0}));
  f.put({{10, 20}, {10, 20}}, LocalArray<double, 2>({0, 0}));
  EXPECT_EQ(f.get({{3, 3}, {3, 9}}).size(), 0);
  f.sync();
}

}  // namespace
