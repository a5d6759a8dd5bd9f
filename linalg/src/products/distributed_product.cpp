// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/distributed_product.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include <tessera/core/operand_walk.hpp>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;
using tessera::detail::LocalPiece;
using tessera::detail::Outcome;
using tessera::detail::SliceCore;

// The most memory for results that BLAS cannot write in place: they are computed in parts.
constexpr index_t most_block_bytes = index_t{64} << 20;

// Calls f(x, y) for the elements of two memories at the same positions; the last dimension is the inner loop.
template <class T, class F>
void for_each_two(std::span<const index_t> extents, T* x, std::span<const index_t> x_strides, const T* y,
                  std::span<const index_t> y_strides, const F& f) {
  if (extents.empty()) return f(*x, *y);
  const index_t x_step = x_strides.front(), y_step = y_strides.front();
  if (extents.size() == 1) {
    if (x_step == 1 && y_step == 1)
      for (index_t i = 0; i < extents[0]; ++i) f(x[i], y[i]);
    else
      for (index_t i = 0; i < extents[0]; ++i) f(x[i * x_step], y[i * y_step]);
    return;
  }
  for (index_t i = 0; i < extents[0]; ++i)
    for_each_two(extents.subspan(1), x + i * x_step, x_strides.subspan(1), y + i * y_step, y_strides.subspan(1),
                 f);
}

// c = block + beta * c for the pieces of a share.
template <class T>
void store(const FusedMatrix& c, const OwnedSubmatrix& share, const blas::Panel<T>& block, T beta) {
  const std::size_t dimensions = c.dimensions();
  Coordinates strides{};
  index_t stride = block.column_stride;
  for (std::size_t d = dimensions; d-- > 0; stride *= share.coordinates[d].size()) {
    if (d + 1 == c.row_dimensions()) stride = block.row_stride;
    strides[d] = stride;
  }
  for (const LocalPiece& piece : share.pieces) {
    const T* from = block.data;
    // The closest dimension of the result goes last.
    std::vector<std::size_t> order(dimensions);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return piece.strides[a] > piece.strides[b]; });
    Coordinates extents{}, from_strides{}, to_strides{};
    for (std::size_t i = 0; i < dimensions; ++i) {
      const std::size_t d = order[i];
      const IndexSet range(piece.box.lo[d], piece.box.hi[d] - piece.box.lo[d]);
      from += *share.coordinates[d].find(range) * strides[d];
      extents[i] = range.size(), from_strides[i] = strides[d], to_strides[i] = piece.strides[d];
    }
    const auto to = reinterpret_cast<T*>(piece.data);
    const std::span<const index_t> sizes(extents.data(), dimensions);
    for_each_two(sizes, to, std::span<const index_t>(to_strides.data(), dimensions), from,
                 std::span<const index_t>(from_strides.data(), dimensions),
                 [beta](T& x, const T& y) { x = y + blas::scaled(beta, x); });
  }
}

// Memory for a block of the result. It is zeroed if some tiles are not computed: they must not be NaN by
// chance.
template <class T>
std::unique_ptr<T[]> block_of(index_t m, index_t n, const Tiles& tiles) {
  const auto size = static_cast<std::size_t>(m * n);
  return tiles.part == Tiles::Part::all ? std::make_unique_for_overwrite<T[]>(size)
                                        : std::make_unique<T[]>(size);
}

template <class T>
void compute_part_of_sums(const std::shared_ptr<const LocalProduct<T>>& product, const FusedMatrix& c,
                          const Split& split, const Tiles& tiles) {
  const Group& group = c.array().group();
  const index_t m = c.rows(), n = c.columns(), ranks = group.size(), rank = group.rank();
  const IndexSet& inner = split[static_cast<std::size_t>(rank)];
  if (inner.empty()) return;
  const auto block = block_of<T>(m, n, tiles);
  ProductQueue<T> queue;
  queue.add(product, {IndexSet(0, m), IndexSet(0, n)}, inner, T{0}, {{block.get(), 1, m}}, 0, tiles);
  queue.run();
  // Each rank begins at another owner, so that not all add to the same owner at once.
  const T one{1};
  Request all;
  for (index_t i = 0; i < ranks; ++i) {
    const index_t part = (rank + i) % ranks;
    const index_t begin = m * part / ranks, end = m * (part + 1) / ranks;
    if (begin == end) continue;
    const index_t columns =
        tiles.part == Tiles::Part::lower ? std::min(n, ((end - 1) / tiles.size + 1) * tiles.size) : n;
    c.for_each_box(IndexSet(begin, end - begin), IndexSet(0, columns), 1, m,
                   [&](const Box& box, index_t offset, const Coordinates& extents, const Coordinates& strides) {
                     all += c.slice().accumulate_async(
                         box, {block.get() + begin + offset, extents.data(), strides.data()}, &one);
                   });
  }
  all.wait();
  c.array().flush();
}

}  // namespace

template <class T>
void multiply_own_elements(const tessera::detail::SliceCore& c, T factor) {
  if (factor == T{1}) return;
  tessera::detail::for_each_run(c, {}, [factor](const tessera::detail::ElementRun& run) {
    tessera::detail::apply<T>(run, [factor](T& x) { x = blas::scaled(factor, x); });
  });
}

namespace {

// The part of the sums that a rank begins with.
double first_of(const Group& group) { return static_cast<double>(group.rank()) / group.size(); }

template <class T>
std::vector<OwnedSubmatrix> blocks_of(const FusedMatrix& c, const OwnedSubmatrix& share) {
  return parts_of(c, share, most_block_bytes / static_cast<index_t>(sizeof(T)));
}

// A part of the result in a block of its own. The elements that lie closest in the result are closest in the
// block, too, unless they are more than BLAS can count.
template <class T>
blas::Panel<T> panel_of(const OwnedSubmatrix& part, T* block) {
  const index_t rows = part.rows.size(), columns = part.columns.size();
  bool by_columns = part.row_stride <= part.column_stride;
  if ((by_columns ? rows : columns) > std::numeric_limits<int>::max()) by_columns = !by_columns;
  return by_columns ? blas::Panel<T>{block, 1, rows} : blas::Panel<T>{block, columns, 1};
}

}  // namespace

template <class T>
void add_own_part(ProductQueue<T>& queue, const std::shared_ptr<const LocalProduct<T>>& product,
                  const FusedMatrix& c, T beta, const Tiles& tiles) {
  const Group& group = c.array().group();
  const double first = first_of(group);
  const IndexSet inner(0, product->inner());
  for (const OwnedSubmatrix& share : shares_of(c, group.rank())) {
    if (is_panel(share)) {
      const blas::Panel<T> panel{reinterpret_cast<T*>(share.data), share.row_stride, share.column_stride};
      queue.add(product, {share.rows, share.columns}, inner, beta, {panel}, first, tiles);
      continue;
    }
    for (const OwnedSubmatrix& part : blocks_of<T>(c, share)) {
      const index_t m = part.rows.size(), n = part.columns.size();
      const auto block = std::make_shared<std::unique_ptr<T[]>>();
      const blas::Panel<T> panel = panel_of<T>(part, nullptr);
      const auto open = [block, m, n, tiles] { return (*block = block_of<T>(m, n, tiles)).get(); };
      const auto close = [block, c, part, panel, beta] {
        store(c, part, blas::Panel<T>{block->get(), panel.row_stride, panel.column_stride}, beta);
        block->reset();
      };
      queue.add(product, {part.rows, part.columns}, inner, T{0},
                {panel, m * n * static_cast<index_t>(sizeof(T)), open, close}, first, tiles);
    }
  }
}

template <class T>
index_t part_of_sums_memory(const std::shared_ptr<const LocalProduct<T>>& product, const FusedMatrix& c,
                            const Split& split) {
  const index_t m = c.rows(), n = c.columns();
  const IndexSet& inner = split[static_cast<std::size_t>(c.array().group().rank())];
  if (inner.empty()) return 0;
  ProductQueue<T> queue;
  queue.add(product, {IndexSet(0, m), IndexSet(0, n)}, inner, T{0},
            {{nullptr, 1, m}, m * n * static_cast<index_t>(sizeof(T))}, 0, {});
  return queue.memory();
}

template <class T>
index_t most_memory(const FusedMatrix& c, index_t k) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const index_t rows = c.rows(), columns = c.columns();
  index_t most =
      can_split<T>(c, k) ? rows * columns * size + ProductQueue<T>::most_memory(rows, columns, k) : 0;
  for (const OwnedSubmatrix& share : shares_of(c, c.array().group().rank())) {
    const index_t m = share.rows.size(), n = share.columns.size();
    most = std::max(most, std::min(m * n * size, most_block_bytes) + ProductQueue<T>::most_memory(m, n, k));
  }
  return most;
}

template <class T>
Outcome DistributedSum<T>::run(T beta, Computed& computed) {
  struct Ready {
    std::shared_ptr<const LocalProduct<T>> product;
    const FusedMatrix& c;
    Split split;
  };
  const std::vector<Summand> terms = std::exchange(terms_, {});
  std::vector<Ready> own, in_parts;
  const auto is_splittable = [](const Summand& term) {
    return can_split<T>(term.c, term.factors.left.columns());
  };
  const bool may_split = std::any_of(terms.begin(), terms.end(), is_splittable);
  const SliceCore& c = terms.front().c.slice();
  Outcome preparation([&] {
    for (const Summand& term : terms) {
      auto product = std::make_shared<const LocalProduct<T>>(term.factors);
      Split split = is_splittable(term) ? split_of(*product, term.c) : Split{};
      (split.empty() ? own : in_parts).push_back({std::move(product), term.c, std::move(split)});
    }
    if (own.empty()) multiply_own_elements(c, beta);
  });
  // Others add to the result of this process, which must be ready; and all must know whether they do.
  if (may_split) {
    c.array().complete_and_order();
    preparation.agree_and_sync(c.array().group(), routine_);
  } else if (preparation.failed()) {
    return preparation;
  }
  computed.in_parts = !in_parts.empty();
  // Every rank then computes all of c, so there are no tiles to share out.
  if (computed.in_parts && computed.tiles.part == Tiles::Part::alternate)
    computed.tiles.part = Tiles::Part::lower;
  Outcome own_parts([&] {
    ProductQueue<T> queue;
    for (const Ready& ready : own)
      add_own_part(queue, ready.product, ready.c, std::exchange(beta, T{1}), computed.tiles);
    queue.run();
  });
  if (in_parts.empty()) return own_parts;
  if (!own.empty()) {
    c.array().complete_and_order();
    own_parts.agree_and_sync(c.array().group(), routine_);
  }
  return Outcome([&] {
    for (const Ready& ready : in_parts)
      compute_part_of_sums(ready.product, ready.c, ready.split, computed.tiles);
  });
}

template <class T>
Outcome distributed_product(std::string_view routine, const ProductFactors<T>& factors, const FusedMatrix& c,
                            T beta, Computed& computed) {
  DistributedSum<T> sum(routine);
  sum.add(factors, c);
  return sum.run(beta, computed);
}

#define TESSERA_DEFINE(T)                                                                                    \
  template class DistributedSum<T>;                                                                          \
  template Outcome distributed_product<T>(std::string_view, const ProductFactors<T>&, const FusedMatrix&, T, \
                                          Computed&);                                                        \
  template index_t part_of_sums_memory<T>(const std::shared_ptr<const LocalProduct<T>>&, const FusedMatrix&, \
                                          const Split&);                                                     \
  template index_t most_memory<T>(const FusedMatrix&, index_t);                                              \
  template void multiply_own_elements<T>(const SliceCore&, T);                                               \
  template void add_own_part<T>(ProductQueue<T>&, const std::shared_ptr<const LocalProduct<T>>&,             \
                                const FusedMatrix&, T, const Tiles&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
