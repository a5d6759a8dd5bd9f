// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/linalg/block_tensor.hpp>

#include "test_matrix.hpp"

// A model of block tensors that computes each element from its indices.
namespace tessera::test {

using linalg::BlockTensor;
using linalg::BlockTensorOptions;
using linalg::IndexSymmetry;

using Lengths = std::vector<index_t>;
using BlockScalars = testing::Types<double, std::complex<float>>;

inline const Lengths orbitals{3, 1, 4, 2}, others{2, 5};

inline index_t block_of(const Lengths& lengths, index_t at) {
  index_t block = 0;
  while (at >= lengths[test::at(block)]) at -= lengths[test::at(block++)];
  return block;
}

// What the elements of a tensor are, as a function of their indices.
template <class T, std::size_t N>
struct Model {
  std::array<Lengths, N> lengths;
  std::vector<IndexSymmetry> symmetries;
  unsigned seed;
  int most_absent;  // of each 10 blocks, about so many are absent

  Extents<N> dims() const {
    Extents<N> dims;
    for (std::size_t d = 0; d < N; ++d)
      dims[d] = std::accumulate(lengths[d].begin(), lengths[d].end(), index_t{0});
    return dims;
  }
  // Sorts indices or places so that they fall along symmetric dimensions, and returns the sign; 0 if two
  // antisymmetric ones are equal.
  int sort(Index<N>& x) const {
    int sign = 1;
    for (const auto& [dimensions, factor] : symmetries) {
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        for (std::size_t j = i + 1; j < dimensions.size(); ++j) {
          index_t &p = x[at(dimensions[i])], &q = x[at(dimensions[j])];
          if (p == q && factor < 0) sign = 0;
          if (p < q) std::swap(p, q), sign *= factor;
        }
      }
    }
    return sign;
  }
  unsigned hash(const Index<N>& x, unsigned salt) const {
    unsigned h = seed * 2654435761U + salt;
    for (std::size_t d = 0; d < N; ++d) h = (h ^ static_cast<unsigned>(x[d])) * 2246822519U + 374761393U;
    return h >> 7;
  }
  bool is_stored(Index<N> block) const {
    sort(block);
    return static_cast<int>(hash(block, 5) % 10) >= most_absent;
  }
  T operator()(Index<N> x) const {
    const int sign = sort(x);
    Index<N> block;
    for (std::size_t d = 0; d < N; ++d) block[d] = block_of(lengths[d], x[d]);
    if (sign == 0 || !is_stored(block)) return T{0};
    return number<T>(static_cast<index_t>(hash(x, 1) % 7) - 3, static_cast<index_t>(hash(x, 2) % 3) - 1) *
           static_cast<RealOf<T>>(sign);
  }
  BlockTensorOptions<N> options(std::string_view name) const {
    return {.name = name, .symmetries = symmetries, .is_stored = [model = *this](const Index<N>& block) {
              return model.is_stored(block);
            }};
  }
  Extents<N> places() const {
    Extents<N> count;
    for (std::size_t d = 0; d < N; ++d) count[d] = std::ssize(lengths[d]);
    return count;
  }
  // Calls f for the places of all blocks.
  template <class F>
  void for_each_place(const F& f) const {
    for_each_index(Patch<N>::whole(places()), f);
  }
  LocalArray<T, N> values(const Patch<N>& patch) const {
    LocalArray<T, N> all(patch.extents());
    for_each_index(patch, [&](const Index<N>& x) { all[minus(x, patch.lo)] = (*this)(x); });
    return all;
  }
};

// A block is put by a rank that does not store it, through all of its images.
template <class T, std::size_t N>
BlockTensor<T, N> tensor_of(const Model<T, N>& model, std::string_view name) {
  BlockTensor<T, N> tensor(world(), model.lengths, model.options(name));
  model.for_each_place([&](const Index<N>& block) {
    if (!tensor.has(block) || (tensor.owner(block) + 1) % world().size() != world().rank()) return;
    tensor.put(block, model.values(tensor.patch(block)));
  });
  tensor.sync();
  return tensor;
}

template <class T, std::size_t N>
testing::AssertionResult has_values(const BlockTensor<T, N>& tensor,
                                    const std::function<T(const Index<N>&)>& expected) {
  Array<T, N> all(world(), tensor.dims(), {.name = "all"});
  tensor.copy_to(all);
  const std::vector<T> found = contents(all);
  Comparison compared;
  for_each_index(Patch<N>::whole(tensor.dims()),
                 [&](const Index<N>& x) { compared(x, expected(x), found[at(number_of(x, tensor.dims()))]); });
  return compared.equal();
}

}  // namespace tessera::test
