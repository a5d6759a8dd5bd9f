// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <tessera/array.hpp>
#include <tessera/elementwise.hpp>
#include <tessera/epochs.hpp>

#include "array_model.hpp"
#include "mpi_test.hpp"

// Arrays that are moved, closed, or never made.
namespace {

using namespace tessera;
using namespace tessera::test;

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
    if (all.rank() == 0) b.store({5, 7}, 1);
    b.sync();
    EXPECT_EQ(b.load({5, 7}), 1);
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
