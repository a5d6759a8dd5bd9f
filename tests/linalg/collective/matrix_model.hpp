// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <complex>
#include <random>
#include <type_traits>
#include <vector>

#include <tessera/linalg/linalg.hpp>
#include <tessera/tessera.hpp>

#include "comparison.hpp"
#include "largest_distance.hpp"
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

/// A random matrix, with the same numbers on every rank. @local
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

/// Layouts: blocked, irregular, two block-cyclic (one of them as ScaLAPACK wants it), and column-major. @local
inline std::vector<Layout<2>> layouts(Extents<2> dims) {
  const int ranks = world().size();
  std::vector<index_t> uneven;
  for (int r = 0; r < ranks; ++r) uneven.push_back(dims[0] * r * r / (ranks * ranks));
  return {Layout<2>::blocked(dims, ranks), Layout<2>::irregular(dims, {uneven, {0}}, ranks),
          Layout<2>::block_cyclic(dims, {4, 4}, {{ranks, 1}}, ranks),
          Layout<2>::block_cyclic(dims, {3, 5}, {{1, ranks}}, ranks),
          Layout<2>::blocked(dims, ranks).with_storage(StorageOrder::column_major)};
}

template <class T>
using Local = LocalArray<T, 2>;

template <class T>
Local<T> product(const Local<T>& a, const Local<T>& b) {
  Local<T> c(Extents<2>{a.extents()[0], b.extents()[1]});
  for (index_t i = 0; i < a.extents()[0]; ++i) {
    for (index_t l = 0; l < a.extents()[1]; ++l) {
      for (index_t j = 0; j < b.extents()[1]; ++j) c(i, j) += a(i, l) * b(l, j);
    }
  }
  return c;
}
template <class T>
Local<T> adjoint_of(const Local<T>& a) {
  Local<T> c(Extents<2>{a.extents()[1], a.extents()[0]});
  for (index_t i = 0; i < a.extents()[0]; ++i) {
    for (index_t j = 0; j < a.extents()[1]; ++j) c(j, i) = conjugate(a(i, j));
  }
  return c;
}
/// Row i times by[i]. @local
template <class T, class Factor>
Local<T> scaled_rows(Local<T> a, const std::vector<Factor>& by) {
  for (index_t i = 0; i < a.extents()[0]; ++i) {
    for (index_t j = 0; j < a.extents()[1]; ++j) a(i, j) *= by[at(i)];
  }
  return a;
}
/// Column j times by[j]. @local
template <class T, class Factor>
Local<T> scaled_columns(Local<T> a, const std::vector<Factor>& by) {
  for (index_t i = 0; i < a.extents()[0]; ++i) {
    for (index_t j = 0; j < a.extents()[1]; ++j) a(i, j) *= by[at(j)];
  }
  return a;
}
template <class T>
Local<T> unit(index_t n) {
  Local<T> a(Extents<2>{n, n});
  for (index_t i = 0; i < n; ++i) a(i, i) = T{1};
  return a;
}
template <class T>
testing::AssertionResult have_other_extents(const Local<T>& found, const Local<T>& expected) {
  return testing::AssertionFailure() << "extents " << testing::PrintToString(found.extents()) << " where "
                                     << testing::PrintToString(expected.extents()) << " are expected";
}
/// Whether every element is less than `tolerance` from the expected one. @local
template <class T>
testing::AssertionResult are_close(const Local<T>& found, const Local<T>& expected, double tolerance) {
  if (found.extents() != expected.extents()) return have_other_extents(found, expected);
  LargestDistance distance;
  for (index_t i = 0; i < found.extents()[0]; ++i) {
    for (index_t j = 0; j < found.extents()[1]; ++j) distance(Index<2>{i, j}, expected(i, j), found(i, j));
  }
  return distance.below(tolerance);
}
/// The same for lists, which may be of different types. @local
template <class V, class W>
testing::AssertionResult are_close(const std::vector<V>& found, const std::vector<W>& expected,
                                   double tolerance) {
  if (found.size() != expected.size())
    return testing::AssertionFailure()
           << found.size() << " values where " << expected.size() << " are expected";
  LargestDistance distance;
  for (std::size_t i = 0; i < found.size(); ++i) distance(i, expected[i], found[i]);
  return distance.below(tolerance);
}
/// Whether every element equals the expected one. @local
template <class T>
testing::AssertionResult are_equal(const Local<T>& found, const Local<T>& expected) {
  if (found.extents() != expected.extents()) return have_other_extents(found, expected);
  Comparison compared;
  for (index_t i = 0; i < found.extents()[0]; ++i) {
    for (index_t j = 0; j < found.extents()[1]; ++j) compared(Index<2>{i, j}, expected(i, j), found(i, j));
  }
  return compared.equal();
}
template <class A>
auto all_of(const A& a) {
  return a.get(Patch<2>::whole(a.dims()));
}
// Positive definite, and well conditioned.
template <class T>
Local<T> random_spd(index_t n, unsigned seed) {
  const auto half = random_matrix<T>(n, n, seed);
  auto a = product(half, adjoint_of(half));
  for (index_t i = 0; i < n; ++i) a(i, i) += T(static_cast<RealOf<T>>(n) / 2);
  return a;
}

}  // namespace tessera::test
