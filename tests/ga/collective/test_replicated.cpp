// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>
#include <tessera/replicated.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

namespace {

using namespace tessera;
using namespace tessera::test;

// If one node has no memory for something, no node gets it.
TEST(Agreed, errors_of_one_node_are_those_of_all) {
  const Group& all = world();
  const bool is_last = all.node_of(all.rank()) == all.node_count() - 1;
  int made = 0;
  EXPECT_THROW(detail::agreed(all, "a test",
                              [&] {
                                if (is_last) throw MemoryError("none left");
                                made = all.node().all_reduce(1, Reduce::sum);
                              }),
               MemoryError);
  EXPECT_EQ(made, is_last ? 0 : all.node().size());
  EXPECT_EQ(detail::made_by_all(all, "a test", [] { return std::string("made"); }), "made");
  EXPECT_THROW(detail::agreed(all, "a test", [] { throw UsageError("the same on all"); }), UsageError);
}

template <class T>
void check_merge(const Extents<2>& dims) {
  const Group& all = world();
  Replicated<T, 2> sums(all, dims, "sums");
  Random random(17);
  std::vector<T> model(static_cast<std::size_t>(dims.size()), number<T>(0));
  fill(sums.copy(), number<T>(0));
  // Each rank adds a patch to its node's copy. All ranks know all the patches.
  for (int rank = 0; rank < all.size(); ++rank) {
    const Patch<2> patch = random_patch(random, dims);
    LocalArray<T, 2> more(patch.extents());
    for (T& x : more) x = random_number<T>(random);
    if (rank == all.rank()) sums.copy().acc(patch, more, number<T>(2));
    for_each_index(patch, [&](const Index<2>& i) {
      model[static_cast<std::size_t>(number_of(i, dims))] += number<T>(2) * more[minus(i, patch.lo)];
    });
  }
  sums.merge();
  EXPECT_TRUE(has_contents(sums.copy(), model));
  // The copy of one node replaces the copies of all nodes.
  fill(sums.copy(), number<T>(all.node_of(all.rank()) + 1));
  sums.broadcast(all.node_count() - 1);
  EXPECT_TRUE(has_contents(sums.copy(), std::vector<T>(model.size(), number<T>(all.node_count()))));
  if constexpr (RealElement<T>) {
    fill(sums.copy(), number<T>(all.node_of(all.rank()) + 1));
    sums.merge(Reduce::min);
    EXPECT_TRUE(has_contents(sums.copy(), std::vector<T>(model.size(), number<T>(1))));
    // These change elements even where there is one node.
    fill(sums.copy(), number<T>(-1 - all.node_of(all.rank())));
    sums.merge(Reduce::absmax);
    EXPECT_TRUE(has_contents(sums.copy(), std::vector<T>(model.size(), number<T>(all.node_count()))));
    if constexpr (std::is_integral_v<T>) {
      fill(sums.copy(), number<T>(7));
      sums.merge(Reduce::logical_or);
      EXPECT_TRUE(has_contents(sums.copy(), std::vector<T>(model.size(), number<T>(1))));
    }
  }
  sums.close();
}

TEST(Replicated, copies_are_merged) {
  check_merge<double>({13, 7});
  check_merge<std::int32_t>({2, 3});
  check_merge<std::complex<float>>({5, 5});
  check_merge<double>({0, 4});
  check_merge<std::int64_t>({900, 700});  // in several parts
}

TEST(Replicated, wrong_uses_are_told) {
  Replicated<double, 1> a(world(), {10}, "two");
  EXPECT_NE(
      message_of<UsageError>([&] { a.broadcast(world().node_count()); }).find("\"two\": there is no node"),
      std::string::npos);
  EXPECT_THROW(a.merge(Reduce::bit_or), UsageError);
}

}  // namespace
