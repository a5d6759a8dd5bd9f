// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <cstring>

#include "base/vectorised.hpp"
#include "kernels/kernels.hpp"
#include "kernels/order.hpp"

namespace tessera::detail {
namespace {

template <class T>
TESSERA_INLINE T value(const void* pointer) noexcept {
  T copy;
  std::memcpy(&copy, pointer, sizeof copy);
  return copy;
}

// y = op(y, x) for rows of n elements. Rows of one or two are common (a column of a matrix) and have code of
// their own.
template <class T, class Op>
TESSERA_INLINE void for_rows(void* to, const void* from, index_t n, const Rows& rows, Op op) {
  auto* y = static_cast<T*>(to);
  const auto* x = static_cast<const T*>(from);
  for (index_t row = 0; row < rows.count; ++row) {
    T* __restrict there = y;
    const T* __restrict here = x;
    if (n == 1) {
      there[0] = op(there[0], here[0]);
    } else if (n == 2) {
      there[0] = op(there[0], here[0]);
      there[1] = op(there[1], here[1]);
    } else {
      for (index_t i = 0; i < n; ++i) there[i] = op(there[i], here[i]);
    }
    y = reinterpret_cast<T*>(reinterpret_cast<char*>(y) + rows.to);
    x = reinterpret_cast<const T*>(reinterpret_cast<const char*>(x) + rows.from);
  }
}

#define TESSERA_KERNEL(name, T, elements, expression)                                   \
  TESSERA_VECTORISED void name(void* to, const void* from, index_t n, const Rows& rows, \
                               [[maybe_unused]] const void* alpha) {                    \
    [[maybe_unused]] const T a = value<T>(alpha);                                       \
    for_rows<T>(                                                                        \
        to, from, (elements)*n, rows, [a](T y, T x) __attribute__((always_inline)) {    \
          (void)a;                                                                      \
          return static_cast<T>(expression);                                            \
        });                                                                             \
  }

#define TESSERA_SUM_KERNELS(T, add, add_scaled) \
  TESSERA_KERNEL(add, T, 1, y + x)              \
  TESSERA_KERNEL(add_scaled, T, 1, y + a * x)
#define TESSERA_ORDER_KERNELS(T, min, max) \
  TESSERA_KERNEL(min, T, 1, lesser(y, x))  \
  TESSERA_KERNEL(max, T, 1, greater(y, x))

// Sums of integers are unsigned, so that an overflow wraps instead of being undefined.
TESSERA_SUM_KERNELS(std::uint32_t, add_i32, add_scaled_i32)
TESSERA_SUM_KERNELS(std::uint64_t, add_i64, add_scaled_i64)
TESSERA_SUM_KERNELS(float, add_f32, add_scaled_f32)
TESSERA_SUM_KERNELS(double, add_f64, add_scaled_f64)
TESSERA_ORDER_KERNELS(std::int32_t, min_i32, max_i32)
TESSERA_ORDER_KERNELS(std::int64_t, min_i64, max_i64)
TESSERA_ORDER_KERNELS(float, min_f32, max_f32)
TESSERA_ORDER_KERNELS(double, min_f64, max_f64)

// With a real factor, complex numbers are treated as twice as many real numbers.
TESSERA_KERNEL(add_c64, float, 2, y + x)
TESSERA_KERNEL(add_c128, double, 2, y + x)
TESSERA_KERNEL(add_real_c64, float, 2, y + a * x)
TESSERA_KERNEL(add_real_c128, double, 2, y + a * x)

#define TESSERA_COMPLEX_KERNELS(T, add_scaled, scale_)                                                      \
  TESSERA_VECTORISED void add_scaled(void* to, const void* from, index_t n, const Rows& rows,               \
                                     const void* alpha) {                                                   \
    const T re = static_cast<const T*>(alpha)[0], im = static_cast<const T*>(alpha)[1];                     \
    for (index_t row = 0; row < rows.count; ++row) {                                                        \
      T* __restrict y = reinterpret_cast<T*>(static_cast<char*>(to) + row * rows.to);                       \
      const T* __restrict x = reinterpret_cast<const T*>(static_cast<const char*>(from) + row * rows.from); \
      for (index_t i = 0; i < n; ++i) {                                                                     \
        y[2 * i] += re * x[2 * i] - im * x[2 * i + 1];                                                      \
        y[2 * i + 1] += re * x[2 * i + 1] + im * x[2 * i];                                                  \
      }                                                                                                     \
    }                                                                                                       \
  }                                                                                                         \
  TESSERA_VECTORISED void scale_(void* data, index_t n, const void* alpha) {                                \
    const T re = static_cast<const T*>(alpha)[0], im = static_cast<const T*>(alpha)[1];                     \
    T* y = static_cast<T*>(data);                                                                           \
    for (index_t i = 0; i < n; ++i) {                                                                       \
      const T real = y[2 * i], imag = y[2 * i + 1];                                                         \
      y[2 * i] = re * real - im * imag;                                                                     \
      y[2 * i + 1] = re * imag + im * real;                                                                 \
    }                                                                                                       \
  }
#define TESSERA_SCALE_KERNEL(T, scale_)                                      \
  TESSERA_VECTORISED void scale_(void* data, index_t n, const void* alpha) { \
    const T a = value<T>(alpha);                                             \
    T* y = static_cast<T*>(data);                                            \
    for (index_t i = 0; i < n; ++i) y[i] = static_cast<T>(a * y[i]);         \
  }

TESSERA_COMPLEX_KERNELS(float, add_scaled_c64, scale_c64)
TESSERA_COMPLEX_KERNELS(double, add_scaled_c128, scale_c128)
TESSERA_SCALE_KERNEL(std::uint32_t, scale_i32)
TESSERA_SCALE_KERNEL(std::uint64_t, scale_i64)
TESSERA_SCALE_KERNEL(float, scale_f32)
TESSERA_SCALE_KERNEL(double, scale_f64)

template <class T>
bool is_real(const void* alpha) noexcept {
  return static_cast<const T*>(alpha)[1] == 0;
}

RowKernel sum_kernel(ElementKind kind, const void* alpha) noexcept {
  const bool one = is_one(kind, alpha);
  switch (kind) {
    case ElementKind::int32:
      return one ? add_i32 : add_scaled_i32;
    case ElementKind::int64:
      return one ? add_i64 : add_scaled_i64;
    case ElementKind::float32:
      return one ? add_f32 : add_scaled_f32;
    case ElementKind::float64:
      return one ? add_f64 : add_scaled_f64;
    case ElementKind::complex64:
      if (!is_real<float>(alpha)) return add_scaled_c64;
      return one ? add_c64 : add_real_c64;
    case ElementKind::complex128:
      if (!is_real<double>(alpha)) return add_scaled_c128;
      return one ? add_c128 : add_real_c128;
    case ElementKind::bytes:
      break;
  }
  return nullptr;
}

}  // namespace

RowKernel row_kernel(ElementKind kind, Update update, const void* alpha) noexcept {
  if (update == Update::sum) return sum_kernel(kind, alpha);
  const bool least = update == Update::min;
  switch (kind) {
    case ElementKind::int32:
      return least ? min_i32 : max_i32;
    case ElementKind::int64:
      return least ? min_i64 : max_i64;
    case ElementKind::float32:
      return least ? min_f32 : max_f32;
    case ElementKind::float64:
      return least ? min_f64 : max_f64;
    default:
      return nullptr;
  }
}

void scale(ElementKind kind, void* data, index_t count, const void* alpha) {
  switch (kind) {
    case ElementKind::int32:
      return scale_i32(data, count, alpha);
    case ElementKind::int64:
      return scale_i64(data, count, alpha);
    case ElementKind::float32:
      return scale_f32(data, count, alpha);
    case ElementKind::float64:
      return scale_f64(data, count, alpha);
    case ElementKind::complex64:
      return is_real<float>(alpha) ? scale_f32(data, 2 * count, alpha) : scale_c64(data, count, alpha);
    case ElementKind::complex128:
      return is_real<double>(alpha) ? scale_f64(data, 2 * count, alpha) : scale_c128(data, count, alpha);
    case ElementKind::bytes:
      return;
  }
}

}  // namespace tessera::detail
