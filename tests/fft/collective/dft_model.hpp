// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <vector>

#include <tessera/fft/fft.hpp>
#include <tessera/tessera.hpp>

#include "comparison.hpp"
#include "mpi_test.hpp"

// A serial model of the transforms, and operands of every kind.
namespace tessera::test {

using Precise = std::complex<long double>;

template <class T>
using RealOf = typename fft::Complex<T>::value_type;
template <class T>
inline constexpr bool is_complex = !std::is_floating_point_v<T>;

/// The sums of the definition, along some dimensions of a dense row-major array. `sign` is -1 for forward.
template <std::size_t N>
std::vector<Precise> sums(std::vector<Precise> a, const Extents<N>& dims, const std::vector<int>& along,
                          int sign) {
  for (const int d : along) {
    const index_t n = dims[at(d)];
    index_t stride = 1;
    for (std::size_t e = at(d) + 1; e < N; ++e) stride *= dims[e];
    std::vector<Precise> roots;
    for (index_t k = 0; k < n; ++k)
      roots.push_back(std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                           static_cast<long double>(k) / static_cast<long double>(n)));
    std::vector<Precise> line(at(n));
    for (index_t first = 0; first < dims.size(); ++first) {
      if (first / stride % n != 0) continue;
      for (index_t k = 0; k < n; ++k) {
        line[at(k)] = 0;
        for (index_t x = 0; x < n; ++x) line[at(k)] += a[at(first + x * stride)] * roots[at(k * x % n)];
      }
      for (index_t k = 0; k < n; ++k) a[at(first + k * stride)] = line[at(k)];
    }
  }
  return a;
}

/// The first elements along one dimension of a dense row-major array.
template <std::size_t N>
std::vector<Precise> cut(const std::vector<Precise>& a, const Extents<N>& dims, const Extents<N>& to) {
  std::vector<Precise> part;
  for (index_t i = 0; i < dims.size(); ++i) {
    index_t rest = i;
    bool inside = true;
    for (std::size_t d = N; d-- > 0; rest /= dims[d]) inside &= rest % dims[d] < to[d];
    if (inside) part.push_back(a[at(i)]);
  }
  return part;
}

/// All dimensions if none is listed.
template <std::size_t N>
std::vector<int> listed(const std::vector<int>& dimensions) {
  if (!dimensions.empty()) return dimensions;
  std::vector<int> all;
  for (std::size_t d = 0; d < N; ++d) all.push_back(static_cast<int>(d));
  return all;
}

template <class T>
T random_number(std::mt19937& random) {
  std::uniform_real_distribution<RealOf<T>> number(-1, 1);
  if constexpr (is_complex<T>) {
    const auto real = number(random);
    return {real, number(random)};
  } else {
    return number(random);
  }
}
template <class T>
std::vector<T> random_elements(index_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> elements;
  for (index_t i = 0; i < count; ++i) elements.push_back(random_number<T>(random));
  return elements;
}
template <class T>
std::vector<Precise> precise(const std::vector<T>& elements) {
  std::vector<Precise> all;
  for (const T& x : elements) all.emplace_back(std::complex<RealOf<T>>(x));
  return all;
}

/// The kinds of layouts.
inline constexpr unsigned layout_kinds = 9;
template <std::size_t N>
Layout<N> layout_of_kind(unsigned kind, const Extents<N>& dims, int ranks) {
  Extents<N> tile, grid;
  for (std::size_t d = 0; d < N; ++d) tile[d] = 2 + static_cast<index_t>(d), grid[d] = 1;
  switch (kind % layout_kinds) {
    case 1: {  // unequal parts of the first dimension, some of them empty
      std::array<std::vector<index_t>, N> starts;
      starts.fill({0});
      for (index_t k = 1; k < ranks; ++k) starts[0].push_back(dims[0] * k * k / (ranks * ranks));
      return Layout<N>::irregular(dims, starts, ranks);
    }
    case 2:
      grid[N - 1] = ranks;
      return Layout<N>::block_cyclic(dims, tile, {.shape = grid});
    case 3:
      grid[0] = ranks;
      return Layout<N>::tiled(dims, tile, {.shape = grid});
    case 4:
      return Layout<N>::blocked(dims, ranks).with_ghosts(PerDimension<index_t, N>(2));
    case 5:
      return Layout<N>::blocked(dims, ranks).with_storage(StorageOrder::column_major);
    case 6:  // the first dimension is whole
    case 7:  // the last one is
      for (std::size_t d = 0; d < N; ++d) grid[d] = 0;
      grid[kind % layout_kinds == 6 ? 0 : N - 1] = 1;
      if (N == 1) return Layout<N>::blocked(dims, ranks);
      return Layout<N>::blocked(dims, ranks, {.grid = grid});
    case 8:  // everything at the last rank
      return Layout<N>::of_blocks(dims, {{ranks - 1, Patch<N>::whole(dims)}}, ranks);
    default:
      return Layout<N>::blocked(dims, ranks);
  }
}

/// The kinds of operands: a whole array, a patch of one, every second element, other orders of the dimensions,
/// a plane of an array of more dimensions.
inline constexpr unsigned operand_kinds = 5;

/// An array with a slice of some extents. Elements outside the slice are `outside`.
template <class T, std::size_t N>
class Operands {
 public:
  static constexpr RealOf<T> outside = 77;

  Operands(const Extents<N>& dims, unsigned kind, unsigned layout) {
    Extents<N> larger = dims, steps;
    for (std::size_t d = 0; d < N; ++d) steps[d] = 1;
    const auto make = [&](const Extents<N>& extents) {
      array_.emplace(world(), layout_of_kind(layout, extents, world().size()),
                     ArrayOptions<N>{.name = "operand"});
      fill(*array_, T(outside));
    };
    switch (kind % operand_kinds) {
      case 1:
        for (std::size_t d = 0; d < N; ++d) larger[d] += 3;
        make(larger);
        slice_.emplace(array_->slice(Patch<N>::at(one(), dims)));
        break;
      case 2:
        steps[0] = 2;
        larger[0] *= 2;
        make(larger);
        slice_.emplace(array_->slice().every(steps));
        break;
      case 3: {
        std::array<int, N> order{};
        for (std::size_t d = 0; d < N; ++d) {
          order[d] = static_cast<int>(N - 1 - d);
          larger[N - 1 - d] = dims[d];
        }
        make(larger);
        slice_.emplace(array_->slice().permuted(DimensionOrder<N>(order)));
        break;
      }
      case 4: {
        Extents<N + 1> more;
        more[0] = 3;
        for (std::size_t d = 0; d < N; ++d) more[d + 1] = dims[d];
        planes_.emplace(world(), layout_of_kind(layout, more, world().size()),
                        ArrayOptions<N + 1>{.name = "planes"});
        fill(*planes_, T(outside));
        slice_.emplace(planes_->slice().fix(0, 1));
        break;
      }
      default:
        make(dims);
        slice_.emplace(*array_);
    }
  }
  const Slice<T, N>& slice() const { return *slice_; }
  /// @collective
  void set(const std::vector<T>& elements) {
    const Extents<N> dims = slice_->dims();
    for_each_local(*slice_, [&](const Index<N>& where, T& x) {
      index_t number = 0;
      for (std::size_t d = 0; d < N; ++d) number = number * dims[d] + where[d];
      x = elements[at(number)];
    });
    world().sync();
  }
  /// All elements, on every rank. No rank may change them before every rank has them. @collective
  std::vector<T> get() const {
    const LocalArray<T, N> all = slice_->get();
    world().sync();
    return {all.begin(), all.end()};
  }
  /// How many elements outside the slice have been written; overwrites the slice. @collective
  index_t written_outside() {
    const index_t all = array_ ? array_->size() : planes_->size();
    fill(*slice_, T(outside + 1));
    const auto count = [](auto& array) {
      index_t same = 0;
      for_each_local(array, [&](const auto&, const T& x) { same += x == T(outside) ? 1 : 0; });
      return same;
    };
    const index_t same = world().all_reduce(array_ ? count(*array_) : count(*planes_), Reduce::sum);
    return all - slice_->size() - same;
  }

 private:
  static Index<N> one() {
    Index<N> all;
    for (std::size_t d = 0; d < N; ++d) all[d] = 1;
    return all;
  }
  std::optional<Array<T, N>> array_;
  std::optional<Array<T, N + 1>> planes_;
  std::optional<Slice<T, N>> slice_;
};

/// Compares elements with the model: within some units of the largest expected magnitude.
template <class T>
testing::AssertionResult is_near(const std::vector<Precise>& expected, const std::vector<T>& found) {
  if (expected.size() != found.size())
    return testing::AssertionFailure() << found.size() << " elements, expected " << expected.size();
  long double largest = 0;
  for (const Precise& x : expected) largest = std::max(largest, std::abs(x));
  const long double tolerance = 20 * std::numeric_limits<RealOf<T>>::epsilon() * largest;
  Comparison compared;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Precise value{std::complex<RealOf<T>>(found[i])};
    compared.check(std::abs(value - expected[i]) <= tolerance, i, std::complex<double>(expected[i]), found[i]);
  }
  return compared.equal();
}

}  // namespace tessera::test
