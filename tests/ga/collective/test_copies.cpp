// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>

#include "local_elements.hpp"
#include "mpi_test.hpp"
#include "slice_model.hpp"

// Copies that change the shape: reshape, redistribute, and transposes large enough for every kernel.
namespace {

using namespace tessera;
using namespace tessera::test;

struct Small {
  std::int16_t a;
  char b[3];
  friend bool operator==(const Small&, const Small&) = default;
};

template <class T>
T numbered(index_t number) {
  if constexpr (std::is_same_v<T, Small>)
    return {static_cast<std::int16_t>(number % 30011), {static_cast<char>(number % 127), 'x', 'y'}};
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(number);
  else
    return {static_cast<typename T::value_type>(number), static_cast<typename T::value_type>(-number)};
}

template <class T, std::size_t N>
void number_elements(Array<T, N>& array) {
  const Extents<N> dims = array.dims();
  for_each_local(array, [&](const Index<N>& at, T& x) { x = numbered<T>(number_of(at, dims)); });
  array.sync();
}

// Whether this rank's elements have the numbers that number(Index) returns.
template <class T, std::size_t N, class F>
testing::AssertionResult numbers_are(Array<T, N>& array, F&& number) {
  return local_elements_are(array, [&](const Index<N>& at) { return numbered<T>(number(at)); });
}

// The number of operations that this process has started on an array.
template <class T, std::size_t N>
std::uint64_t operations_on(const Array<T, N>& array) {
  const Statistics all = array.statistics();
  std::uint64_t sum = 0;
  for (const Path path : {Path::node, Path::agent, Path::window})
    sum += all.of(path, Operation::get).operations;
  return sum;
}

// The same elements in the same order, by the row-major numbers of both arrays.
template <class T, std::size_t M, std::size_t N>
void check_reshape(const Extents<M>& from, const Extents<N>& to, std::uint64_t seed) {
  Random random(seed);
  const auto sources = layouts_of(random, from, world().size()),
             targets = layouts_of(random, to, world().size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto& target = targets[(i * 5 + seed) % targets.size()];
    Array<T, M> a(world(), sources[i], {.name = "a"});
    Array<T, N> b(world(), target, {.name = "b"});
    number_elements(a);
    reshape(a, b);
    EXPECT_TRUE(numbers_are(b, [&](const Index<N>& at) { return number_of(at, to); }))
        << sources[i].description() << " to " << target.description();
    world().sync();
  }
}

TEST(Copies, reshape_keeps_the_order_of_elements) {
  check_reshape<double, 1, 2>({60}, {6, 10}, 1);
  check_reshape<double, 2, 1>({7, 9}, {63}, 2);
  check_reshape<std::int32_t, 2, 2>({8, 9}, {12, 6}, 3);
  check_reshape<Small, 3, 2>({4, 5, 6}, {10, 12}, 4);
  check_reshape<std::complex<double>, 2, 4>({12, 15}, {3, 4, 5, 3}, 5);
  check_reshape<double, 2, 8>({4, 8}, {2, 1, 2, 2, 1, 2, 1, 2}, 6);
  check_reshape<double, 1, 2>({60}, {60, 1}, 7);
  check_reshape<double, 2, 3>({10, 12}, {1, 120, 1}, 8);
  check_reshape<Small, 3, 4>({5, 4, 6}, {3, 1, 10, 4}, 9);
  // There must be fewer requests than elements.
  Array<double, 1> a(world(), {20'000});
  Array<double, 2> b(world(), {20'000, 1}), c(world(), {10'000, 2});
  for (auto* target : {&b, &c}) {
    const auto before = operations_on(a);
    reshape(a, *target);
    EXPECT_LE(operations_on(a) - before, 2U * static_cast<unsigned>(world().size()));
  }
  check_reshape<double, 2, 3>({0, 3}, {4, 0, 2}, 7);
  check_reshape<float, 1, 1>({1}, {1}, 8);
}

TEST(Copies, reshape_works_between_slices_even_of_one_array) {
  const Group& all = world();
  Random random(90);
  for (int round = 0; round < 10; ++round) {
    const Extents<2> dims(12, 14);
    const auto layouts = layouts_of(random, dims, all.size());
    Array<double, 2> a(all, layouts[static_cast<std::size_t>(pick(random, 0, 8))], {.name = "a"});
    std::vector<double> model(static_cast<std::size_t>(dims.size()));
    for (double& x : model) x = static_cast<double>(pick(random, 0, 1000));
    set_contents(a, model);
    const index_t rows = pick(random, 1, 6), columns = pick(random, 1, 6);
    const RandomSlice<2> from(random, dims, Extents<2>(rows, columns)),
        to(random, dims, Extents<2>(columns, rows));
    reshape(from.of(a), to.of(a));
    const auto before = model;
    for (std::size_t k = 0; k < from.model.numbers.size(); ++k)
      model[static_cast<std::size_t>(to.model.numbers[k])] =
          before[static_cast<std::size_t>(from.model.numbers[k])];
    EXPECT_TRUE(has_contents(a, model))
        << from.of(a).core().description() << " to " << to.of(a).core().description();
  }
  Array<double, 2> a(all, {4, 5}, {.name = "twenty"}), b(all, {3, 7}, {.name = "twenty-one"});
  const std::string message = message_of<UsageError>([&] { reshape(a, b); });
  EXPECT_NE(message.find("twenty"), std::string::npos);
  EXPECT_NE(message.find("3 x 7"), std::string::npos);
}

TEST(Copies, redistribute_keeps_elements_and_slices) {
  const Group& all = world();
  const Extents<2> dims(13, 11);
  Random random(91);
  const auto layouts = layouts_of(random, dims, all.size());
  Array<double, 2> a(all, layouts[0], {.name = "moving", .periodic = {true, false}});
  number_elements(a);
  const Slice<const double, 2> row = std::as_const(a).slice({{3, 0}, {4, 11}});
  for (const auto& layout : layouts) {
    a.redistribute(layout);
    EXPECT_EQ(a.layout(), layout);
    EXPECT_EQ(a.name(), "moving");
    EXPECT_TRUE(numbers_are(a, [&](const Index<2>& at) { return number_of(at, dims); }))
        << layout.description();
    EXPECT_EQ(row.get()(0, 5), 3 * 11 + 5);
    all.sync();
  }
  EXPECT_THROW(a.redistribute(Layout<2>::blocked({11, 13}, all.size())), UsageError);
  EXPECT_TRUE(numbers_are(a, [&](const Index<2>& at) { return number_of(at, dims); }));

  Array<double, 2> b(all, {12, 12}, {.name = "b", .ghosts = {1, 1}});
  number_elements(b);
  b.redistribute(Layout<2>::blocked({12, 12}, all.size(), {.grid = Extents<2>{1, all.size()}}));
  EXPECT_EQ(b.layout().ghosts(), (Extents<2>(1, 1)));
  b.update_ghosts();
  EXPECT_TRUE(numbers_are(b, [&](const Index<2>& at) { return number_of(at, {12, 12}); }));
  EXPECT_THROW(b.redistribute(Layout<2>::block_cyclic({12, 12}, {2, 2}, {.shape = {1, all.size()}})),
               UsageError);
  EXPECT_TRUE(numbers_are(b, [&](const Index<2>& at) { return number_of(at, {12, 12}); }));
  all.sync();
}

// Squares, whole tiles, remainders of both, and rows that are streamed past the caches.
template <class T>
void check_transposition(const Extents<2>& dims, const Layout<2>& from, const Layout<2>& to) {
  Array<T, 2> a(world(), from, {.name = "a"}), b(world(), to, {.name = "b"});
  number_elements(a);
  transpose(a, b);
  EXPECT_TRUE(numbers_are(b, [&](const Index<2>& at) { return number_of(Index<2>(at[1], at[0]), dims); }))
      << dims[0] << " x " << dims[1] << " of " << sizeof(T) << " bytes";
  world().sync();
}

TEST(Copies, matrices_of_every_size_are_transposed) {
  const int ranks = world().size();
  Random random(92);
  for (const auto& [rows, columns] :
       {std::pair(1, 300), {3, 5}, {4, 8}, {33, 65}, {64, 128}, {131, 67}, {200, 201}}) {
    const Extents<2> dims(rows, columns), turned(columns, rows);
    const auto from = Layout<2>::blocked(dims, ranks), to = Layout<2>::blocked(turned, ranks);
    check_transposition<double>(dims, from, to);
    check_transposition<float>(dims, from, to);
    check_transposition<std::complex<double>>(dims, from, to);
    check_transposition<Small>(dims, from, to);
    check_transposition<std::int64_t>(dims, from.with_storage(StorageOrder::column_major), to);
  }
}

// Into rows that begin at a cache line, from column `first` on, so that not every line is written whole.
template <class T>
void check_transpose_into_lines(index_t rows, index_t columns, index_t first) {
  const Extents<2> dims(rows, columns), width(columns, 2048);
  Array<T, 2> a(world(), dims, {.name = "a"}), b(world(), width, {.name = "b"});
  number_elements(a);
  fill(b, numbered<T>(-1));
  transpose(a, b.slice({{0, first}, {columns, first + rows}}));
  EXPECT_TRUE(numbers_are(b,
                          [&](const Index<2>& at) {
                            const Index<2> there(at[1] - first, at[0]);
                            return there[0] >= 0 && there[0] < rows ? number_of(there, dims) : -1;
                          }))
      << sizeof(T) << " bytes, from column " << first;
  world().sync();
}

TEST(Copies, large_matrices_are_transposed_into_lines) {
  if (world().node_count() > 1) return;     // kernels of the node
  for (const index_t first : {0, 64, 3}) {  // 17 MiB and more: past the caches on one rank
    check_transpose_into_lines<double>(1541, 1503, first);
    check_transpose_into_lines<float>(1541, 3002, first);
    check_transpose_into_lines<std::complex<double>>(771, 1503, first);
  }
}

TEST(Copies, large_arrays_are_transposed_and_permuted) {
  const Group& all = world();
  if (all.node_count() > 1) return;  // kernels of the node
  {
    const Extents<2> dims(1733, 1571), turned(1571, 1733);  // 21 MiB: past the caches on one rank
    check_transposition<double>(dims, Layout<2>::blocked(dims, all.size()),
                                Layout<2>::blocked(turned, all.size()));
    check_transposition<float>(dims, Layout<2>::blocked(dims, all.size()),
                               Layout<2>::blocked(turned, all.size()));
  }
  const Extents<3> dims(150, 131, 140);
  Array<double, 3> a(all, dims, {.name = "a"});
  number_elements(a);
  std::array<int, 3> order{0, 1, 2};
  do {
    const Extents<3> permuted(dims[static_cast<std::size_t>(order[0])],
                              dims[static_cast<std::size_t>(order[1])],
                              dims[static_cast<std::size_t>(order[2])]);
    Array<double, 3> b(all, permuted, {.name = "b"});
    permute(a, order, b);
    EXPECT_TRUE(numbers_are(b,
                            [&](const Index<3>& at) {
                              Index<3> there;
                              for (std::size_t d = 0; d < 3; ++d)
                                there[static_cast<std::size_t>(order[d])] = at[d];
                              return number_of(there, dims);
                            }))
        << order[0] << order[1] << order[2];
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace
