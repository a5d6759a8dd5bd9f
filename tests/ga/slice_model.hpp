// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/slice.hpp>

#include "array_model.hpp"
#include "mpi_test.hpp"

namespace tessera::test {

/// One of the layouts. @local
template <std::size_t N>
const Layout<N>& any_of(Random& random, const std::vector<Layout<N>>& layouts) {
  return layouts[at(pick(random, 0, static_cast<index_t>(layouts.size()) - 1))];
}

/// Any layout over all ranks. @local
template <std::size_t N>
Layout<N> any_layout(Random& random, const Extents<N>& dims) {
  const auto layouts = layouts_of(random, dims, world().size());
  return any_of(random, layouts);
}

/// A slice as a list of its elements, in row-major order of the slice. Each is a row-major number in the array.
template <std::size_t N>
struct SliceModel {
  Extents<N> dims;
  std::vector<index_t> numbers;
};

/// A random slice of an array of given extents: both how to take it and which elements it has. @local
template <std::size_t N>
struct RandomSlice {
  Patch<N> patch;
  Extents<N> steps;
  std::array<int, N> order{};
  SliceModel<N> model;

  RandomSlice(Random& random, const Extents<N>& dims) : patch(random_patch(random, dims)) {
    std::iota(order.begin(), order.end(), 0);
    if (pick(random, 0, 1) == 1) std::shuffle(order.begin(), order.end(), random);
    const bool stepped = pick(random, 0, 1) == 1;
    for (std::size_t d = 0; d < N; ++d) steps[d] = stepped ? pick(random, 1, 4) : 1;
    describe(dims);
  }
  /// A slice of extents `wanted`, counted after the permutation, of an array that is larger. @local
  RandomSlice(Random& random, const Extents<N>& dims, const Extents<N>& wanted) {
    std::iota(order.begin(), order.end(), 0);
    // If it does not fit permuted, it is not permuted.
    auto fits = [&] {
      for (std::size_t k = 0; k < N; ++k) {
        if (wanted[k] > dims[static_cast<std::size_t>(order[k])]) return false;
      }
      return true;
    };
    std::shuffle(order.begin(), order.end(), random);
    if (!fits()) std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = 0; k < N; ++k) {
      const auto d = static_cast<std::size_t>(order[k]);
      const index_t n = wanted[k], most = n <= 1 ? 3 : (dims[d] - 1) / (n - 1);
      steps[d] = pick(random, 1, std::min<index_t>(3, most));
      const index_t length = n == 0 ? 0 : (n - 1) * steps[d] + 1;
      patch.lo[d] = pick(random, 0, dims[d] - length);
      patch.hi[d] = patch.lo[d] + length;
    }
    describe(dims);
  }

  template <class A>
  auto of(A&& array) const {
    return array.slice(patch, steps).permuted(order);
  }

 private:
  void describe(const Extents<N>& dims) {
    for (std::size_t k = 0; k < N; ++k) {
      const auto d = static_cast<std::size_t>(order[k]);
      model.dims[k] = (patch.hi[d] - patch.lo[d] + steps[d] - 1) / steps[d];
    }
    for_each_index(Patch<N>::whole(model.dims), [&](const Index<N>& at) {
      Index<N> there;
      for (std::size_t k = 0; k < N; ++k) {
        const auto d = static_cast<std::size_t>(order[k]);
        there[d] = patch.lo[d] + at[k] * steps[d];
      }
      model.numbers.push_back(number_of(there, dims));
    });
  }
};

/// All elements of an array, by their row-major numbers. @collective
template <class T, std::size_t N>
std::vector<T> contents(const Array<T, N>& array) {
  array.sync();
  const LocalArray<T, N> all = array.get(Patch<N>::whole(array.dims()));
  array.sync();
  return {all.begin(), all.end()};
}

/// Whether all elements are those of a list, by their row-major numbers. @collective
template <class T, std::size_t N>
testing::AssertionResult has_contents(const Array<T, N>& array, const std::vector<T>& expected) {
  const auto found = contents(array);
  if (found.size() != expected.size())
    return testing::AssertionFailure() << found.size() << " elements, not " << expected.size();
  Comparison compared;
  for (std::size_t i = 0; i < found.size(); ++i) compared(i, expected[i], found[i]);
  return compared.equal();
}

/// Sets all elements from a list. @collective
template <class T, std::size_t N>
void set_contents(Array<T, N>& array, const std::vector<T>& values) {
  array.sync();
  const Extents<N> dims = array.dims();
  const auto layout = array.layout();
  for (index_t b = 0; b < layout.block_count(array.group().rank()); ++b) {
    for_each_index(layout.block(array.group().rank(), b), [&](const Index<N>& at) {
      array.store(at, values[static_cast<std::size_t>(number_of(at, dims))]);
    });
  }
  array.sync();
}

}  // namespace tessera::test
