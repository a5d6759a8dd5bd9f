// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <complex>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>
#include <tessera/scan.hpp>

#include "onesided_model.hpp"
#include "slice_model.hpp"

// Slices, checked against a serial model: an array is a vector, a slice a list of numbers of its elements.
namespace {

using namespace tessera;
using namespace tessera::test;

// Every rank reads, writes and accumulates patches of slices.
template <class T, std::size_t N>
void check_transfers(const Extents<N>& dims, int rounds) {
  const Group& all = world();
  Random random(300 + N), own(900 + static_cast<unsigned>(all.rank()));
  for (int round = 0; round < rounds; ++round) {
    const auto layouts = layouts_of(random, dims, all.size());
    const auto& layout = any_of(random, layouts);
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
      int wrong = 0;
      for_each_index(patch, [&](const Index<N>& where) {
        const T expected = model[at(slice.model.numbers[at(number_of(where, slice.model.dims))])];
        wrong += static_cast<int>(!(into.view[minus(where, patch.lo)] == expected));
      });
      EXPECT_EQ(wrong, 0);
    }
    array.sync();
    // The ranks write one after the other, and all know what is written.
    for (int turn = 0; turn < 2 * all.size(); ++turn) {
      const RandomSlice<N> slice(random, dims);
      const Patch<N> patch = random_patch(random, slice.model.dims);
      const auto values = random_numbers<T>(random, patch.size());
      const auto alpha = number<T>(3, 1);
      const bool add = turn % 2 == 1 && Arithmetic<T>;
      if (turn / 2 == all.rank()) {
        RandomBuffer<T, N> from(own, patch.extents());
        for_each_index(patch, [&](const Index<N>& where) {
          const Index<N> here = minus(where, patch.lo);
          from.view[here] = values[at(number_of(here, patch.extents()))];
        });
        const View<const T, N> view = from.view;
        const auto part = slice.of(array);
        if constexpr (Arithmetic<T>) {
          if (add)
            pick(own, 0, 1) == 0 ? part.acc(patch, view, alpha) : part.acc_async(patch, view, alpha).wait();
        }
        if (!add) pick(own, 0, 1) == 0 ? part.put(patch, view) : part.put_async(patch, view).wait();
      }
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
    EXPECT_TRUE(contents(array) == model);
  }
}

TEST(Slice, transfers) {
  check_transfers<double, 1>({23}, 4);
  check_transfers<std::int32_t, 2>({9, 11}, 6);
  check_transfers<std::complex<float>, 3>({5, 4, 6}, 4);
  check_transfers<Triple, 2>({7, 5}, 3);
  check_transfers<double, 8>({2, 1, 3, 2, 1, 2, 2, 1}, 2);
  check_transfers<double, 2>({0, 4}, 1);
}

// Operations on slices of arrays of any layouts. The three have the same extents, but not the same strides.
template <class T, std::size_t N>
struct Operands {
  Random& random;
  std::vector<Extents<N>> dims;
  std::vector<Array<T, N>> arrays;
  std::vector<std::vector<T>> models;
  std::vector<RandomSlice<N>> slices;

  Operands(Random& generator, int count) : random(generator) {
    Extents<N> wanted;
    for (std::size_t d = 0; d < N; ++d)
      wanted[d] = pick(random, 0, 20) == 0 ? 0 : pick(random, 1, N > 3 ? 2 : 7);
    // Large enough in every dimension that any permutation fits.
    for (int i = 0; i < count; ++i) {
      Extents<N> own;
      for (std::size_t d = 0; d < N; ++d) own[d] = pick(random, N > 3 ? 2 : 7, N > 3 ? 3 : 15);
      dims.push_back(own);
      const auto layouts = layouts_of(random, own, world().size());
      arrays.emplace_back(world(), any_of(random, layouts), ArrayOptions<N>{.name = "operand"});
      models.push_back(random_numbers<T>(random, own.size()));
      set_contents(arrays.back(), models.back());
      slices.emplace_back(random, own, wanted);
    }
  }
  auto slice(int i) { return slices[at(i)].of(arrays[at(i)]); }
  index_t size() const { return slices[0].model.dims.size(); }
  T& element(int i, index_t k) { return models[at(i)][at(slices[at(i)].model.numbers[at(k)])]; }
  bool is_right(int i) { return contents(arrays[at(i)]) == models[at(i)]; }
  template <class F>
  void expect(F&& f) {
    for (index_t k = 0; k < size(); ++k) f(k);
    for (int i = 0; i < static_cast<int>(arrays.size()); ++i)
      EXPECT_TRUE(is_right(i)) << "operand " << i << ": " << slice(i).core().description() << ", "
                               << arrays[at(i)].layout().description();
  }
};

template <class T, std::size_t N>
void check_operations(int rounds) {
  Random random(400 + 10 * N + sizeof(T));
  for (int round = 0; round < rounds; ++round) {
    Operands<T, N> o(random, 3);
    copy(o.slice(0), o.slice(1));
    o.expect([&](index_t k) { o.element(1, k) = o.element(0, k); });
    fill(o.slice(1), number<T>(4, 2));
    o.expect([&](index_t k) { o.element(1, k) = number<T>(4, 2); });
    if constexpr (Arithmetic<T>) {
      const T two = number<T>(2, 1), three = number<T>(-3);
      axpby(two, o.slice(0), three, o.slice(1), o.slice(2));
      o.expect([&](index_t k) { o.element(2, k) = two * o.element(0, k) + three * o.element(1, k); });
      axpby(two, o.slice(0), number<T>(0), o.slice(2));
      o.expect([&](index_t k) { o.element(2, k) = two * o.element(0, k); });
      scale(o.slice(2), three);
      o.expect([&](index_t k) { o.element(2, k) *= three; });
      add_constant(o.slice(0), two);
      o.expect([&](index_t k) { o.element(0, k) += two; });
      multiply(o.slice(0), o.slice(1), o.slice(2));
      o.expect([&](index_t k) { o.element(2, k) = o.element(0, k) * o.element(1, k); });
      fill(o.slice(0), two);
      divide(o.slice(2), o.slice(0), o.slice(1));
      o.expect([&](index_t k) {
        o.element(0, k) = two;
        o.element(1, k) = o.element(2, k) / o.element(0, k);
      });
      T sum{}, products{}, conjugated{};
      double norm = 0;
      for (index_t k = 0; k < o.size(); ++k) {
        const T x = o.element(1, k), y = o.element(2, k);
        T left = x;
        if constexpr (!RealElement<T>) left = std::conj(left);
        sum += x;
        products += x * y;
        conjugated += left * y;
        norm += static_cast<double>(std::abs(x));
      }
      EXPECT_EQ(reduce(o.slice(1), Reduce::sum), sum);
      EXPECT_EQ(dot(o.slice(1), o.slice(2)), conjugated);
      EXPECT_EQ(dot_unconjugated(o.slice(1), o.slice(2)), products);
      EXPECT_NEAR(norm1(o.slice(1)), norm, 1e-4 * norm);
    }
    if constexpr (RealElement<T>) {
      minimum(o.slice(0), o.slice(1), o.slice(2));
      o.expect([&](index_t k) { o.element(2, k) = std::min(o.element(0, k), o.element(1, k)); });
      maximum(o.slice(0), o.slice(1), o.slice(2));
      o.expect([&](index_t k) { o.element(2, k) = std::max(o.element(0, k), o.element(1, k)); });
      clamp(o.slice(2), number<T>(-5), number<T>(5));
      o.expect([&](index_t k) { o.element(2, k) = std::clamp(o.element(2, k), number<T>(-5), number<T>(5)); });
      tessera::abs(o.slice(2), o.slice(0));
      o.expect([&](index_t k) { o.element(0, k) = std::abs(o.element(2, k)); });
      if (o.size() > 0) {
        index_t least = 0, most = 0;
        for (index_t k = 1; k < o.size(); ++k) {
          if (o.element(2, k) < o.element(2, least)) least = k;
          if (o.element(2, most) < o.element(2, k)) most = k;
        }
        const auto low = min_element(o.slice(2)), high = max_element(o.slice(2));
        EXPECT_EQ(low.value, o.element(2, least));
        EXPECT_EQ(number_of(low.at, o.slices[2].model.dims), least);
        EXPECT_EQ(number_of(high.at, o.slices[2].model.dims), most);
        EXPECT_EQ(high.value, o.element(2, most));
      } else {
        EXPECT_THROW(min_element(o.slice(2)), UsageError);
      }
    }
    transform(o.slice(0), o.slice(1), o.slice(2), [](const T& a, const T& b) { return a == b ? a : b; });
    o.expect([&](index_t k) { o.element(2, k) = o.element(1, k); });
    transform(o.slice(0), o.slice(1), o.slice(2), o.slice(2),
              [](const T& a, const T& b, const T& c) { return a == b ? c : a; });
    o.expect([&](index_t k) {
      if (!(o.element(0, k) == o.element(1, k))) o.element(2, k) = o.element(0, k);
    });
  }
}

TEST(Slice, operations) {
  check_operations<double, 1>(3);
  check_operations<std::int32_t, 2>(4);
  check_operations<std::int64_t, 3>(2);
  check_operations<float, 2>(2);
  check_operations<std::complex<float>, 1>(1);
  check_operations<std::complex<double>, 3>(3);
  check_operations<double, 8>(1);
  check_operations<Triple, 2>(1);
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
    const auto layouts = layouts_of(random, dims, world().size());
    Array<double, N> array(world(), any_of(random, layouts), {.name = "shifted"});
    auto model = random_numbers<double>(random, dims.size());
    set_contents(array, model);
    const RandomSlice<N> from(random, dims, wanted), to(random, dims, wanted);
    copy(from.of(array), to.of(array));
    const auto before = model;
    for (std::size_t k = 0; k < from.model.numbers.size(); ++k)
      model[at(to.model.numbers[k])] = before[at(from.model.numbers[k])];
    EXPECT_TRUE(contents(array) == model)
        << array.layout().description() << ": " << from.of(array).core().description() << " to "
        << to.of(array).core().description();
  }
}

// Behind the last element of a strided slice the array may have ended. Here the slice has columns 3 and 6 of 8,
// and the next would be 9.
TEST(Slice, in_steps_has_an_end) {
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

TEST(Slice, copies_within_an_array) {
  check_overlaps<1>(8);
  check_overlaps<2>(8);
  check_overlaps<3>(4);
}

TEST(Slice, rows_and_planes) {
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
    int wrong = 0;
    for (index_t i = 0; i < 4; ++i) {
      for (index_t k = 0; k < 6; ++k) wrong += static_cast<int>(got(i, k) != (i * 5 + 3) * 6 + k);
    }
    const auto row = plane.transposed().fix(0, 2);
    EXPECT_EQ(row.dims(), Extents<1>{4});
    const auto line = row.get();
    for (index_t i = 0; i < 4; ++i) wrong += static_cast<int>(line(i) != (i * 5 + 3) * 6 + 2);
    EXPECT_EQ(wrong, 0);
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

TEST(Slice, matrices) {
  Random random(88);
  for (int round = 0; round < 12; ++round) {
    const Extents<2> dims(pick(random, 1, 9), pick(random, 1, 9));
    const index_t length = std::min(dims[0], dims[1]);
    const auto layouts = layouts_of(random, dims, world().size());
    const auto lines = layouts_of(random, Extents<1>(pick(random, 9, 12)), world().size());
    Array<double, 2> a(world(), any_of(random, layouts), {.name = "matrix"});
    Array<double, 1> v(world(), any_of(random, lines), {.name = "vector"});
    SCOPED_TRACE(a.layout().description() + ", " + v.layout().description());
    auto model = random_numbers<double>(random, dims.size());
    auto factors = random_numbers<double>(random, v.size());
    set_contents(a, model);
    set_contents(v, factors);
    auto element = [&](index_t i, index_t j) -> double& { return model[at(i * dims[1] + j)]; };
    scale_rows(a, v.slice({{0}, {dims[0]}}));
    scale_columns(a.slice(), v.slice({{0}, {dims[1]}}));
    for (index_t i = 0; i < dims[0]; ++i) {
      for (index_t j = 0; j < dims[1]; ++j) element(i, j) *= factors[at(i)] * factors[at(j)];
    }
    EXPECT_TRUE(contents(a) == model);
    const auto part = v.slice({{0}, {length}});
    add_diagonal(a, part);
    shift_diagonal(a, 5);
    for (index_t i = 0; i < length; ++i) element(i, i) += factors[at(i)] + 5;
    EXPECT_TRUE(contents(a) == model);
    get_diagonal(a, part);
    for (index_t i = 0; i < length; ++i) factors[at(i)] = element(i, i);
    EXPECT_TRUE(contents(v) == factors);
    fill_diagonal(a.slice().transposed(), 3);
    for (index_t i = 0; i < length; ++i) element(i, i) = 3;
    EXPECT_TRUE(contents(a) == model);
    set_diagonal(a, part);
    for (index_t i = 0; i < length; ++i) element(i, i) = factors[at(i)];
    EXPECT_TRUE(contents(a) == model);
    const auto square = a.slice({{0, 0}, {length, length}});
    symmetrise(square);
    for (index_t i = 0; i < length; ++i) {
      for (index_t j = 0; j < i; ++j) element(i, j) = element(j, i) = (element(i, j) + element(j, i)) * 0.5;
    }
    EXPECT_TRUE(contents(a) == model);
    set_contents(a, model = random_numbers<double>(random, dims.size()));
    transpose(square, square);
    for (index_t i = 0; i < length; ++i) {
      for (index_t j = 0; j < i; ++j) std::swap(element(i, j), element(j, i));
    }
    EXPECT_TRUE(contents(a) == model);
    EXPECT_THROW(scale_rows(a, v.slice({{0}, {dims[0] - 1}})), UsageError);
    EXPECT_THROW(get_diagonal(a, v.slice({{0}, {0}})), UsageError);
  }
}

TEST(Slice, random_numbers_do_not_depend_on_layouts) {
  const Extents<2> dims{13, 17};
  Random random(99);
  const auto layouts = layouts_of(random, dims, world().size());
  std::vector<double> first;
  for (const auto& layout : layouts) {
    Array<double, 2> a(world(), layout, {.name = "random"});
    randomize(a, 0);
    const auto values = contents(a);
    if (first.empty()) first = values;
    EXPECT_TRUE(values == first) << layout.description();
  }
  // Philox 4x32-10 of counter 0 and key 0 begins with 6627e8d5 (Random123's known answers), and Philox 4x32-10
  // of all ones begins with 408f276d. The element is the upper 53 bits of the first 64 bits.
  EXPECT_EQ(first[0], static_cast<double>(0x6627e8d5e169c58dULL >> 11) * 0x1p-53);
  double sum = 0;
  for (double x : first) {
    EXPECT_GE(x, 0);
    EXPECT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / static_cast<double>(first.size()), 0.5, 0.08);
  Array<std::int32_t, 1> dice(world(), {1000}, {.name = "dice"});
  randomize(dice, 7, 1, 6);
  EXPECT_EQ(reduce(dice, Reduce::min), 1);
  EXPECT_EQ(reduce(dice, Reduce::max), 6);
  EXPECT_NE(message_of<UsageError>([&] { randomize(dice, 7, 6, 1); }).find("from 6 to 1"), std::string::npos);
  Array<std::complex<double>, 1> plane(world(), {100}, {.name = "plane"});
  EXPECT_THROW(randomize(plane, 7, {-1, 2}, {1, 1}), UsageError);
  EXPECT_THROW(randomize(plane, 7, {std::nan(""), 2}, {1, 3}), UsageError);
  randomize(plane, 7, {-1, 2}, {1, 3});
  for (const auto& z : contents(plane)) {
    EXPECT_LT(std::abs(z.real()), 1);
    EXPECT_NEAR(z.imag(), 2.5, 0.5);
  }
}

// Aligned as vector instructions need it, also where elements are fetched first.
struct alignas(64) Line {
  double x[8];
};

TEST(Slice, elements_may_be_aligned_to_cache_lines) {
  const Extents<2> dims{7, 5};
  Random random(5);
  const auto layouts = layouts_of(random, dims, world().size());
  Array<Line, 2> from(world(), layouts.front());
  for_each_local(from, [&](const Index<2>& at, Line& line) {
    for (double& x : line.x) x = static_cast<double>(number_of(at, dims));
  });
  from.sync();
  for (const auto& layout : layouts) {
    Array<Line, 2> to(world(), layout);
    int misplaced = 0;
    transform(from, to, [&](const Line& line) {
      misplaced += static_cast<int>(reinterpret_cast<std::uintptr_t>(&line) % alignof(Line) != 0);
      return line;
    });
    EXPECT_EQ(misplaced, 0) << layout.description();
    int wrong = 0;
    for_each_local(to, [&](const Index<2>& at, const Line& line) {
      wrong += static_cast<int>(line.x[7] != static_cast<double>(number_of(at, dims)));
    });
    EXPECT_EQ(wrong, 0) << layout.description();
  }
}

TEST(Slice, element_types_may_differ_in_transform) {
  Array<std::int32_t, 2> counts(world(), {6, 7}, {.name = "counts"});
  Array<double, 2> halves(world(), {6, 7}, {.name = "halves"});
  for_each_local(counts,
                 [](const Index<2>& i, std::int32_t& x) { x = static_cast<std::int32_t>(i[0] * 7 + i[1]); });
  transform(counts, halves, [](std::int32_t n) { return n / 2.0; });
  EXPECT_EQ(reduce(halves, Reduce::sum), 41 * 42 / 4.0);
}

struct State {
  double energy, mass;
  double weighed(double by) const { return by * mass; }
  State joined(const State& other) const { return {energy + other.energy, mass + other.mass}; }
  bool operator==(const State&) const = default;
};

TEST(Slice, members_pass_as_functions) {
  Array<State, 1> states(world(), {10}, {.name = "states"});
  fill(states, State{0.5, 3});
  EXPECT_EQ(transform_reduce(states, 0.0, std::plus<>(), &State::energy), 5);
  EXPECT_EQ(reduce(states, State{0, 0}, &State::joined), (State{5, 30}));
  Array<double, 1> x(world(), {10}, {.name = "x"}), y(world(), {10}, {.name = "y"});
  transform(states, x, &State::mass);
  EXPECT_EQ(reduce(x, Reduce::sum), 30);
  transform(states, x, y, &State::weighed);
  EXPECT_EQ(reduce(y, Reduce::sum), 90);
  EXPECT_EQ(transform_reduce(states, x, 0.0, std::plus<>(), &State::weighed), 90);
}

// Each element is visited once, with its position, for any innermost dimension and any number of dimensions.
template <std::size_t N>
void check_visits(const Extents<N>& dims, int rounds) {
  Random random(600 + N);
  for (int round = 0; round < rounds; ++round) {
    const auto layouts = layouts_of(random, dims, world().size());
    Array<std::int64_t, N> a(world(), any_of(random, layouts), {.name = "visited"});
    fill(a, 0);
    const RandomSlice<N> slice(random, dims);
    SCOPED_TRACE(a.layout().description() + ": " + slice.of(a).core().description());
    for_each_local(slice.of(a), [&](const Index<N>& i, std::int64_t& x) {
      x = 10 * x + 1 + number_of(i, slice.model.dims);
    });
    std::vector<std::int64_t> expected(at(dims.size()), 0);
    for (std::size_t k = 0; k < slice.model.numbers.size(); ++k)
      expected[at(slice.model.numbers[k])] = static_cast<std::int64_t>(k) + 1;
    EXPECT_TRUE(contents(a) == expected);
  }
}

TEST(Slice, for_each_local_visits_every_element_once) {
  check_visits<1>({23}, 4);
  check_visits<2>({9, 11}, 12);
  check_visits<3>({5, 4, 6}, 12);
  check_visits<4>({3, 4, 1, 5}, 8);
  check_visits<8>({2, 1, 3, 2, 1, 2, 2, 1}, 4);
}

// Operands large enough to be cut into tiles and, between nodes, to be fetched in pieces. Their dimensions are
// in any order. The elements are their row-major numbers in the array.
template <class T, std::size_t N>
void check_turned(const Extents<N>& dims, int rounds) {
  Random random(700 + 10 * N + sizeof(T));
  // Small enough that sums of products are exact in single precision.
  const auto value_of = [](index_t k) { return number<T>(static_cast<int>(k % 31)); };
  for (int round = 0; round < rounds; ++round) {
    struct Operand {
      RandomSlice<N> slice;
      Array<T, N> array;
    };
    std::vector<Operand> o;
    Extents<N> wanted = dims;
    std::string text;
    for (int i = 0; i < 3; ++i) {
      // Room for every permutation, and for strides in some dimensions.
      Extents<N> own;
      const index_t widest = *std::max_element(dims.begin(), dims.end());
      for (std::size_t d = 0; d < N; ++d) own[d] = widest + pick(random, 0, 1) * pick(random, 0, widest);
      const RandomSlice<N> slice(random, own, wanted);
      auto layouts = layouts_of(random, own, world().size());
      o.push_back({slice, Array<T, N>(world(), any_of(random, layouts), {.name = "turned"})});
      for_each_local(o.back().array, [&](const Index<N>& where, T& x) { x = value_of(number_of(where, own)); });
      text +=
          slice.of(o.back().array).core().description() + ", " + o.back().array.layout().description() + "; ";
    }
    SCOPED_TRACE(text);
    auto slice = [&](std::size_t i) { return o[i].slice.of(o[i].array); };
    auto value = [&](std::size_t i, index_t k) { return value_of(o[i].slice.model.numbers[at(k)]); };
    const index_t size = wanted.size();
    T products{};
    for (index_t k = 0; k < size; ++k) products += value(0, k) * value(1, k);
    EXPECT_EQ(dot_unconjugated(slice(0), slice(1)), products);
    EXPECT_EQ(
        transform_reduce(slice(2), slice(0), slice(1), std::int64_t{0}, std::plus<>(),
                         [](const T& x, const T& y, const T& z) {
                           return static_cast<std::int64_t>(std::abs(x + T{2} * y + T{3} * z));
                         }),
        [&] {
          std::int64_t sum = 0;
          for (index_t k = 0; k < size; ++k)
            sum += static_cast<std::int64_t>(std::abs(value(2, k) + T{2} * value(0, k) + T{3} * value(1, k)));
          return sum;
        }());
    axpby(T{2}, slice(0), T{-3}, slice(1), slice(2));
    auto wrong = [&](auto&& expected) {
      int count = 0;
      for_each_local(slice(2), [&](const Index<N>& i, const T& x) {
        count += static_cast<int>(!(x == expected(number_of(i, wanted))));
      });
      return count;
    };
    const auto combined = [&](index_t k) { return T{2} * value(0, k) - T{3} * value(1, k); };
    EXPECT_EQ(wrong(combined), 0);
    // The result is an operand, too.
    transform(slice(2), slice(0), slice(2), [](const T& x, const T& y) { return x + y; });
    EXPECT_EQ(wrong([&](index_t k) { return combined(k) + value(0, k); }), 0);
  }
}

TEST(Slice, operands_in_other_orders) {
  check_turned<double, 2>({130, 170}, 1);
  check_turned<float, 3>({30, 2, 41}, 1);
  check_turned<std::int64_t, 3>({33, 20, 25}, 1);
  check_turned<std::complex<double>, 3>({40, 31, 17}, 1);
  check_turned<double, 4>({11, 12, 13, 9}, 1);
  check_turned<std::complex<float>, 5>({5, 6, 7, 4, 6}, 1);
  check_turned<double, 8>({3, 3, 2, 3, 1, 3, 3, 2}, 1);
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

}  // namespace
