// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstdlib>
#include <numeric>
#include <string>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>

#include "array_model.hpp"
#include "available_memory.hpp"
#include "mpi_test.hpp"

// Arrays of more than 2^31 elements of one byte each. They show where a number of elements, a number of bytes
// or an offset is kept in 32 bits. They take 3 GiB and as much again for a copy, and some seconds for each
// pass.
namespace {

using namespace tessera;
using namespace tessera::test;

constexpr index_t rows = 3, columns = index_t{1} << 30, beyond = (index_t{1} << 31) + 12345;

char value_at(index_t number) { return static_cast<char>(number % 113); }

class Large : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto least = world().all_reduce(static_cast<std::int64_t>(available_memory()), Reduce::min);
    if (least < index_t{8} << 30) GTEST_SKIP() << "this machine has less than 8 GiB to spare";
  }
};

TEST_F(Large, every_operation_reaches_elements_beyond_2_to_the_31) {
  const Group& all = world();
  const Extents<2> dims(rows, columns);
  Array<char, 2> a(all, Layout<2>::blocked(dims, all.size(), {.grid = Extents<2>(1, all.size())}),
                   {.name = "large"});
  ASSERT_EQ(a.size(), rows * columns);
  fill(a, 'x');
  const Patch<2> end{{0, columns - 5}, {rows, columns}};
  LocalArray<char, 2> block(end.extents());
  std::iota(block.begin(), block.end(), static_cast<char>(1));
  if (all.rank() == all.size() - 1) a.put(end, block);
  a.sync();
  EXPECT_TRUE(std::equal(block.begin(), block.end(), a.get(end).begin()));
  EXPECT_EQ(a.load({2, columns - 1}), 15);
  EXPECT_EQ(a.load({1, 77}), 'x');
  a.sync();

  // Lists and strides across the whole array.
  std::vector<Index<2>> at;
  std::vector<char> values;
  for (index_t i = 0; i < 3000; ++i) {
    const index_t number = (i * 1073741) % (rows * columns);
    at.push_back({number / columns, number % columns});
    values.push_back(value_at(number));
  }
  if (all.rank() == 0) a.scatter(at, values);
  a.sync();
  std::vector<char> found(at.size());
  a.gather(at, found);
  EXPECT_EQ(found, values);
  a.sync();
  const auto sparse = a.slice({{0, 1}, {rows, columns}}, {1, columns / 4});
  EXPECT_EQ(sparse.dims(), (Extents<2>(rows, 4)));
  fill(sparse, 'y');
  EXPECT_EQ(a.load({2, 1 + 3 * (columns / 4)}), 'y');

  const std::int64_t of_y =
      transform_reduce(a, std::int64_t{0}, std::plus<>(), [](char c) { return std::int64_t{c == 'y'}; });
  EXPECT_EQ(of_y, 12);
  a.close();
}

TEST_F(Large, reshape_reaches_elements_beyond_2_to_the_31) {
  const Group& all = world();
  const index_t size = rows * columns;
  Array<char, 1> a(all, {size}, {.name = "vector"});
  for_each_local(a.slice({{beyond}, {beyond + 1000}}),
                 [](const Index<1>& i, char& c) { c = value_at(beyond + i[0]); });
  a.sync();
  Array<char, 2> b(all, {columns, rows}, {.name = "matrix"});
  reshape(a.slice({{beyond - beyond % rows}, {beyond - beyond % rows + 999}}),
          b.slice({{columns - 333, 0}, {columns, rows}}));
  const index_t first = beyond - beyond % rows;
  Comparison compared;
  const auto got = b.get({{columns - 333, 0}, {columns, rows}});
  for (index_t i = beyond - first; i < 999; ++i) compared(i, value_at(first + i), got(i / rows, i % rows));
  EXPECT_TRUE(compared.equal());
  all.sync();
}

}  // namespace
