// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
//
// Compiled without fused operations (see CMakeLists.txt): different processors have to agree to the last bit.
#include "kernels/reduce_kernels.hpp"

#include <cstdint>

#include "base/vectorised.hpp"
#include "kernels/order.hpp"

namespace tessera::detail {
namespace {

#define TESSERA_FOLD(name, T, elements, expression)                     \
  TESSERA_VECTORISED void name(void* to, const void* from, index_t n) { \
    T* __restrict y_ = static_cast<T*>(to);                             \
    const T* __restrict x_ = static_cast<const T*>(from);               \
    for (index_t i = 0; i < (elements)*n; ++i) {                        \
      const T y = y_[i], x = x_[i];                                     \
      y_[i] = static_cast<T>(expression);                               \
    }                                                                   \
  }

#define TESSERA_MAGNITUDE_FOLDS(suffix, T)                                       \
  TESSERA_FOLD(absmax_##suffix, T, 1, greater(magnitude_of(y), magnitude_of(x))) \
  TESSERA_FOLD(absmin_##suffix, T, 1, lesser(magnitude_of(y), magnitude_of(x)))

// Sums and products of integers are unsigned, so that an overflow wraps instead of being undefined.
#define TESSERA_INTEGER_FOLDS(suffix, T, U)             \
  TESSERA_FOLD(sum_##suffix, U, 1, y + x)               \
  TESSERA_FOLD(product_##suffix, U, 1, y* x)            \
  TESSERA_FOLD(min_##suffix, T, 1, lesser(y, x))        \
  TESSERA_FOLD(max_##suffix, T, 1, greater(y, x))       \
  TESSERA_MAGNITUDE_FOLDS(suffix, T)                    \
  TESSERA_FOLD(both_##suffix, U, 1, y != 0 && x != 0)   \
  TESSERA_FOLD(either_##suffix, U, 1, y != 0 || x != 0) \
  TESSERA_FOLD(bit_and_##suffix, U, 1, y& x)            \
  TESSERA_FOLD(bit_or_##suffix, U, 1, y | x)            \
  TESSERA_FOLD(bit_xor_##suffix, U, 1, y ^ x)

#define TESSERA_REAL_FOLDS(suffix, T)             \
  TESSERA_FOLD(sum_##suffix, T, 1, y + x)         \
  TESSERA_FOLD(product_##suffix, T, 1, y* x)      \
  TESSERA_FOLD(min_##suffix, T, 1, lesser(y, x))  \
  TESSERA_FOLD(max_##suffix, T, 1, greater(y, x)) \
  TESSERA_MAGNITUDE_FOLDS(suffix, T)

#define TESSERA_COMPLEX_MAGNITUDE_FOLD(name, T, better)                          \
  TESSERA_VECTORISED void name(void* to, const void* from, index_t n) {          \
    T* __restrict y = static_cast<T*>(to);                                       \
    const T* __restrict x = static_cast<const T*>(from);                         \
    for (index_t i = 0; i < 2 * n; i += 2) {                                     \
      y[i] = better(magnitude_of(y[i], y[i + 1]), magnitude_of(x[i], x[i + 1])); \
      y[i + 1] = 0;                                                              \
    }                                                                            \
  }

#define TESSERA_COMPLEX_FOLDS(suffix, T)                                            \
  TESSERA_FOLD(sum_##suffix, T, 2, y + x)                                           \
  TESSERA_COMPLEX_MAGNITUDE_FOLD(absmax_##suffix, T, greater)                       \
  TESSERA_COMPLEX_MAGNITUDE_FOLD(absmin_##suffix, T, lesser)                        \
  TESSERA_VECTORISED void product_##suffix(void* to, const void* from, index_t n) { \
    T* __restrict y = static_cast<T*>(to);                                          \
    const T* __restrict x = static_cast<const T*>(from);                            \
    for (index_t i = 0; i < n; ++i) {                                               \
      const T re = y[2 * i], im = y[2 * i + 1];                                     \
      y[2 * i] = re * x[2 * i] - im * x[2 * i + 1];                                 \
      y[2 * i + 1] = re * x[2 * i + 1] + im * x[2 * i];                             \
    }                                                                               \
  }

TESSERA_INTEGER_FOLDS(i32, std::int32_t, std::uint32_t)
TESSERA_INTEGER_FOLDS(i64, std::int64_t, std::uint64_t)
TESSERA_REAL_FOLDS(f32, float)
TESSERA_REAL_FOLDS(f64, double)
TESSERA_COMPLEX_FOLDS(c64, float)
TESSERA_COMPLEX_FOLDS(c128, double)

// The rows of a table by ElementKind and Reduce.
#define TESSERA_INTEGER_ROW(suffix)                                                               \
  {                                                                                               \
    sum_##suffix, product_##suffix, min_##suffix, max_##suffix, absmax_##suffix, absmin_##suffix, \
        both_##suffix, either_##suffix, bit_and_##suffix, bit_or_##suffix, bit_xor_##suffix       \
  }
#define TESSERA_REAL_ROW(suffix) \
  { sum_##suffix, product_##suffix, min_##suffix, max_##suffix, absmax_##suffix, absmin_##suffix }
#define TESSERA_COMPLEX_ROW(suffix) \
  { sum_##suffix, product_##suffix, nullptr, nullptr, absmax_##suffix, absmin_##suffix }

constexpr Fold folds[7][11] = {{},
                               TESSERA_INTEGER_ROW(i32),
                               TESSERA_INTEGER_ROW(i64),
                               TESSERA_REAL_ROW(f32),
                               TESSERA_REAL_ROW(f64),
                               TESSERA_COMPLEX_ROW(c64),
                               TESSERA_COMPLEX_ROW(c128)};

}  // namespace

Fold fold(ElementKind kind, Reduce operation) noexcept {
  return folds[static_cast<std::size_t>(kind)][static_cast<std::size_t>(operation)];
}

}  // namespace tessera::detail
