// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <random>
#include <vector>

#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

#include "mpi_test.hpp"

namespace tessera::test {

template <class T>
using RealOf = typename linalg::detail::RealOf<T>::type;

template <class T>
T conjugate(T x) {
  return x;
}
template <class T>
std::complex<T> conjugate(std::complex<T> x) {
  return std::conj(x);
}

/// The same numbers on every rank. @local
template <class T>
LocalArray<T, 2> random_matrix(index_t m, index_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<RealOf<T>> uniform(-1, 1);
  LocalArray<T, 2> a(Extents<2>{m, n});
  for (T& x : a) {
    x = uniform(random);
    if constexpr (!std::is_floating_point_v<T>) x += T(0, uniform(random));
  }
  return a;
}

template <class T>
void set(Array<T, 2>& array, const LocalArray<T, 2>& values) {
  if (world().rank() == world().size() - 1) array.put(Patch<2>::whole(array.dims()), values);
  array.sync();
}

/// Blocked, irregular, two block-cyclic ones (one of them what ScaLAPACK wants), and a column-major one. @local
inline std::vector<Layout<2>> layouts(Extents<2> dims) {
  const int ranks = world().size();
  std::vector<index_t> uneven;
  for (int r = 0; r < ranks; ++r) uneven.push_back(dims[0] * r * r / (ranks * ranks));
  return {Layout<2>::blocked(dims, ranks), Layout<2>::irregular(dims, {uneven, {0}}, ranks),
          Layout<2>::block_cyclic(dims, {4, 4}, {{ranks, 1}}, ranks),
          Layout<2>::block_cyclic(dims, {3, 5}, {{1, ranks}}, ranks),
          Layout<2>::blocked(dims, ranks).with_storage(StorageOrder::column_major)};
}

}  // namespace tessera::test
