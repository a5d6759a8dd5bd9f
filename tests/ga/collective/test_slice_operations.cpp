// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <tessera/elementwise.hpp>
#include <tessera/matrix.hpp>
#include <tessera/reductions.hpp>

#include "local_elements.hpp"
#include "onesided_model.hpp"
#include "slice_model.hpp"

// Operations on the elements of slices, checked against serial loops.
namespace {

using namespace tessera;
using namespace tessera::test;

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
      arrays.emplace_back(world(), any_layout(random, own), ArrayOptions<N>{.name = "operand"});
      models.push_back(random_numbers<T>(random, own.size()));
      set_contents(arrays.back(), models.back());
      slices.emplace_back(random, own, wanted);
    }
  }
  auto slice(int i) { return slices[at(i)].of(arrays[at(i)]); }
  index_t size() const { return slices[0].model.dims.size(); }
  T& element(int i, index_t k) { return models[at(i)][at(slices[at(i)].model.numbers[at(k)])]; }
  template <class F>
  void expect(F&& f) {
    for (index_t k = 0; k < size(); ++k) f(k);
    for (int i = 0; i < static_cast<int>(arrays.size()); ++i)
      EXPECT_TRUE(has_contents(arrays[at(i)], models[at(i)]))
          << "operand " << i << ": " << slice(i).core().description() << ", "
          << arrays[at(i)].layout().description();
  }
};

template <class T, std::size_t N>
void check_arithmetic(Operands<T, N>& o) {
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

// Operations on numbers that have an order.
template <class T, std::size_t N>
void check_order(Operands<T, N>& o) {
  minimum(o.slice(0), o.slice(1), o.slice(2));
  o.expect([&](index_t k) { o.element(2, k) = std::min(o.element(0, k), o.element(1, k)); });
  maximum(o.slice(0), o.slice(1), o.slice(2));
  o.expect([&](index_t k) { o.element(2, k) = std::max(o.element(0, k), o.element(1, k)); });
  clamp(o.slice(2), number<T>(-5), number<T>(5));
  o.expect([&](index_t k) { o.element(2, k) = std::clamp(o.element(2, k), number<T>(-5), number<T>(5)); });
  tessera::abs(o.slice(2), o.slice(0));
  o.expect([&](index_t k) { o.element(0, k) = std::abs(o.element(2, k)); });
  if (o.size() == 0) {
    EXPECT_THROW(min_element(o.slice(2)), UsageError);
    return;
  }
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
}

template <class T, std::size_t N>
void check_operations(int rounds) {
  Random random(400 + 10 * N + sizeof(T));
  for (int round = 0; round < rounds; ++round) {
    Operands<T, N> o(random, 3);
    copy(o.slice(0), o.slice(1));
    o.expect([&](index_t k) { o.element(1, k) = o.element(0, k); });
    fill(o.slice(1), number<T>(4, 2));
    o.expect([&](index_t k) { o.element(1, k) = number<T>(4, 2); });
    if constexpr (Arithmetic<T>) check_arithmetic(o);
    if constexpr (RealElement<T>) check_order(o);
    transform(o.slice(0), o.slice(1), o.slice(2), [](const T& a, const T& b) { return a == b ? a : b; });
    o.expect([&](index_t k) { o.element(2, k) = o.element(1, k); });
    transform(o.slice(0), o.slice(1), o.slice(2), o.slice(2),
              [](const T& a, const T& b, const T& c) { return a == b ? c : a; });
    o.expect([&](index_t k) {
      if (!(o.element(0, k) == o.element(1, k))) o.element(2, k) = o.element(0, k);
    });
  }
}

TEST(Slice, operations_change_only_the_elements_of_slices) {
  check_operations<double, 1>(3);
  check_operations<std::int32_t, 2>(4);
  check_operations<std::int64_t, 3>(2);
  check_operations<float, 2>(2);
  check_operations<std::complex<float>, 1>(1);
  check_operations<std::complex<double>, 3>(3);
  check_operations<double, 8>(1);
  check_operations<Triple, 2>(1);
}

TEST(Slice, slices_are_matrices_with_rows_columns_and_diagonals) {
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
    EXPECT_TRUE(has_contents(a, model));
    const auto part = v.slice({{0}, {length}});
    add_diagonal(a, part);
    shift_diagonal(a, 5);
    for (index_t i = 0; i < length; ++i) element(i, i) += factors[at(i)] + 5;
    EXPECT_TRUE(has_contents(a, model));
    get_diagonal(a, part);
    for (index_t i = 0; i < length; ++i) factors[at(i)] = element(i, i);
    EXPECT_TRUE(has_contents(v, factors));
    fill_diagonal(a.slice().transposed(), 3);
    for (index_t i = 0; i < length; ++i) element(i, i) = 3;
    EXPECT_TRUE(has_contents(a, model));
    set_diagonal(a, part);
    for (index_t i = 0; i < length; ++i) element(i, i) = factors[at(i)];
    EXPECT_TRUE(has_contents(a, model));
    const auto square = a.slice({{0, 0}, {length, length}});
    symmetrise(square);
    for (index_t i = 0; i < length; ++i) {
      for (index_t j = 0; j < i; ++j) element(i, j) = element(j, i) = (element(i, j) + element(j, i)) * 0.5;
    }
    EXPECT_TRUE(has_contents(a, model));
    set_contents(a, model = random_numbers<double>(random, dims.size()));
    transpose(square, square);
    for (index_t i = 0; i < length; ++i) {
      for (index_t j = 0; j < i; ++j) std::swap(element(i, j), element(j, i));
    }
    EXPECT_TRUE(has_contents(a, model));
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
    Comparison compared;
    for (std::size_t i = 0; i < first.size(); ++i) compared(i, first[i], values.at(i));
    EXPECT_TRUE(compared.equal()) << layout.description();
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
struct alignas(64) CacheLine {
  double x[8];
};

TEST(Slice, elements_may_be_aligned_to_cache_lines) {
  const Extents<2> dims{7, 5};
  Random random(5);
  const auto layouts = layouts_of(random, dims, world().size());
  Array<CacheLine, 2> from(world(), layouts.front());
  for_each_local(from, [&](const Index<2>& at, CacheLine& line) {
    for (double& x : line.x) x = static_cast<double>(number_of(at, dims));
  });
  from.sync();
  for (const auto& layout : layouts) {
    Array<CacheLine, 2> to(world(), layout);
    int misplaced_lines = 0;
    transform(from, to, [&](const CacheLine& line) {
      misplaced_lines += static_cast<int>(reinterpret_cast<std::uintptr_t>(&line) % alignof(CacheLine) != 0);
      return line;
    });
    EXPECT_EQ(misplaced_lines, 0) << layout.description();
    Comparison compared;
    for_each_local(to, [&](const Index<2>& at, const CacheLine& line) {
      compared(at, static_cast<double>(number_of(at, dims)), line.x[7]);
    });
    EXPECT_TRUE(compared.equal()) << layout.description();
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
      o.push_back({slice, Array<T, N>(world(), any_layout(random, own), {.name = "turned"})});
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
    auto result_is = [&](auto&& expected) {
      return local_elements_are(slice(2), [&](const Index<N>& i) { return expected(number_of(i, wanted)); });
    };
    const auto combined = [&](index_t k) { return T{2} * value(0, k) - T{3} * value(1, k); };
    EXPECT_TRUE(result_is(combined));
    // The result is an operand, too.
    transform(slice(2), slice(0), slice(2), [](const T& x, const T& y) { return x + y; });
    EXPECT_TRUE(result_is([&](index_t k) { return combined(k) + value(0, k); }));
  }
}

TEST(Slice, operands_may_have_their_dimensions_in_any_order) {
  check_turned<double, 2>({130, 170}, 1);
  check_turned<float, 3>({30, 2, 41}, 1);
  check_turned<std::int64_t, 3>({33, 20, 25}, 1);
  check_turned<std::complex<double>, 3>({40, 31, 17}, 1);
  check_turned<double, 4>({11, 12, 13, 9}, 1);
  check_turned<std::complex<float>, 5>({5, 6, 7, 4, 6}, 1);
  check_turned<double, 8>({3, 3, 2, 3, 1, 3, 3, 2}, 1);
}

}  // namespace
