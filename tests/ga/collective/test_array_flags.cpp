// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <numeric>

#include "onesided_model.hpp"

// Puts into arrays that notify another rank.
namespace {

using namespace tessera;
using namespace tessera::test;

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
      Comparison compared;
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
          m.compare_local(compared);
          m.compare(compared, m.whole());
        }
      }
      EXPECT_TRUE(compared.equal());
      EXPECT_FALSE(flags.test(0));
      EXPECT_FALSE(flags.test(1));
      all.sync();
    }
  }
}

TEST(ArrayFlags, put_notify_of_all_ranks_arrives_at_one) {
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
      Comparison compared;
      const auto found = a.get(Patch<2>::whole(a.dims()));
      compare_patch(compared, Patch<2>::whole(a.dims()), found.view(),
                    [&](const Index<2>& at) { return 1000 * round + 100 * at[0] + at[1]; });
      EXPECT_TRUE(compared.equal());
    }
    all.barrier();
  }
  EXPECT_FALSE(arrived.test(0));
  a.sync();
}

// Large enough to be in flight for a while, and packed on the way.
TEST(ArrayFlags, put_notify_comes_after_every_element_of_a_large_patch) {
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
    Comparison compared;
    compare_local(compared, a, [&](const Index<2>& at) { return value(number_of(at, a.dims())); });
    a.get(Patch<2>::whole(a.dims()), found);
    for (index_t i = 0; i < found.size(); ++i) compared(i, value(i), found.data()[i]);
    EXPECT_TRUE(compared.equal()) << step;
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
  EXPECT_TRUE(m.local_equal());
  all.sync();
}

}  // namespace
