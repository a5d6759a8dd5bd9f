// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/linalg/gemm.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>
#include <tessera/runtime/phase.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "format.hpp"
#include "products/distributed_product.hpp"
#include "scalapack/scalapack_matrix.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::FusedCore;
using tessera::detail::Outcome;
using tessera::detail::Shapes;

FusedMatrix matrix(const FusedCore& fused) { return {fused.slice, fused.row_dimensions}; }

// One product with its operands as the kernels take them: m x k and n x k.
struct Factors {
  FusedMatrix left, right, result;
  bool conjugate_left, conjugate_right;
  index_t m, n, k;

  Factors(std::string_view routine, const ProductCore& product)
      : left(product.op_a == Op::none ? matrix(product.a) : transposed(product.a)),
        right(product.op_b == Op::none ? transposed(product.b) : matrix(product.b)),
        result(matrix(product.c)),
        conjugate_left(product.op_a == Op::adjoint),
        conjugate_right(product.op_b == Op::adjoint),
        m(left.rows()),
        n(right.rows()),
        k(left.columns()) {
    if (right.columns() != k || result.rows() != m || result.columns() != n) {
      throw_bad_shapes(formatted("{} (op(a) is {} x {}, op(b) is {} x {}, c is {} x {})", routine, m, k,
                                 right.columns(), n, result.rows(), result.columns()),
                       {&product.a.slice, &product.b.slice, &product.c.slice});
    }
    const SliceCore& c = product.c.slice;
    if (product.a.slice.may_overlap(c) || product.b.slice.may_overlap(c))
      throw UsageError(formatted("{}: the result {} is also an operand", routine, c.description()));
  }
  template <class T>
  ProductFactors<T> product(T alpha) const {
    constexpr bool is_complex = !std::is_floating_point_v<T>;
    return {alpha, left, is_complex && conjugate_left, right, is_complex && conjugate_right};
  }
};

// A matrix that one process stores in one piece, as for most matrices of a batch. It is found without the lists
// of a LocalProduct, which take longer to make than a small product.
template <class T>
struct Piece {
  int rank = -1;
  blas::Panel<T> panel{};

  explicit Piece(const SliceCore& matrix) {
    tessera::detail::Box all{};
    all.hi = matrix.extents();
    int pieces = 0;
    matrix.for_each_piece(all, [&](int owner, const tessera::detail::LocalPiece& piece) {
      ++pieces;
      rank = owner;
      panel = {reinterpret_cast<T*>(piece.data), piece.strides[0], piece.strides[1]};
    });
    if (pieces != 1) rank = -1;
  }
  bool is_here() const noexcept { return rank >= 0 && panel.data != nullptr; }
};

// Returns true if the product is done, or if this process has no part of it.
template <class T>
bool multiply_pieces(const Factors& factors, const SliceCore& c, T alpha, T beta) {
  const Piece<T> result(c);
  if (result.rank < 0) return false;
  if (result.rank != c.array().group().rank()) return true;
  const Piece<const T> left(factors.left.slice()), right(factors.right.slice());
  if (!left.is_here() || !right.is_here()) return false;
  const index_t m = factors.m, n = factors.n, k = factors.k;
  constexpr bool is_complex = !std::is_floating_point_v<T>;
  const bool conjugate_left = is_complex && factors.conjugate_left,
             conjugate_right = is_complex && factors.conjugate_right;
  const auto order = [](const auto& panel, index_t rows, index_t columns) {
    return blas::order_of(panel.row_stride, panel.column_stride, rows, columns);
  };
  const blas::Order own = order(result.panel, m, n);
  const blas::Panel<const T> second = right.panel.transposed();
  if (own == blas::Order::neither || !blas::can_read(order(left.panel, m, k), conjugate_left, own) ||
      !blas::can_read(order(second, k, n), conjugate_right, own))
    return false;
  blas::gemm<T>(m, n, k, alpha, left.panel, conjugate_left, second, conjugate_right, beta, result.panel);
  return true;
}

// @collective
void require_same_ops(const Group& group, std::span<const ProductCore> products) {
  group.check_agreement([&] {
    tessera::detail::Fingerprint print;
    for (const ProductCore& product : products)
      print.add(static_cast<int>(product.op_a)).add(static_cast<int>(product.op_b));
    return tessera::detail::CollectiveCall{"which factors of gemm are transposed", print.value()};
  });
}

}  // namespace

void gemm(const void* alpha, const ProductCore& operands, const void* beta) {
  const SliceCore& c = operands.c.slice;
  const Phase phase(c.array().group(), "gemm");
  tessera::detail::begin_operation("gemm", {operands.a.slice, operands.b.slice, c}, Shapes::any);
  require_same_ops(c.array().group(), {&operands, 1});
  const Factors factors("gemm", operands);
  with_scalar("gemm", c, [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
    if (factors.m == 0 || factors.n == 0) return;
    if (factors.k == 0 || factor == T{0})
      return old == T{0} ? tessera::detail::fill(c, &old) : tessera::detail::scale(c, &old);
    Computed computed;
    const Outcome outcome = distributed_product("gemm", factors.product(factor), factors.result, old, computed);
    tessera::detail::end_operation("gemm", c, outcome);
  });
}

void gemm_batch(const void* alpha, std::span<const ProductCore> products, const void* beta) {
  if (products.empty()) return;
  const Phase phase(products.front().c.slice.array().group(), "gemm_batch");
  std::vector<SliceCore> all;
  for (const ProductCore& product : products)
    all.insert(all.end(), {product.a.slice, product.b.slice, product.c.slice});
  tessera::detail::begin_operation("gemm_batch", all, Shapes::any);
  require_same_ops(all.front().array().group(), products);
  std::vector<Factors> factors;
  for (const ProductCore& product : products) factors.emplace_back("gemm_batch", product);
  std::optional<Outcome> failure;  // the first one; the calls that are collective go on
  with_scalar("gemm_batch", products.front().c.slice, [&]<class T>(T) {
    const T factor = *static_cast<const T*>(alpha), old = *static_cast<const T*>(beta);
    ProductQueue<T> queue;  // of the products that fetch
    const auto note = [&](const Outcome& outcome) {
      if (outcome.failed() && !failure) failure = outcome;
    };
    for (std::size_t i = 0; i < products.size(); ++i) {
      const SliceCore& c = products[i].c.slice;
      if (c.size() == 0) continue;
      if (factors[i].k == 0 || factor == T{0}) {
        old == T{0} ? tessera::detail::fill(c, &old) : tessera::detail::scale(c, &old);
        continue;
      }
      note(Outcome([&] {
        if (multiply_pieces(factors[i], c, factor, old)) return;
        if (shares_of(c, c.array().group().rank()).empty()) return;
        add_own_part(queue, std::make_shared<const LocalProduct<T>>(factors[i].product(factor)), c, old, {});
        if (queue.is_long()) queue.run();
      }));
    }
    note(Outcome([&] { queue.run(); }));
  });
  for (const ProductCore& product : products) product.c.slice.array().complete_and_order();
  tessera::detail::end_operation("gemm_batch", products.front().c.slice, failure.value_or(Outcome([] {})));
}

index_t batch_size(index_t a, index_t b, index_t c) {
  if (a == b && b == c) return a;
  throw UsageError(
      formatted("gemm_batch: {} matrices a, {} b and {} c; there have to be as many of each", a, b, c));
}

}  // namespace tessera::linalg::detail
