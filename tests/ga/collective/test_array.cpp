// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>

#include "array_model.hpp"
#include "mpi_test.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// Any trivially copyable type can be transferred. The size of this one is no power of two.
struct Triple {
  std::int32_t a, b, c;
  friend bool operator==(const Triple&, const Triple&) = default;
};

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

template <class T, std::size_t N>
int differences(const View<T, N>& found, const LocalArray<T, N>& model, const Patch<N>& patch) {
  int wrong = 0;
  for_each_index(patch, [&](const Index<N>& at) {
    wrong += static_cast<int>(!(found[minus(at, patch.lo)] == model[at]));
  });
  return wrong;
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
  int wrong = 0;
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
      if (writer == all.rank()) wrong += differences<T, N>(array.get(patch).view(), model, patch);
    }
    array.sync();
    Random own(random() + static_cast<std::uint64_t>(all.rank()));
    const Patch<N> patch = round == 0 ? Patch<N>::whole(layout.dims()) : random_patch(own, layout.dims());
    RandomBuffer<T, N> buffer(own, patch.extents());
    array.get(patch, buffer.view);
    wrong += differences<T, N>(buffer.view, model, patch);
    array.sync();
  }
  // Single elements, and the elements that each rank owns.
  for_each_index(Patch<N>::whole(layout.dims()), [&](const Index<N>& at) {
    const index_t number = number_of(at, layout.dims());
    if (number % 5 == all.rank() % 5) wrong += static_cast<int>(!(array.load(at) == model[at]));
  });
  index_t owned = 0;
  for_each_local(array, [&](const Index<N>& at, T& x) {
    ++owned;
    wrong += static_cast<int>(layout.owner(at) != all.rank() || !(x == model[at]));
  });
  EXPECT_EQ(owned, layout.local_size(all.rank()));
  EXPECT_EQ(wrong, 0);
  array.sync();
}

template <class T, std::size_t N>
void check_layouts(const Extents<N>& dims, int rounds) {
  Random random(1000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, world().size()))
    check_array<T, N>(layout, random(), rounds);
}

TEST(Array, random_patches_1d) { check_layouts<double, 1>({53}, 6); }
TEST(Array, random_patches_2d) { check_layouts<double, 2>({13, 17}, 8); }
TEST(Array, random_patches_3d) { check_layouts<double, 3>({5, 7, 6}, 5); }
TEST(Array, random_patches_4d) { check_layouts<double, 4>({3, 4, 5, 4}, 4); }
TEST(Array, random_patches_5d) { check_layouts<double, 5>({3, 2, 3, 3, 4}, 3); }
TEST(Array, random_patches_6d) { check_layouts<double, 6>({2, 3, 2, 2, 3, 2}, 3); }
TEST(Array, random_patches_7d) { check_layouts<double, 7>({2, 2, 3, 2, 2, 1, 3}, 3); }
TEST(Array, random_patches_8d) { check_layouts<double, 8>({2, 2, 2, 1, 2, 3, 2, 2}, 3); }
TEST(Array, random_patches_of_int32) { check_layouts<std::int32_t, 2>({9, 20}, 3); }
TEST(Array, random_patches_of_int64) { check_layouts<std::int64_t, 2>({9, 20}, 3); }
TEST(Array, random_patches_of_float) { check_layouts<float, 2>({20, 9}, 3); }
TEST(Array, random_patches_of_complex_float) { check_layouts<std::complex<float>, 2>({11, 11}, 3); }
TEST(Array, random_patches_of_complex_double) { check_layouts<std::complex<double>, 3>({4, 5, 6}, 3); }
TEST(Array, random_patches_of_structs) { check_layouts<Triple, 2>({12, 14}, 3); }

TEST(Array, extents_below_ranks_and_zero) {
  check_layouts<double, 1>({1}, 3);
  check_layouts<double, 2>({1, 2}, 3);
  check_layouts<double, 1>({0}, 2);
  check_layouts<double, 2>({0, 5}, 2);
  check_layouts<double, 3>({4, 0, 5}, 2);
}

TEST(Array, store_and_fetch_add) {
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

TEST(Array, everybody_accumulates_into_one_patch) {
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
    int wrong = 0;
    const auto found = sum.get(Patch<2>::whole({30, 40}));
    for_each_index(Patch<2>::whole({30, 40}), [&](const Index<2>& at) {
      double expected = Patch<2>{{5, 5}, {25, 35}}.contains(at) ? 10.0 * all.size() : 0.0;
      if (at[0] == 10 && at[1] >= 10 && at[1] < 13) expected += 0.25 * all.size() * (at[1] < 12 ? 7 : 6);
      wrong += static_cast<int>(found[at] != expected);
    });
    EXPECT_EQ(wrong, 0);
    sum.sync();
  }
}

TEST(Array, local_access) {
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
  f.store({9, 19}, 4);
  EXPECT_EQ(f.load({9, 19}), 4);
  f.put({{3, 3}, {3, 3}}, View<double, 2>(nullptr, {0, 0}));
  f.put({{10, 20}, {10, 20}}, LocalArray<double, 2>({0, 0}));
  EXPECT_EQ(f.get({{3, 3}, {3, 9}}).size(), 0);
  f.sync();
}

template <std::size_t N>
void expect_unusable(Array<double, N>& a) {
  const Patch<N> patch = Patch<N>::inclusive({}, {});
  LocalArray<double, N> one(patch.extents());
  EXPECT_THROW(a.put(patch, one), UsageError);
  EXPECT_THROW(a.get(patch, one), UsageError);
  EXPECT_THROW(a.get(patch), UsageError);
  EXPECT_THROW(a.acc(patch, one), UsageError);
  EXPECT_THROW(a.load({}), UsageError);
  EXPECT_THROW(a.store({}, 1), UsageError);
  EXPECT_THROW(a.fetch_add({}, 1), UsageError);
  EXPECT_THROW(a.flush(), UsageError);
  EXPECT_THROW(a.sync(), UsageError);
  EXPECT_THROW(a.close(), UsageError);
  EXPECT_THROW(static_cast<void>(a.local()), UsageError);
  EXPECT_THROW(for_each_local(a, [](const Index<N>&, double&) {}), UsageError);
  EXPECT_THROW(transform(a, [](double x) { return x; }), UsageError);
}

TEST(Array, moved_from_and_closed_arrays_refuse) {
  const Group& all = world();
  Random random(3);
  for (const auto& layout : layouts_of<2>(random, {6, 8}, all.size())) {
    SCOPED_TRACE(layout.description());
    Array<double, 2> a(all, layout, {.name = "gone"});
    Array<double, 2> b = std::move(a);
    expect_unusable(a);  // NOLINT: on purpose
    b.store({5, 7}, all.rank());
    b.sync();
    EXPECT_GE(b.load({5, 7}), 0);
    b.sync();
    b.close();
    expect_unusable(b);
    EXPECT_NE(message_of<UsageError>([&] { b.load({0, 0}); }).find("\"gone\""), std::string::npos);
  }
}

TEST(Array, slices_scopes_epochs_and_updates_stay_with_the_elements_when_arrays_move) {
  const Group& all = world();
  const auto layout = Layout<2>::blocked({12, 8}, all.size(), {.grid = {{all.size(), 1}}});
  const ArrayOptions<2> options{.name = "first", .ghosts = 1, .periodic = true};
  Array<double, 2> a(all, layout, options), b(all, layout, {.name = "second"});
  fill(a, 1.0);
  fill(b, 2.0);

  const auto row = a.slice().fix(0, 11), other = b.slice().fix(0, 11);
  std::swap(a, b);
  EXPECT_EQ(a.name(), "second");
  EXPECT_EQ(b.name(), "first");
  EXPECT_EQ(row.get()[{3}], 1.0);
  EXPECT_EQ(other.get()[{3}], 2.0);
  EXPECT_EQ(b.load({11, 3}), 1.0);
  all.sync();

  auto update = b.update_ghosts_async();
  Array<double, 2> c = std::move(b);
  update.wait();
  {
    auto with_ghosts = c.local_with_ghosts();
    std::vector<Array<double, 2>> many;
    many.push_back(std::move(c));
    for (index_t i = 0; i < with_ghosts.extent(0); ++i) EXPECT_EQ(with_ghosts(i, 0), 1.0);
    many.push_back(std::move(a));  // moves the first to other memory
    with_ghosts.release();
    c = std::move(many[0]);
    a = std::move(many[1]);
  }

  all.sync();
  auto sums = accumulate_only(a);
  b = std::move(a);
  const double one = 1;
  sums.acc({{11, 7}, {12, 8}}, View<const double, 2>(&one, {1, 1}));
  sums.end();
  EXPECT_EQ(b.load({11, 7}), 2.0 + all.size());

  // The same elements in another layout.
  const auto last = b.slice().fix(1, 7);
  all.sync();
  b.redistribute(Layout<2>::blocked({12, 8}, all.size(), {.grid = {{1, all.size()}}}));
  EXPECT_EQ(last.get()[{11}], 2.0 + all.size());
  EXPECT_EQ(last.get()[{10}], 2.0);
  all.sync();
}

TEST(Array, one_that_was_moved_from_is_empty_and_can_be_given_another) {
  Array<double, 3> a(world(), {4, 5, 6}, {.name = "first"}), b = std::move(a);
  EXPECT_EQ(a.dims(), Extents<3>(0, 0, 0));  // NOLINT: on purpose
  EXPECT_EQ(a.size(), 0);
  EXPECT_THROW(static_cast<void>(a.slice().fix(0, 0)), UsageError);
  EXPECT_THROW(fill(a, 1.0), UsageError);
  EXPECT_THROW(static_cast<void>(read_only(a)), UsageError);
  EXPECT_THROW(a.update_ghosts(), UsageError);
  EXPECT_THROW(a.redistribute(b.layout()), UsageError);
  a = Array<double, 3>(world(), {1, 2, 3}, {.name = "second"});
  fill(a, 3.0);
  EXPECT_EQ(a.load({0, 1, 2}), 3.0);
  EXPECT_EQ(a.name(), "second");
  a.sync();
}

TEST(Array, disagreement_and_impossible_sizes_throw_on_every_rank) {
  const Group& all = world();
  const bool odd = all.rank() == all.size() - 1;
  if (all.size() > 1) {
    EXPECT_THROW((Array<double, 1>(all, {odd ? 10 : 11}, {.name = "size"})), UsageError);
    EXPECT_THROW((Array<double, 1>(all, {10}, {.name = odd ? "a" : "b"})), UsageError);
    EXPECT_THROW(
        (Array<double, 2>(all, Layout<2>::blocked({4, 4}, all.size())
                                   .with_storage(odd ? StorageOrder::row_major : StorageOrder::column_major))),
        UsageError);
    if (odd) {
      EXPECT_THROW((Array<float, 1>(all, {10})), UsageError);
    } else {
      EXPECT_THROW((Array<std::int32_t, 1>(all, {10})), UsageError);
    }
  }
  EXPECT_THROW((Array<double, 2>(all, Layout<2>::blocked({4, 4}, all.size() + 1))), UsageError);
  EXPECT_THROW((Array<double, 2>(all, {-1, 4})), UsageError);
  EXPECT_THROW((Array<double, 1>(all, {std::numeric_limits<index_t>::max() / 4})), UsageError);
  const auto text = message_of<MemoryError>([&] {
    Array<double, 2>(all, {1 << 24, 1 << 22}, {.name = "huge"});
  });
  EXPECT_NE(text.find("huge"), std::string::npos) << text;
  EXPECT_THROW((Array<double, 1>(Group(), {4})), UsageError);
  Array<double, 1> works(all, {10});
  works.store({all.rank() % 10}, 1);
  works.sync();
  EXPECT_EQ(works.load({0}), 1);
  works.sync();
}

}  // namespace
