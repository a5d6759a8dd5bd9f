// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "scalapack/phases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tessera/linalg/operand.hpp>

#include "blas/instantiate.hpp"
#include "scalapack/scaling.hpp"

namespace tessera::linalg::detail {

template <class T>
std::vector<T> fix_phases(const SliceCore& vectors) {
  // Components of equal magnitude differ by rounding, which must not choose between them.
  constexpr double close = sizeof(Real<T>) == sizeof(double) ? 1e-6 : 1e-3;
  const Group& group = vectors.array().group();
  const auto count = static_cast<std::size_t>(vectors.extents()[1]);
  const auto size_of = [](const T& x) { return static_cast<double>(std::abs(x)); };
  std::vector<double> largest(count);
  for_each_element<const T>(vectors, [&](index_t, index_t j, const T& x) {
    double& most = largest[static_cast<std::size_t>(j)];
    most = std::max(most, size_of(x));
  });
  group.all_reduce(std::span<double>(largest), Reduce::max);
  std::vector<std::int64_t> first(count, std::numeric_limits<std::int64_t>::max());
  for_each_element<const T>(vectors, [&](index_t i, index_t j, const T& x) {
    const auto column = static_cast<std::size_t>(j);
    if (size_of(x) >= (1 - close) * largest[column]) first[column] = std::min<std::int64_t>(first[column], i);
  });
  group.all_reduce(std::span<std::int64_t>(first), Reduce::min);
  std::vector<T> phases(count);
  for_each_element<const T>(vectors, [&](index_t i, index_t j, const T& x) {
    const auto column = static_cast<std::size_t>(j);
    if (i == first[column] && x != T{0}) phases[column] = conjugate(x) / std::abs(x);
  });
  group.all_reduce(std::span<T>(phases), Reduce::sum);
  for (T& phase : phases) {
    if (phase == T{0}) phase = T{1};
  }
  for_each_element<T>(vectors, [&](index_t i, index_t j, T& x) {
    const auto column = static_cast<std::size_t>(j);
    x = i == first[column] ? T(std::abs(x)) : x * phases[column];
  });
  return phases;
}

template <class T>
void unfix_phases(const SliceCore& rows, const std::vector<T>& phases) {
  for_each_element<T>(rows,
                      [&](index_t i, index_t, T& x) { x *= conjugate(phases[static_cast<std::size_t>(i)]); });
}

#define TESSERA_DEFINE(T)                                  \
  template std::vector<T> fix_phases<T>(const SliceCore&); \
  template void unfix_phases<T>(const SliceCore&, const std::vector<T>&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
