// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <span>
#include <vector>

#include <tessera/linalg/error.hpp>
#include <tessera/linalg/operand.hpp>

namespace tessera::linalg {

namespace detail {
struct ProductCore {
  tessera::detail::FusedCore a, b, c;
  Op op_a, op_b;
};
void gemm(const void* alpha, const ProductCore& product, const void* beta);
void gemm_batch(const void* alpha, std::span<const ProductCore> products, const void* beta);
index_t batch_size(index_t a, index_t b, index_t c);
}  // namespace detail

/// c = alpha * a * b + beta * c, where a and b may be transpose() or adjoint() of a matrix. If beta == 0, the
/// old c is never read; if alpha == 0, a and b are not. Operands are arrays, slices and fused slices of any
/// layout, of one group; a and b may be the same.
///
/// Each process computes the part of c that it owns. It reads blocks of a and b in place if they are on its
/// node and BLAS can read their layout. BLAS can read any but tiles, and conjugated operands only by rows or
/// only by columns. The rest is fetched, at most 64 MiB at a time, while the part before it is multiplied. If c
/// is small compared with the sums, another way may be cheaper: each process computes a part of all sums and
/// adds it to c. @collective
/// @throws UsageError on every rank if the shapes do not fit, or c overlaps a or b
template <Result C>
void gemm(value_t<C> alpha, const MatrixFactor<value_t<C>>& a, const MatrixFactor<value_t<C>>& b,
          value_t<C> beta, C&& c) {
  detail::gemm(&alpha, {a.core(), b.core(), slice_of(c).core(), a.op(), b.op()}, &beta);
}
/// The same with a fused slice as the result. @collective @throws as above
template <MatrixElement T>
void gemm(std::type_identity_t<T> alpha, const std::type_identity_t<MatrixFactor<T>>& a,
          const std::type_identity_t<MatrixFactor<T>>& b, std::type_identity_t<T> beta, const Fused<T>& c) {
  detail::gemm(&alpha, {a.core(), b.core(), c.core(), a.op(), b.op()}, &beta);
}

/// One product of a batch: c = a b. Refers to the arrays. @local
template <MatrixElement T>
struct BatchProduct {
  Operand<T> a, b;
  Slice<T, 2> c;
};

/// c = alpha * a * b + beta * c for each product of a list; the products may differ in shape. One call saves
/// the cost of beginning and ending many, which dominates for small matrices. Each process computes the results
/// that it owns, so these should be spread over the processes. The list is the same on every rank. All arrays
/// are of one group and type, and no result may overlap any operand or another result.
/// @collective
/// @throws UsageError on every rank if shapes do not fit, or a result overlaps its own operands
template <MatrixElement T>
void gemm_batch(std::type_identity_t<T> alpha, std::span<const BatchProduct<T>> products,
                std::type_identity_t<T> beta) {
  std::vector<detail::ProductCore> cores;
  cores.reserve(products.size());
  for (const BatchProduct<T>& product : products) {
    cores.push_back({product.a.core(), product.b.core(), product.c.core(), product.a.op(), product.b.op()});
  }
  detail::gemm_batch(&alpha, cores, &beta);
}
/// The same for arrays of three dimensions: c(i) = alpha * a(i) * b(i) + beta * c(i), where x(i) is the matrix
/// of x with first index i. @collective @throws as above, and if the numbers of matrices differ
template <MatrixBatch A, MatrixBatch B, WritableOperand C>
requires Like<A, B> && Like<A, C>
void gemm_batch(value_t<C> alpha, const A& a, const B& b, value_t<C> beta, C&& c) {
  const index_t count = detail::batch_size(a.dims()[0], b.dims()[0], c.dims()[0]);
  std::vector<detail::ProductCore> products;
  products.reserve(static_cast<std::size_t>(count));
  for (index_t i = 0; i < count; ++i) {
    products.push_back({slice_of(a).core().fixed(0, i), slice_of(b).core().fixed(0, i),
                        slice_of(c).core().fixed(0, i), Op::none, Op::none});
  }
  detail::gemm_batch(&alpha, products, &beta);
}

}  // namespace tessera::linalg
