// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <complex>
#include <cstdint>
#include <vector>

#include "onesided_model.hpp"

// Lists of positions that are longer than one transfer.
namespace {

using namespace tessera;
using namespace tessera::test;

// Lists longer than one transfer between nodes can pack.
TEST(ArrayLists, lists_may_be_longer_than_one_transfer) {
  const Group& all = world();
  const index_t rows = 150, columns = 210;
  for (const auto& layout :
       {Layout<2>::blocked({rows, columns}, all.size()).with_storage(StorageOrder::column_major),
        Layout<2>::block_cyclic({rows, columns}, {7, 5}, {.shape = {1, all.size()}})}) {
    SCOPED_TRACE(layout.description());
    Array<std::complex<double>, 2> a(all, layout, {.name = "many"});
    std::vector<Index<2>> mine;
    for_each_index(Patch<2>::whole({rows, columns}), [&](const Index<2>& at) {
      if (number_of(at, a.dims()) % all.size() == all.rank()) mine.push_back(at);
    });
    Random random(31 + static_cast<std::uint64_t>(all.rank()));
    std::shuffle(mine.begin(), mine.end(), random);
    std::vector<std::complex<double>> values, found(mine.size());
    for (const Index<2>& at : mine) values.emplace_back(static_cast<double>(at[0]), static_cast<double>(at[1]));
    a.scatter(mine, values, VectorMethod::direct);
    a.sync();
    a.scatter_acc(mine, values, {0, 2});
    a.sync();
    a.gather(mine, found);
    Comparison compared;
    for (std::size_t i = 0; i < mine.size(); ++i)
      compared(mine[i], values[i] + std::complex<double>(0, 2) * values[i], found[i]);
    compare_local(compared, a, [](const Index<2>& at) {
      const auto i = static_cast<double>(at[0]), j = static_cast<double>(at[1]);
      return std::complex<double>(i - 2 * j, j + 2 * i);
    });
    EXPECT_TRUE(compared.equal());
    a.sync();
  }
}

// Lists that are processed in parts and have every position several times. The ranks take turns to set elements
// of all others, so the result is known.
TEST(ArrayLists, long_lists_keep_their_order) {
  const Group& all = world();
  const Extents<2> dims(31, 47);
  Random random(32);
  for (const auto& layout : layouts_of(random, dims, all.size())) {
    SCOPED_TRACE(layout.description());
    Array<std::int64_t, 2> a(all, layout, {.name = "long"});
    std::vector<std::int64_t> model(static_cast<std::size_t>(dims.size()), 0);
    for_each_local(a, [](const Index<2>&, std::int64_t& x) { x = 0; });
    for (int writer = 0; writer < std::min(all.size(), 3); ++writer) {
      std::vector<Index<2>> at(5000);
      std::vector<std::int64_t> values(at.size());
      for (std::size_t i = 0; i < at.size(); ++i) {
        at[i] = {pick(random, 0, dims[0] - 1), pick(random, 0, dims[1] - 1)};
        values[i] = pick(random, -1000000, 1000000);
      }
      a.sync();
      if (all.rank() == writer) {
        a.scatter(at, values);
        a.scatter_acc(at, values, 3);
      }
      for (std::size_t i = 0; i < at.size(); ++i)
        model[static_cast<std::size_t>(number_of(at[i], dims))] = values[i];
      for (std::size_t i = 0; i < at.size(); ++i)
        model[static_cast<std::size_t>(number_of(at[i], dims))] += 3 * values[i];
      a.sync();
      std::vector<std::int64_t> found(at.size());
      a.gather(at, found);
      Comparison compared;
      for (std::size_t i = 0; i < at.size(); ++i)
        compared(at[i], model[static_cast<std::size_t>(number_of(at[i], dims))], found[i]);
      EXPECT_TRUE(compared.equal()) << "written by rank " << writer;
    }
    a.sync();
  }
}

}  // namespace
