// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas/blas.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include <tessera/runtime/error.hpp>

#include "blas/buffer.hpp"
#include "blas/instantiate.hpp"
#include "blas/rank_update.hpp"
#include "format.hpp"

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
#define TESSERA_DECLARE(p, T)                                                                                 \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*, \
                const T*, const int*, const T*, T*, const int*);                                              \
  void p##gemv_(const char*, const int*, const int*, const T*, const T*, const int*, const T*, const int*,    \
                const T*, T*, const int*);
TESSERA_DECLARE(s, float)
TESSERA_DECLARE(d, double)
TESSERA_DECLARE(c, c64)
TESSERA_DECLARE(z, c128)
#undef TESSERA_DECLARE
}

namespace tessera::linalg::blas {
namespace {

constexpr index_t most = std::numeric_limits<int>::max();

void call(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
          const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
          const int* ldc) {
  sgemm_(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void call(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const double* alpha,
          const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
          const int* ldc) {
  dgemm_(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void call(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const c64* alpha,
          const c64* a, const int* lda, const c64* b, const int* ldb, const c64* beta, c64* c, const int* ldc) {
  cgemm_(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
void call(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const c128* alpha,
          const c128* a, const int* lda, const c128* b, const int* ldb, const c128* beta, c128* c,
          const int* ldc) {
  zgemm_(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

#define TESSERA_DEFINE(p, T)                                                                        \
  void call(const char* op, const int* m, const int* n, const T* alpha, const T* a, const int* lda, \
            const T* x, T* y) {                                                                     \
    const int one = 1;                                                                              \
    const T factor{1};                                                                              \
    p##gemv_(op, m, n, alpha, a, lda, x, &one, &factor, y, &one);                                   \
  }
TESSERA_DEFINE(s, float)
TESSERA_DEFINE(d, double)
TESSERA_DEFINE(c, c64)
TESSERA_DEFINE(z, c128)
#undef TESSERA_DEFINE

// The most rows, columns or products in one call of BLAS, which counts in 32 bits.
constexpr index_t most_at_once = index_t{1} << 30;

// The leading dimension of a panel by columns. The panel may have a single column.
int leading(index_t column_stride, index_t rows, index_t columns) {
  return static_cast<int>(columns == 1 ? std::clamp<index_t>(rows, 1, most_at_once) : column_stride);
}

// A panel of one row or column is in both orders.
template <class T>
bool is_by_columns(const Panel<T>& panel, index_t rows, index_t columns) {
  return order_of(panel.row_stride, panel.column_stride, rows, columns) == Order::by_columns;
}
template <class T>
bool is_by_rows(const Panel<T>& panel, index_t rows, index_t columns) {
  return is_by_columns(panel.transposed(), columns, rows);
}

// The letter and leading dimension of an operand of rows x columns, for a result by columns.
struct Read {
  char letter;
  int leading;

  template <class T>
  Read(const Panel<const T>& panel, bool conjugated, index_t rows, index_t columns) {
    // A vector is in both orders: it is read as it is unless it has to be conjugated.
    if (is_by_columns(panel, rows, columns) && !(conjugated && is_by_rows(panel, rows, columns))) {
      letter = 'N';
      leading = blas::leading(panel.column_stride, rows, columns);
    } else {
      letter = conjugated ? 'C' : 'T';
      leading = blas::leading(panel.row_stride, columns, rows);
    }
  }
};

}  // namespace

Order order_of(index_t row_stride, index_t column_stride, index_t rows, index_t columns) noexcept {
  if ((row_stride == 1 || rows == 1) && (columns == 1 || (column_stride >= rows && column_stride <= most)))
    return Order::by_columns;
  if ((column_stride == 1 || columns == 1) && (rows == 1 || (row_stride >= columns && row_stride <= most)))
    return Order::by_rows;
  return Order::neither;
}

bool can_read(Order operand, bool conjugated, Order result) noexcept {
  return operand != Order::neither && (!conjugated || operand != result);
}

namespace {

template <class T>
void gemm_by_columns(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, bool conjugate_a,
                     const Panel<const T>& b, bool conjugate_b, T beta, const Panel<T>& c) {
  for (index_t i = 0; i < m; i += most_at_once) {
    for (index_t j = 0; j < n; j += most_at_once) {
      for (index_t l = 0; l < k; l += most_at_once) {
        const int rows = static_cast<int>(std::min(most_at_once, m - i)),
                  columns = static_cast<int>(std::min(most_at_once, n - j)),
                  depth = static_cast<int>(std::min(most_at_once, k - l));
        const Read left(a, conjugate_a, m, k), right(b, conjugate_b, k, n);
        const int ldc = leading(c.column_stride, m, n);
        const T old = l == 0 ? beta : T{1};
        call(&left.letter, &right.letter, &rows, &columns, &depth, &alpha, &a.at(i, l), &left.leading,
             &b.at(l, j), &right.leading, &old, &c.at(i, j), &ldc);
      }
    }
  }
}

}  // namespace

template <class T>
void gemm(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, bool conjugate_a,
          const Panel<const T>& b, bool conjugate_b, T beta, const Panel<T>& c) {
  if (k == 0) {
    for (index_t i = 0; i < m; ++i) {
      for (index_t j = 0; j < n; ++j) c.at(i, j) = beta == T{0} ? T{0} : beta * c.at(i, j);
    }
    return;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (is_rank_update<T>(m, n, k) && rank_update(m, n, k, alpha, a, b, beta, c)) return;
  }
  const auto fits = [](const auto& panel, index_t rows, index_t columns) {
    return order_of(panel.row_stride, panel.column_stride, rows, columns) != Order::neither;
  };
  if (std::min(m, n) > 0 && !(fits(c, m, n) && fits(a, m, k) && fits(b, k, n))) {
    throw UsageError(
        formatted("a product of {} x {} and {} x {} elements in one process is laid out as BLAS, "
                  "which counts in 32 bits, cannot reach it; use more processes",
                  m, k, k, n));
  }
  require_buffer();
  // BLAS writes by columns. A result by rows is computed as the transpose of the product. A single row or
  // column is written in the order in which the operands can be conjugated.
  const bool as_it_is = (!conjugate_a || is_by_rows(a, m, k)) && (!conjugate_b || is_by_rows(b, k, n));
  if (is_by_columns(c, m, n) && (as_it_is || !is_by_rows(c, m, n)))
    return gemm_by_columns(m, n, k, alpha, a, conjugate_a, b, conjugate_b, beta, c);
  gemm_by_columns(n, m, k, alpha, b.transposed(), conjugate_b, a.transposed(), conjugate_a, beta,
                  c.transposed());
}

template <class T>
void gemv(index_t m, index_t n, T alpha, const Panel<const T>& a, bool conjugated, const T* x, T* y) {
  const bool by_rows = is_by_rows(a, m, n), by_columns = is_by_columns(a, m, n);
  // BLAS conjugates only where it transposes.
  if ((!by_rows && !by_columns) || m > most_at_once || n > most_at_once || (conjugated && !by_rows)) {
    const auto element = [&](index_t i, index_t j) {
      const T value = a.at(i, j);
      if constexpr (std::is_floating_point_v<T>)
        return value;
      else
        return conjugated ? std::conj(value) : value;
    };
    // The inner loop runs along the smaller stride.
    if (a.row_stride <= a.column_stride) {
      for (index_t j = 0; j < n; ++j) {
        const T factor = alpha * x[j];
        for (index_t i = 0; i < m; ++i) y[i] += factor * element(i, j);
      }
    } else {
      for (index_t i = 0; i < m; ++i) {
        T sum{};
        for (index_t j = 0; j < n; ++j) sum += element(i, j) * x[j];
        y[i] += alpha * sum;
      }
    }
    return;
  }
  const bool transposed = by_rows && (conjugated || !by_columns);
  const char op = !transposed ? 'N' : conjugated ? 'C' : 'T';
  const int rows = static_cast<int>(transposed ? n : m), columns = static_cast<int>(transposed ? m : n);
  const int lda = leading(transposed ? a.row_stride : a.column_stride, rows, columns);
  require_buffer();
  call(&op, &rows, &columns, &alpha, a.data, &lda, x, y);
}

#define TESSERA_DEFINE(T)                                                                                 \
  template void gemv<T>(index_t, index_t, T, const Panel<const T>&, bool, const T*, T*);                  \
  template void gemm<T>(index_t, index_t, index_t, T, const Panel<const T>&, bool, const Panel<const T>&, \
                        bool, T, const Panel<T>&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::blas
