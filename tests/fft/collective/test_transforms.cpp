// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <algorithm>
#include <array>
#include <tuple>

#include "dft_model.hpp"

// Transforms of every kind of operand, compared with the sums of the definition.

namespace tessera {
namespace {

using namespace test;
using fft::Decomposition;
using fft::Effort;

template <class T>
class Transforms : public testing::Test {};
using Scalars = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Transforms, Scalars);

// One problem, forward and backward, between operands of given kinds.
template <class T, std::size_t N>
void check(const Extents<N>& dims, const fft::Options& options, std::array<unsigned, 2> operands,
           std::array<unsigned, 2> layouts, unsigned seed) {
  SCOPED_TRACE(testing::Message() << "extents " << testing::PrintToString(dims.values()) << ", dimensions "
                                  << testing::PrintToString(options.dimensions) << ", operands " << operands[0]
                                  << " and " << operands[1] << ", layouts " << layouts[0] << " and "
                                  << layouts[1]);
  using C = fft::Complex<T>;
  fft::Transform<T, N> plan(world(), dims, options);
  Operands<T, N> space(dims, operands[0], layouts[0]);
  Operands<C, N> spectrum(plan.spectrum_dims(), operands[1], layouts[1]);
  const auto along = listed<N>(options.dimensions);
  const std::vector<T> x = random_elements<T>(dims.size(), seed);
  const std::vector<Precise> sum = sums(precise(x), dims, along, -1);
  const std::vector<Precise> expected = cut(sum, dims, plan.spectrum_dims());
  space.set(x);
  plan.forward(space.slice(), spectrum.slice());
  EXPECT_TRUE(is_near(expected, spectrum.get()));
  EXPECT_EQ(space.get(), x);  // the input stays

  const std::vector<C> before = spectrum.get();
  Operands<T, N> again(dims, operands[1] + 2, layouts[1] + 1);
  plan.backward(spectrum.slice(), again.slice());
  EXPECT_TRUE(is_near(precise(x), again.get()));
  EXPECT_EQ(spectrum.get(), before);
  if constexpr (is_complex<T>) {  // a random spectrum; that of a real array has to be consistent
    const std::vector<T> y = random_elements<T>(dims.size(), seed + 1);
    std::vector<Precise> back = sums(precise(y), dims, along, 1);
    long double points = 1;
    for (const int d : along) points *= static_cast<long double>(dims[at(d)]);
    for (Precise& value : back) value /= points;
    spectrum.set(y);
    plan.backward(spectrum.slice());
    EXPECT_TRUE(is_near(back, spectrum.get()));
  }
  EXPECT_EQ(space.written_outside(), 0);
  EXPECT_EQ(spectrum.written_outside(), 0);
  EXPECT_EQ(again.written_outside(), 0);
}

// All lists of dimensions of an array of N, each in one or two orders.
template <std::size_t N>
std::vector<std::vector<int>> lists() {
  if constexpr (N == 1) return {{}, {0}};
  if constexpr (N == 2) return {{}, {0}, {1}, {1, 0}};
  if constexpr (N == 3) return {{}, {0}, {1}, {2}, {0, 1}, {2, 0}, {1, 2}, {2, 1, 0}, {0, 2, 1}};
}

TYPED_TEST(Transforms, equal_the_sums_for_every_list_of_dimensions) {
  // Between nodes, each element type has other problems.
  const auto one_in = static_cast<unsigned>(times(world(), 1, 5));
  unsigned seed = sizeof(TypeParam) / 4 + (is_complex<TypeParam> ? 1 : 0);
  const auto each = [&]<std::size_t N>(const std::vector<Extents<N>>& all) {
    for (const Extents<N>& dims : all) {
      for (const std::vector<int>& dimensions : lists<N>()) {
        for (const Decomposition how :
             {Decomposition::automatic, Decomposition::slabs, Decomposition::pencils}) {
          if (++seed % one_in != 0) continue;
          check<TypeParam, N>(dims, {.dimensions = dimensions, .decomposition = how}, {0, 0},
                              {seed % layout_kinds, seed / 3 % layout_kinds}, seed);
        }
      }
    }
  };
  each(std::vector<Extents<1>>{{1}, {2}, {30}, {37}});
  each(std::vector<Extents<2>>{{12, 10}, {5, 7}, {1, 9}, {2, 33}});
  each(std::vector<Extents<3>>{{6, 8, 10}, {3, 5, 7}, {1, 4, 1}, {2, 2, 13}});
}

TYPED_TEST(Transforms, read_and_write_every_kind_of_operand) {
  const auto one_in = static_cast<unsigned>(times(world(), 1, 5));
  unsigned seed = 100 + sizeof(TypeParam) / 4 + (is_complex<TypeParam> ? 1 : 0);
  for (unsigned layout = 0; layout < layout_kinds; ++layout) {
    for (unsigned operand = 0; operand < operand_kinds; ++operand) {
      if (++seed % one_in != 0) continue;
      check<TypeParam, 1>({19}, {}, {operand, seed}, {layout, seed / 2}, seed);
      check<TypeParam, 2>({9, 11}, {}, {operand, seed}, {layout, seed / 2}, seed);
      check<TypeParam, 2>({8, 6}, {.dimensions = {static_cast<int>(seed % 2)}}, {seed, operand},
                          {seed / 2, layout}, seed);
      check<TypeParam, 3>({5, 6, 9}, {}, {operand, seed}, {layout, seed / 2}, seed);
    }
  }
}

TYPED_TEST(Transforms, of_one_plan_serve_many_operands) {
  using T = TypeParam;
  using C = fft::Complex<T>;
  const Extents<3> dims{7, 6, 5};
  fft::Transform<T, 3> plan(world(), dims, {.effort = Effort::measure});
  EXPECT_TRUE(plan.group() == world());
  EXPECT_EQ(plan.dims(), dims);
  EXPECT_EQ(plan.spectrum_dims(), is_complex<T> ? dims : (Extents<3>{7, 6, 3}));
  fft::Transform<T, 3> moved = std::move(plan);
  for (unsigned kind = 0; kind < 2 * layout_kinds; ++kind) {
    Operands<T, 3> space(dims, kind, kind);
    Operands<C, 3> spectrum(moved.spectrum_dims(), kind / 2, kind / 2);
    if (kind % 4 == 0) moved.tune(space.slice(), spectrum.slice());
    const auto x = random_elements<T>(dims.size(), kind);
    space.set(x);
    moved.forward(space.slice(), spectrum.slice());
    EXPECT_TRUE(
        is_near(cut(sums(precise(x), dims, {0, 1, 2}, -1), dims, moved.spectrum_dims()), spectrum.get()));
    fill(space.slice(), T(0));
    moved.backward(spectrum.slice(), space.slice());
    EXPECT_TRUE(is_near(precise(x), space.get()));
  }
}

TYPED_TEST(Transforms, of_lines_longer_than_a_chunk) {
  using T = TypeParam;
  using C = fft::Complex<T>;
  // Plane waves: the spectrum is known. 2 x 2^16 points do not fit a chunk on one node.
  const Extents<2> dims{3, 65536};
  fft::Transform<T, 2> plan(world(), dims);
  Array<T, 2> space(world(), dims, {.name = "space"});
  Array<C, 2> spectrum(world(), plan.spectrum_dims(), {.name = "spectrum"});
  const index_t k0 = 1, k1 = 12345;
  for_each_local(space, [&](const Index<2>& x, T& value) {
    const double phase =
        2 * std::numbers::pi *
        (static_cast<double>(k0 * x[0] % 3) / 3 + static_cast<double>(k1 * x[1] % 65536) / 65536);
    if constexpr (is_complex<T>)
      value = T(std::polar(RealOf<T>(1), static_cast<RealOf<T>>(phase)));
    else
      value = static_cast<T>(std::cos(phase));
  });
  space.sync();
  plan.forward(space, spectrum);
  const double size = static_cast<double>(dims.size());
  const auto tolerance = size * 4 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
  Comparison compared;
  for_each_local(spectrum, [&](const Index<2>& k, const C& value) {
    double expected = 0;
    if (k == Index<2>(k0, k1)) expected = is_complex<T> ? size : size / 2;
    compared.check(std::abs(std::complex<double>(value) - expected) <= tolerance, k.values(), expected, value);
  });
  EXPECT_TRUE(compared.equal());
}

TYPED_TEST(Transforms, of_columns_in_several_chunks) {
  using T = TypeParam;
  using C = fft::Complex<T>;
  // Columns of the first dimension take several chunks on each rank, also between nodes.
  const Extents<3> dims{96, 130, 150};
  for (const Decomposition how : {Decomposition::slabs, Decomposition::pencils}) {
    fft::Transform<T, 3> plan(world(), dims, {.decomposition = how});
    Array<T, 3> space(world(), dims), again(world(), dims);
    Array<C, 3> spectrum(world(), plan.spectrum_dims());
    randomize(space, 5);
    plan.forward(space, spectrum);
    plan.backward(spectrum, again);
    axpby(T(-1), space, T(1), again);
    EXPECT_LE(norm_inf(again), 20 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()));
    // Parseval: the sum of squares over the points. For real arrays, each element between the first and the
    // middle one stands for two.
    long double squares = 0;
    const index_t half = plan.spectrum_dims()[2];
    for_each_local(spectrum, [&](const Index<3>& k, const C& value) {
      const bool twice = !is_complex<T> && k[2] > 0 && k[2] < half - 1;
      squares += (twice ? 2 : 1) * std::norm(std::complex<double>(value));
    });
    long double sum = 0;
    for_each_local(space, [&](const Index<3>&, const T& value) {
      sum += std::norm(std::complex<double>(std::complex<RealOf<T>>(value)));
    });
    const double of_spectrum = world().all_reduce(static_cast<double>(squares), Reduce::sum),
                 of_space = world().all_reduce(static_cast<double>(sum), Reduce::sum);
    EXPECT_NEAR(of_spectrum / static_cast<double>(dims.size()) / of_space, 1,
                10 * static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon()));
  }
}

// Messages have room behind their rows. In the chunk, the elements of another rank are there.
TYPED_TEST(Transforms, of_chunks_that_have_parts_of_several_ranks) {
  using T = TypeParam;
  using C = fft::Complex<T>;
  const index_t size = sizeof(T), part = 256 / size, width = part + 64 / size, rows = 32;
  const int ranks = world().size();
  const Extents<2> dims{rows, ranks * width};
  for (const bool is_part_first : {true, false}) {
    std::vector<OwnedPatch<2>> blocks;
    for (int chunk = 0; chunk < ranks; ++chunk) {
      const index_t first = chunk * width, end = first + width;
      const index_t middle = is_part_first ? first + part : end - part;
      const int low = is_part_first ? ranks - 1 - chunk : chunk, high = ranks - 1 - low;
      // The last ones are cut, so that this layout does not say which rank transforms a column.
      const index_t cut = chunk == ranks - 1 ? rows / 2 : rows;
      blocks.push_back({low, {{0, first}, {cut, middle}}});
      blocks.push_back({high, {{0, middle}, {cut, end}}});
      if (cut < rows) blocks.push_back({high, {{cut, first}, {rows, middle}}});
      if (cut < rows) blocks.push_back({low, {{cut, middle}, {rows, end}}});
    }
    fft::Transform<T, 2> plan(world(), dims, {.dimensions = {0}});
    Array<T, 2> space(world(), Layout<2>::of_blocks(dims, blocks, ranks));
    Array<C, 2> spectrum(world(), plan.spectrum_dims());
    const std::vector<T> x = random_elements<T>(dims.size(), 7);
    const auto expected = cut(sums(precise(x), dims, {0}, -1), dims, plan.spectrum_dims());
    std::vector<C> found(at(plan.spectrum_dims().size()));
    for (int repetition = 0; repetition < 3; ++repetition) {
      if (world().rank() == 0) space.put(Patch<2>::whole(dims), View<const T, 2>(x.data(), dims));
      fill(spectrum, C(7));
      space.sync();
      plan.forward(space, spectrum);
      spectrum.get(Patch<2>::whole(spectrum.dims()), View<C, 2>(found.data(), spectrum.dims()));
      EXPECT_TRUE(is_near(expected, found));
      plan.backward(spectrum, space);
      std::vector<T> again(x.size());
      space.get(Patch<2>::whole(dims), View<T, 2>(again.data(), dims));
      EXPECT_TRUE(is_near(precise(x), again));
      space.sync();
    }
  }
}

TYPED_TEST(Transforms, of_empty_arrays_do_nothing) {
  using T = TypeParam;
  using C = fft::Complex<T>;
  for (const Extents<2>& dims : {Extents<2>{0, 4}, Extents<2>{4, 0}, Extents<2>{0, 0}}) {
    fft::Transform<T, 2> plan(world(), dims, {.effort = Effort::measure});
    Array<T, 2> space(world(), dims);
    Array<C, 2> spectrum(world(), plan.spectrum_dims());
    plan.forward(space, spectrum);
    plan.backward(spectrum, space);
    plan.tune(space, spectrum);
    EXPECT_EQ(spectrum.size(), 0);
  }
}

}  // namespace
}  // namespace tessera
