// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "tensors/block_symmetry.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <tessera/core/operand_walk.hpp>
#include <tessera/core/operations.hpp>
#include <tessera/linalg/error.hpp>
#include <tessera/runtime/detail/with_number.hpp>

#include "blas/instantiate.hpp"
#include "format.hpp"
#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::SliceCore;

// The largest difference of elements of a block that are images of each other by an exchange of two dimensions.
// NaN does not count: it comes from the factors, and the result shows it.
template <class T>
double largest_difference(const T* data, const Coordinates& extents, std::size_t rank, std::size_t d,
                          std::size_t e, int sign) {
  Coordinates strides{}, at{};
  index_t stride = 1;
  for (std::size_t i = rank; i-- > 0; stride *= extents[i]) strides[i] = stride;
  double most = 0;
  for (index_t number = 0; number < stride; ++number) {
    if (at[d] >= at[e]) {
      const T& other = data[number + (at[e] - at[d]) * strides[d] + (at[d] - at[e]) * strides[e]];
      const double difference =
          static_cast<double>(std::abs(sign > 0 ? data[number] - other : data[number] + other));
      if (difference > most) most = difference;
    }
    for (std::size_t i = rank; i-- > 0;) {
      if (++at[i] < extents[i]) break;
      at[i] = 0;
    }
  }
  return most;
}

// The largest magnitude of the elements that are finite. @collective
double largest_finite(const SliceCore& factor) {
  tessera::detail::begin_operation("contract", {factor});
  double most = 0;
  // Also of a member of structures, which with_scalar() refuses.
  tessera::detail::with_number(factor.type().kind, [&]<class T>(T) {
    tessera::detail::for_each_run(factor, {}, [&](const tessera::detail::ElementRun& run) {
      tessera::detail::apply<const T>(run, [&](const T& x) {
        const auto magnitude = static_cast<double>(std::abs(x));
        if (std::isfinite(magnitude)) most = std::max(most, magnitude);
      });
    });
  });
  return factor.array().group().all_reduce(most, Reduce::max);
}

}  // namespace

template <class T>
void SymmetryCheck::start_from(double size) {
  if (!wants() || size == 0) return;
  size_ += static_cast<long double>(size) * largest_finite(tensor_.elements());
  difference_before_ = static_cast<long double>(size) * difference<T>();
}
void SymmetryCheck::add(double size, index_t products, const SliceCore& a, const SliceCore& b) {
  if (wants() && size != 0) {
    size_ += static_cast<long double>(size) * static_cast<long double>(products) * largest_finite(a) *
             largest_finite(b);
  }
}

template <class T>
double SymmetryCheck::difference() const {
  const BlockMap& map = tensor_.map();
  double most = 0;
  tensor_.for_each_own_block([&](const Coordinates& place, void* data) {
    for (const auto& [dimensions, sign] : map.symmetries()) {
      for (std::size_t i = 1; i < dimensions.size(); ++i) {
        const auto d = static_cast<std::size_t>(dimensions[i - 1]), e = static_cast<std::size_t>(dimensions[i]);
        if (place[d] != place[e]) continue;
        const Coordinates extents = map.extents(place);
        most = std::max(most, largest_difference(static_cast<const T*>(data), extents, map.rank(), d, e, sign));
      }
    }
  });
  return tensor_.elements().group().all_reduce(most, Reduce::max);
}

template <class T>
void SymmetryCheck::require() const {
  if (!wants()) return;
  const double most = difference<T>();
  const long double rounding = 100 * static_cast<long double>(std::numeric_limits<Real<T>>::epsilon()) * size_;
  if (!(most > rounding + difference_before_)) return;
  throw LinalgError(
      formatted("contract: the sum of the terms does not have the symmetry of block tensor \"{}\": "
                "elements that are images of each other differ by {}. Add the terms with exchanged "
                "indices, or store the result without the symmetry",
                tensor_.map().name(), most),
      "contract", 1);
}

#define TESSERA_DEFINE(T)                             \
  template void SymmetryCheck::start_from<T>(double); \
  template void SymmetryCheck::require<T>() const;
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
