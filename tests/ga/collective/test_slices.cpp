// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>

#include <tessera/elementwise.hpp>
#include <tessera/reductions.hpp>
#include <tessera/scan.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

// Slices, checked against a serial model: an array is a vector, a slice a list of numbers of its elements.
namespace {

using namespace tessera;
using namespace tessera::test;

// Writes values to a patch of a slice, or adds alpha times the values.
template <class T, std::size_t N>
void write_patch(const Slice<T, N>& part, const Patch<N>& patch, const std::vector<T>& values, bool add,
                 T alpha, Random& own) {
  RandomBuffer<T, N> from(own, patch.extents());
  for_each_index(patch, [&](const Index<N>& where) {
    const Index<N> here = minus(where, patch.lo);
    from.view[here] = values[at(number_of(here, patch.extents()))];
  });
  const View<const T, N> view = from.view;
  if constexpr (Arithmetic<T>) {
    if (add) pick(own, 0, 1) == 0 ? part.acc(patch, view, alpha) : part.acc_async(patch, view, alpha).wait();
  }
  if (!add) pick(own, 0, 1) == 0 ? part.put(patch, view) : part.put_async(patch, view).wait();
}

// Every rank reads, writes and accumulates patches of slices.
template <class T, std::size_t N>
void check_transfers(const Extents<N>& dims, int rounds) {
  const Group& all = world();
  Random random(300 + N), own(900 + static_cast<unsigned>(all.rank()));
  for (int round = 0; round < rounds; ++round) {
    const auto layout = any_layout(random, dims);
    SCOPED_TRACE(layout.description());
    Array<T, N> array(all, layout, {.name = "sliced"});
    std::vector<T> model = random_numbers<T>(random, dims.size());
    set_contents(array, model);
    for (int i = 0; i < 4; ++i) {
      const RandomSlice<N> slice(own, dims);
      const auto part = slice.of(array);
      ASSERT_EQ(part.dims(), slice.model.dims);
      const Patch<N> patch = random_patch(own, slice.model.dims);
      RandomBuffer<T, N> into(own, patch.extents());
      if (i % 2 == 0)
        part.get(patch, into.view);
      else
        part.get_async(patch, into.view).wait();
      Comparison compared;
      compare_patch(compared, patch, into.view, [&](const Index<N>& where) {
        return model[at(slice.model.numbers[at(number_of(where, slice.model.dims))])];
      });
      EXPECT_TRUE(compared.equal());
    }
    array.sync();
    // The ranks write one after the other, and all know what is written.
    for (int turn = 0; turn < 2 * all.size(); ++turn) {
      const RandomSlice<N> slice(random, dims);
      const Patch<N> patch = random_patch(random, slice.model.dims);
      const auto values = random_numbers<T>(random, patch.size());
      const auto alpha = number<T>(3, 1);
      const bool add = turn % 2 == 1 && Arithmetic<T>;
      if (turn / 2 == all.rank()) write_patch(slice.of(array), patch, values, add, alpha, own);
      for_each_index(patch, [&](const Index<N>& where) {
        const T given = values[at(number_of(minus(where, patch.lo), patch.extents()))];
        T& target = model[at(slice.model.numbers[at(number_of(where, slice.model.dims))])];
        if constexpr (Arithmetic<T>) {
          target = add ? static_cast<T>(target + alpha * given) : given;
        } else {
          target = given;
        }
      });
      array.sync();
    }
    EXPECT_TRUE(has_contents(array, model));
  }
}

TEST(Slice, transfers_move_the_elements_of_the_slice) {
  check_transfers<double, 1>({23}, 4);
  check_transfers<std::int32_t, 2>({9, 11}, 6);
  check_transfers<std::complex<float>, 3>({5, 4, 6}, 4);
  check_transfers<Triple, 2>({7, 5}, 3);
  check_transfers<double, 8>({2, 1, 3, 2, 1, 2, 2, 1}, 2);
  check_transfers<double, 2>({0, 4}, 1);
}

// A copy within one array works as if all elements were read first.
template <std::size_t N>
void check_overlaps(int rounds) {
  Random random(500 + N);
  for (int round = 0; round < rounds; ++round) {
    Extents<N> dims, wanted;
    for (std::size_t d = 0; d < N; ++d) {
      dims[d] = pick(random, 5, 9);
      wanted[d] = pick(random, 1, 5);
    }
    Array<double, N> array(world(), any_layout(random, dims), {.name = "shifted"});
    auto model = random_numbers<double>(random, dims.size());
    set_contents(array, model);
    const RandomSlice<N> from(random, dims, wanted), to(random, dims, wanted);
    copy(from.of(array), to.of(array));
    const auto before = model;
    for (std::size_t k = 0; k < from.model.numbers.size(); ++k)
      model[at(to.model.numbers[k])] = before[at(from.model.numbers[k])];
    EXPECT_TRUE(has_contents(array, model))
        << array.layout().description() << ": " << from.of(array).core().description() << " to "
        << to.of(array).core().description();
  }
}

// Behind the last element of a strided slice the array may have ended. Here the slice has columns 3 and 6 of 8,
// and the next would be 9.
TEST(Slice, a_slice_in_steps_ends_with_its_array) {
  Array<double, 2> a(world(), {2, 8}, {.name = "steps"});
  fill(a, 1);
  const auto part = a.slice({{0, 3}, {2, 8}}, {1, 3});
  ASSERT_EQ(part.dims(), (Extents<2>{2, 2}));
  EXPECT_EQ(part.get({{0, 2}, {2, 2}}).size(), 0);
  EXPECT_EQ(part.slice({{0, 2}, {2, 2}}).size(), 0);
  EXPECT_THROW(part.slice({{0, 3}, {2, 3}}), UsageError);
  // On more than two ranks, some ranks have no elements of such a vector.
  scan(part.fix(0, 1), a.slice({{0, 3}, {2, 8}}, {1, 3}).fix(0, 0));
  EXPECT_EQ(reduce(part.fix(0, 0), Reduce::sum), 3);
  EXPECT_EQ(reduce(a, Reduce::sum), 17);
}

TEST(Slice, copies_within_an_array_read_every_element_first) {
  check_overlaps<1>(8);
  check_overlaps<2>(8);
  check_overlaps<3>(4);
}

TEST(Slice, rows_and_planes_of_a_cube_are_slices) {
  const Extents<3> dims{4, 5, 6};
  Random random(77);
  const auto layouts = layouts_of(random, dims, world().size());
  for (const auto& layout : layouts) {
    SCOPED_TRACE(layout.description());
    Array<std::int64_t, 3> a(world(), layout, {.name = "cube"});
    for_each_local(a, [&](const Index<3>& i, std::int64_t& x) { x = number_of(i, dims); });
    a.sync();
    const auto plane = a.slice().fix(1, 3);
    EXPECT_EQ(plane.dims(), (Extents<2>{4, 6}));
    const auto got = plane.get();
    Comparison compared;
    for (index_t i = 0; i < 4; ++i) {
      for (index_t k = 0; k < 6; ++k) compared(std::pair(i, k), (i * 5 + 3) * 6 + k, got(i, k));
    }
    const auto row = plane.transposed().fix(0, 2);
    EXPECT_EQ(row.dims(), Extents<1>{4});
    const auto line = row.get();
    for (index_t i = 0; i < 4; ++i) compared(i, (i * 5 + 3) * 6 + 2, line(i));
    EXPECT_TRUE(compared.equal());
    fill(plane.fix(0, 1), -1);
    EXPECT_EQ(reduce(plane, Reduce::min), -1);
    // The number of elements below 0. The callable also joins counts.
    struct Count {
      std::int64_t n;
    };
    struct Join {
      Count operator()(const Count& c, const std::int64_t& x) const { return {c.n + (x < 0 ? 1 : 0)}; }
      Count operator()(const Count& c, const Count& d) const { return {c.n + d.n}; }
    };
    EXPECT_EQ(reduce(a, Count{0}, Join{}).n, 6);
    const auto larger = [](double u, double v) { return std::max(u, v); };
    // The largest difference of two arrays, which optimisers need. The second has every second element of `b`.
    Array<double, 3> b(world(), Layout<3>::blocked({8, 5, 6}, world().size()), {.name = "b"});
    fill(b, 2.0);
    b.sync();
    if (world().rank() == 0) b.store({6, 4, 5}, -7.5);
    EXPECT_EQ(transform_reduce(a, b.slice(Patch<3>::whole({8, 5, 6}), {2, 1, 1}), 0.0, larger,
                               [](std::int64_t x, double y) { return std::abs(static_cast<double>(x) - y); }),
              119 + 7.5);
    EXPECT_EQ(transform_reduce(b, std::int64_t{0}, std::plus<>(),
                               [](double x) { return static_cast<std::int64_t>(x < 0); }),
              1);
    EXPECT_EQ(transform_reduce(a, a, a, 0.0, larger,
                               [](auto x, auto y, auto z) { return x == y && y == z ? 1.0 : 2.0; }),
              1);
    a.sync();
  }
}

// Each element is visited once, with its position, for any innermost dimension and any number of dimensions.
template <std::size_t N>
void check_visits(const Extents<N>& dims, int rounds) {
  Random random(600 + N);
  for (int round = 0; round < rounds; ++round) {
    Array<std::int64_t, N> a(world(), any_layout(random, dims), {.name = "visited"});
    fill(a, 0);
    const RandomSlice<N> slice(random, dims);
    SCOPED_TRACE(a.layout().description() + ": " + slice.of(a).core().description());
    for_each_local(slice.of(a), [&](const Index<N>& i, std::int64_t& x) {
      x = 10 * x + 1 + number_of(i, slice.model.dims);
    });
    std::vector<std::int64_t> expected(at(dims.size()), 0);
    for (std::size_t k = 0; k < slice.model.numbers.size(); ++k)
      expected[at(slice.model.numbers[k])] = static_cast<std::int64_t>(k) + 1;
    EXPECT_TRUE(has_contents(a, expected));
  }
}

TEST(Slice, for_each_local_visits_every_element_once) {
  check_visits<1>({23}, 4);
  check_visits<2>({9, 11}, 12);
  check_visits<3>({5, 4, 6}, 12);
  check_visits<4>({3, 4, 1, 5}, 8);
  check_visits<8>({2, 1, 3, 2, 1, 2, 2, 1}, 4);
}

TEST(Slice, wrong_uses_are_told) {
  Array<double, 2> a(world(), {6, 8}, {.name = "A"}), b(world(), {6, 8}, {.name = "B"});
  Array<std::int32_t, 2> n(world(), {6, 8}, {.name = "n"});
  fill(a, 1);
  fill(b, 2);
  fill(n, 3);
  const auto text = [](auto&& action) { return message_of<UsageError>(action); };
  EXPECT_NE(text([&] {
              a.slice({{0, 0}, {6, 9}});
            }).find("[0:6, 0:9) exceeds array \"A\" of extents 6 x 8 (dimension 1 ends at 9)"),
            std::string::npos);
  EXPECT_NE(text([&] {
              a.slice({{1, 1}, {5, 5}}).slice({{0, 0}, {4, 5}});
            }).find("slice [1:5, 1:5] of array \"A\""),
            std::string::npos);
  EXPECT_NE(text([&] { a.slice().every({0, 1}); }).find("a step of 0"), std::string::npos);
  EXPECT_NE(text([&] { a.slice().permuted({1, 1}); }).find("dimension 1 twice"), std::string::npos);
  EXPECT_NE(text([&] {
              a.slice().permuted({1, 2});
            }).find("dimension 2 that it does not have: they are 0 to 1"),
            std::string::npos);
  EXPECT_NE(text([&] {
              a.slice({{4, 0}, {3, 8}});
            }).find("is inverted: dimension 0 begins at 4 and ends before it, at 3"),
            std::string::npos);
  EXPECT_NE(text([&] { a.slice().fix(1, 8); }).find("position 8 is outside dimension 1 of array \"A\""),
            std::string::npos);
  EXPECT_NE(text([&] { a.slice().fix(2, 0); }).find("no dimension 2 that could be held: they are 0 to 1"),
            std::string::npos);
  EXPECT_NE(text([&] { a.update_ghosts_along(2); }).find("no dimension 2; its dimensions are 0 to 1"),
            std::string::npos);
  EXPECT_NE(text([&] {
              reshape(a, b.slice({{0, 0}, {2, 2}}));
            }).find("48 elements are not 4"),
            std::string::npos);
  EXPECT_NE(text([&] { copy(a.slice({{0, 0}, {3, 3}}), b); }).find("3 x 3"), std::string::npos);
  EXPECT_NE(text([&] {
              axpby(1, a.slice({{0, 0}, {5, 8}}), 1, a.slice({{1, 0}, {6, 8}}));
            }).find("overlaps"),
            std::string::npos);
  EXPECT_NE(text([&] { clamp(a, 2, 1); }).find("2 exceeds the upper, 1"), std::string::npos);
  LocalArray<double, 2> small({2, 2});
  EXPECT_NE(text([&] { a.slice({{0, 0}, {3, 3}}).put(small); }).find("2 x 2"), std::string::npos);
  EXPECT_NE(text([&] {
              a.slice({{0, 0}, {3, 3}}).get({{0, 0}, {4, 4}}, small);
            }).find("[0:4, 0:4)"),
            std::string::npos);
  // Integers cannot be divided by 0. Every rank is told, and the other elements are right.
  Array<std::int32_t, 2> zero(world(), {6, 8}, {.name = "zero"}), q(world(), {6, 8}, {.name = "q"});
  fill(zero, 1);
  fill(zero.slice({{5, 7}, {6, 8}}), 0);
  EXPECT_NE(text([&] { divide(n, zero, q); }).find("divided by 0"), std::string::npos);
  EXPECT_EQ(reduce(q, Reduce::sum), 3 * 47);
  // A slice whose elements can only be read.
  const Array<double, 2>& constant = a;
  static_assert(!WritableOperand<decltype(constant.slice())> && Operand<decltype(constant.slice())>);
  static_assert(WritableOperand<decltype(a.slice())> && WritableOperand<const decltype(a.slice())&>);
  static_assert(!WritableOperand<const Array<double, 2>&>);
  EXPECT_EQ(reduce(constant.slice({{0, 0}, {6, 8}}, {2, 3}), Reduce::sum), 9);
}

// Indices hold dimensions, and `all` keeps them, in arrays and slices.
TEST(Slices, indices_hold_dimensions) {
  using placeholders::all;
  Random random(77);
  const Extents<4> dims(3, 5, 4, 6);
  Array<std::int32_t, 4> t(world(), any_layout(random, dims), {.name = "t"});
  for_each_local(
      t, [&](const Index<4>& at, std::int32_t& x) { x = static_cast<std::int32_t>(number_of(at, dims)); });
  t.sync();
  const auto value = [&](index_t i, index_t j, index_t k, index_t l) {
    return static_cast<std::int32_t>(number_of(Index<4>(i, j, k, l), dims));
  };
  const Slice<std::int32_t, 2> matrix = t(2, all, 1, all);
  ASSERT_EQ(matrix.dims(), (Extents<2>{5, 6}));
  const Slice<const std::int32_t, 1> line = std::as_const(t)(std::size_t{0}, all, 3U, short{5});
  const Slice<std::int32_t, 3> part = t.slice({{1, 0, 0, 2}, {3, 5, 4, 6}})(all, all, 2, all);
  const auto elements = matrix.get();
  auto transfer = part.get_async({{0, 1, 0}, {2, 5, 4}});
  transfer.wait();
  EXPECT_TRUE(transfer.test());
  Comparison compared;
  for (index_t j = 0; j < 5; ++j) {
    compared(Index<1>(j), value(0, j, 3, 5), line.get()(j));
    for (index_t l = 0; l < 6; ++l) compared(Index<2>(j, l), value(2, j, 1, l), elements(j, l));
    for (index_t i = 0; i < 2; ++i)
      for (index_t l = 0; l < 4 && j > 0; ++l)
        compared(Index<3>(i, j, l), value(i + 1, j, 2, l + 2), transfer.data(i, j - 1, l));
  }
  EXPECT_TRUE(compared.equal());
  EXPECT_EQ(t(all, all, all, all).dims(), dims);
  EXPECT_THROW(t(3, all, 0, all), UsageError);
  EXPECT_THROW(t(all, all, -1, all), UsageError);
  EXPECT_THROW(t(all, all, all, ~std::uint64_t{0}), UsageError);
  EXPECT_THROW(t.get_async({{0, 0, 0, 0}, {3, 5, 5, 6}}), UsageError);
  EXPECT_THROW(part.get_async({{0, 0, 0}, {1, 1, 5}}), UsageError);
  world().sync();
}

// A slice of one element is that element, whatever the step that led to it.
TEST(Slices, of_one_element_have_no_step) {
  Array<double, 1> a(world(), Extents<1>(12), {.name = "a"});
  fill(a, 1.0);
  const auto stepped = a.slice({{2}, {9}}, {3}).slice({{0}, {1}});
  axpby(2.0, stepped, 1.0, a.slice({{2}, {3}}));
  EXPECT_EQ(a.load({2}), 3.0);
  a.sync();
}

// A transfer ends before its elements are replaced.
TEST(Slices, transfers_own_their_elements) {
  Array<double, 1> a(world(), Extents<1>(1000), {.name = "a"});
  for_each_local(a, [](const Index<1>& at, double& x) { x = static_cast<double>(at[0]); });
  a.sync();
  LocalTransfer<double, 1> transfer;
  transfer.wait();
  double sum = 0;
  for (index_t from = 0; from < 1000; from += 100) {
    transfer = std::as_const(a).get_async({from, from + 100});
    if (from % 200 != 0) continue;  // replaced while it may be under way
    transfer.wait();
    for (const double x : transfer.data) sum += x;
  }
  EXPECT_EQ(sum, 224750.0);
  a.sync();
}

}  // namespace
