// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "blas.hpp"

#include <algorithm>
#include <limits>

using c64 = std::complex<float>;
using c128 = std::complex<double>;

extern "C" {
#define TESSERA_DECLARE(p, T)                                                                                 \
  void p##gemm_(const char*, const char*, const int*, const int*, const int*, const T*, const T*, const int*, \
                const T*, const int*, const T*, T*, const int*);
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

// As many rows, columns and products as BLAS, which counts in 32 bits, gets at a time.
constexpr index_t part = index_t{1} << 30;

// Of a panel by columns: between columns, of which there may be one.
int leading(index_t column_stride, index_t rows, index_t columns) {
  return static_cast<int>(columns == 1 ? std::clamp<index_t>(rows, 1, part) : column_stride);
}

// An operand of rows x columns: its letter and leading dimension, for a result by columns.
struct Read {
  char letter;
  int leading;

  template <class T>
  Read(const Panel<const T>& panel, bool conjugated, index_t rows, index_t columns) {
    // A vector is in both orders: as it is unless it has to be conjugated.
    const bool by_rows = order_of(panel.column_stride, panel.row_stride, columns, rows) == Order::by_columns;
    const bool by_columns = order_of(panel.row_stride, panel.column_stride, rows, columns) == Order::by_columns;
    if (by_columns && !(conjugated && by_rows)) {
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

template <class T>
void gemm(index_t m, index_t n, index_t k, T alpha, const Panel<const T>& a, bool conjugate_a,
          const Panel<const T>& b, bool conjugate_b, T beta, const Panel<T>& c) {
  if (order_of(c.row_stride, c.column_stride, m, n) != Order::by_columns) {
    // BLAS writes by columns: the transpose of the product.
    return gemm(n, m, k, alpha, b.transposed(), conjugate_b, a.transposed(), conjugate_a, beta, c.transposed());
  }
  for (index_t i = 0; i < m; i += part) {
    for (index_t j = 0; j < n; j += part) {
      for (index_t l = 0; l < k; l += part) {
        const int rows = static_cast<int>(std::min(part, m - i)),
                  columns = static_cast<int>(std::min(part, n - j)),
                  depth = static_cast<int>(std::min(part, k - l));
        const Read left(a, conjugate_a, m, k), right(b, conjugate_b, k, n);
        const int ldc = leading(c.column_stride, m, n);
        const T old = l == 0 ? beta : T{1};
        call(&left.letter, &right.letter, &rows, &columns, &depth, &alpha,
             a.data + i * a.row_stride + l * a.column_stride, &left.leading,
             b.data + l * b.row_stride + j * b.column_stride, &right.leading, &old,
             c.data + i * c.row_stride + j * c.column_stride, &ldc);
      }
    }
  }
}

#define TESSERA_DEFINE(T)                                                                                 \
  template void gemm<T>(index_t, index_t, index_t, T, const Panel<const T>&, bool, const Panel<const T>&, \
                        bool, T, const Panel<T>&);
TESSERA_DEFINE(float)
TESSERA_DEFINE(double)
TESSERA_DEFINE(c64)
TESSERA_DEFINE(c128)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::blas
