// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <span>
#include <string>

#include "onesided_model.hpp"

// Updates of arrays with the minimum and the maximum.
namespace {

using namespace tessera;
using namespace tessera::test;

// One rank after another updates with the minimum or the maximum.
template <class T, std::size_t N>
void check_extremes(const Group& group, const Layout<N>& layout, const Domain& domain, std::uint64_t seed) {
  SCOPED_TRACE(layout.description());
  Modelled<T, N> m(group, layout, domain);
  Random random(seed);
  Comparison compared;
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
      if (writer == group.rank()) m.compare(compared, patch);
    }
    m.array.sync();
    m.compare_local(compared);
    m.array.sync();
  }
  EXPECT_TRUE(compared.equal()) << to_string(element_kind<T>());
}

template <class T, std::size_t N>
void check_extremes(const Group& group, const Extents<N>& dims) {
  Random random(5000 + N);
  for (const Layout<N>& layout : layouts_of(random, dims, group.size())) {
    const std::uint64_t seed = random();
    for (const Domain& domain : domains(group)) check_extremes<T, N>(group, layout, domain, seed);
  }
}

TEST(ArrayExtremes, random_patches_agree_with_a_model_for_every_real_type) {
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
  EXPECT_TRUE(high.local_equal()) << to_string(element_kind<T>());
  EXPECT_TRUE(low.local_equal()) << to_string(element_kind<T>());
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

}  // namespace
