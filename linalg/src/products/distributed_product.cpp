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

// The most memory for results that BLAS cannot write in place: they are computed in parts.
constexpr index_t most_block_bytes = index_t{64} << 20;

// factor * value; for a factor of zero it is zero, even if the value is NaN.
template <class T>
T scaled(T factor, T value) {
  return factor == T{0} ? T{0} : factor * value;
}

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
                 [beta](T& x, const T& y) { x = y + scaled(beta, x); });
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

// The inner indices that each rank sums over, if every rank computes a part of all sums.
using Split = std::vector<IndexSet>;

template <class T>
void compute_part_of_sums(LocalProduct<T>& product, const FusedMatrix& c, const Split& split,
                          const Tiles& tiles) {
  const Group& group = c.array().group();
  const index_t m = c.rows(), n = c.columns(), ranks = group.size(), rank = group.rank();
  const IndexSet& inner = split[static_cast<std::size_t>(rank)];
  if (inner.empty()) return;
  const auto block = block_of<T>(m, n, tiles);
  product.add(IndexSet(0, m), IndexSet(0, n), inner, T{0}, {block.get(), 1, m}, 0, tiles);
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

// Estimates the seconds of a process, from its flops and from the words that it reads from other nodes. Only
// the ratio of the rates matters.
struct Cost {
  double flops_per_second = 3e10, bytes_per_second = 1e9, sums_per_second = 5e8;
  const Group& group;
  index_t size;
  const std::vector<OwnedSubmatrix>&left, &right;
  bool left_is_source, right_is_source;

  // A source counts as another node.
  double words(int rank, const std::vector<OwnedSubmatrix>& factor, bool is_source, const IndexSet& outer,
               const IndexSet& inner) const {
    if (is_source) return static_cast<double>(outer.size()) * static_cast<double>(inner.size());
    index_t words = 0;
    for (const OwnedSubmatrix& share : factor) {
      if (group.node_of(share.rank) == group.node_of(rank)) continue;
      words += share.rows.intersection(outer).size() * share.columns.intersection(inner).size();
    }
    return static_cast<double>(words);
  }
  double of(int rank, const IndexSet& rows, const IndexSet& columns, const IndexSet& inner) const {
    const double flops = 2.0 * static_cast<double>(rows.size()) * static_cast<double>(columns.size()) *
                         static_cast<double>(inner.size());
    const double all =
        words(rank, left, left_is_source, rows, inner) + words(rank, right, right_is_source, columns, inner);
    return flops / flops_per_second + all * static_cast<double>(size) / bytes_per_second;
  }
};

// Gives each rank the inner indices that it owns of a factor. Ranks that own other outer indices of the same
// inner ones share them. Empty if the ranks do not own the factor in a grid.
Split split_as_owned(const std::vector<OwnedSubmatrix>& factor, index_t k, int ranks) {
  std::vector<std::pair<IndexSet, std::vector<int>>> columns;  // of the grid
  Split split(static_cast<std::size_t>(ranks));
  index_t covered = 0;
  for (const OwnedSubmatrix& share : factor) {
    const auto is_it = [&](const auto& column) { return column.first == share.columns; };
    auto place = std::find_if(columns.begin(), columns.end(), is_it);
    if (place == columns.end()) {
      if (columns.size() == split.size()) return {};
      for (const auto& column : columns)
        if (!column.first.intersection(share.columns).empty()) return {};
      covered += share.columns.size();
      place = columns.insert(columns.end(), {share.columns, {}});
    }
    place->second.push_back(share.rank);
  }
  if (covered != k) return {};
  for (const auto& [inner, owners] : columns) {
    const Split parts = inner.split(static_cast<index_t>(owners.size()));
    for (std::size_t i = 0; i < owners.size(); ++i) {
      IndexSet& own = split[static_cast<std::size_t>(owners[i])];
      if (!own.empty()) return {};
      own = parts[i];
    }
  }
  return split;
}

constexpr index_t max_split_memory = index_t{256} << 20;

// Whether each rank may compute a part of all sums: there are enough sums, and memory for all of c.
template <class T>
bool can_split(const FusedMatrix& c, index_t k) {
  const int ranks = c.array().group().size();
  const auto most = max_split_memory / static_cast<index_t>(sizeof(T));
  return ranks > 1 && k >= ranks && c.rows() * c.columns() <= most;
}

// Empty if it is better that each rank computes its own part of the result. The answer depends on the layouts
// alone, so it is the same on every process.
template <class T>
Split split_of(const LocalProduct<T>& product, const FusedMatrix& c, index_t k) {
  const Group& group = c.array().group();
  const index_t m = c.rows(), n = c.columns();
  const auto size = static_cast<index_t>(sizeof(T));
  const Cost cost{.group = group,
                  .size = size,
                  .left = product.left().shares(),
                  .right = product.right().shares(),
                  .left_is_source = product.left().is_source(),
                  .right_is_source = product.right().is_source()};
  const bool alone = group.node_count() == 1;
  double best = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    double here = 0;
    for (const OwnedSubmatrix& share : shares_of(c, rank))
      here += cost.of(rank, share.rows, share.columns, IndexSet(0, k));
    best = std::max(best, here);
  }
  // A split takes memory, so it must be clearly better, and more so where no data crosses the network.
  best *= alone ? 0.8 : 0.9;
  const double sums = static_cast<double>(m * n),
               adding = sums / cost.sums_per_second +
                        (alone ? 0 : sums * static_cast<double>(size) / cost.bytes_per_second);
  Split chosen;
  const auto consider = [&](Split split) {
    double slowest = 0;
    for (std::size_t rank = 0; rank < split.size(); ++rank) {
      const double here = cost.of(static_cast<int>(rank), IndexSet(0, m), IndexSet(0, n), split[rank]) + adding;
      slowest = std::max(slowest, here);
    }
    if (split.empty() || slowest >= best) return;
    best = slowest;
    chosen = std::move(split);
  };
  consider(IndexSet(0, k).split(group.size()));
  if (!alone) {
    consider(split_as_owned(cost.left, k, group.size()));
    consider(split_as_owned(cost.right, k, group.size()));
  }
  return chosen;
}

}  // namespace

template <class T>
void multiply_own_elements(const tessera::detail::SliceCore& c, T factor) {
  tessera::detail::for_each_run(c, {}, [factor](const tessera::detail::ElementRun& run) {
    tessera::detail::apply<T>(run, [factor](T& x) { x = scaled(factor, x); });
  });
}

namespace {

// The part of the sums that a rank begins with.
double first_of(const Group& group) { return static_cast<double>(group.rank()) / group.size(); }

// Whether BLAS can write a share of the result where it lies.
bool is_in_place(const OwnedSubmatrix& share) {
  return share.is_even && blas::order_of(share.row_stride, share.column_stride, share.rows.size(),
                                         share.columns.size()) != blas::Order::neither;
}

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
void multiply_own(LocalProduct<T>& product, const FusedMatrix& c, index_t k, T beta, const Tiles& tiles) {
  const Group& group = c.array().group();
  const double first = first_of(group);
  const IndexSet inner(0, k);
  for (const OwnedSubmatrix& share : shares_of(c, group.rank())) {
    if (is_in_place(share)) {
      product.add(share.rows, share.columns, inner, beta,
                  {reinterpret_cast<T*>(share.data), share.row_stride, share.column_stride}, first, tiles);
      continue;
    }
    for (const OwnedSubmatrix& part : blocks_of<T>(c, share)) {
      const auto block = block_of<T>(part.rows.size(), part.columns.size(), tiles);
      const blas::Panel<T> panel = panel_of(part, block.get());
      product.add(part.rows, part.columns, inner, T{0}, panel, first, tiles);
      store(c, part, panel, beta);
    }
  }
}

template <class T>
index_t product_memory(const LocalProduct<T>& product, const FusedMatrix& c, index_t k) {
  const Split split = can_split<T>(c, k) ? split_of(product, c, k) : Split{};
  if (split.empty()) return own_memory(product, c, k);
  const index_t m = c.rows(), n = c.columns();
  const IndexSet& inner = split[static_cast<std::size_t>(c.array().group().rank())];
  if (inner.empty()) return 0;
  return m * n * static_cast<index_t>(sizeof(T)) +
         product.memory(IndexSet(0, m), IndexSet(0, n), inner, 1, m, 0);
}

template <class T>
index_t own_memory(const LocalProduct<T>& product, const FusedMatrix& c, index_t k) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const double first = first_of(c.array().group());
  index_t most = 0;
  const IndexSet inner(0, k);
  for (const OwnedSubmatrix& share : shares_of(c, c.array().group().rank())) {
    if (is_in_place(share)) {
      most = std::max(
          most, product.memory(share.rows, share.columns, inner, share.row_stride, share.column_stride, first));
      continue;
    }
    for (const OwnedSubmatrix& part : blocks_of<T>(c, share)) {
      const auto panel = panel_of<T>(part, nullptr);
      most = std::max(most, part.rows.size() * part.columns.size() * size +
                                product.memory(part.rows, part.columns, inner, panel.row_stride,
                                               panel.column_stride, first));
    }
  }
  return most;
}

template <class T>
index_t most_memory(const FusedMatrix& c, index_t k) {
  constexpr auto size = static_cast<index_t>(sizeof(T));
  const index_t rows = c.rows(), columns = c.columns();
  index_t most =
      can_split<T>(c, k) ? rows * columns * size + LocalProduct<T>::most_memory(rows, columns, k) : 0;
  for (const OwnedSubmatrix& share : shares_of(c, c.array().group().rank())) {
    const index_t m = share.rows.size(), n = share.columns.size();
    most = std::max(most, std::min(m * n * size, most_block_bytes) + LocalProduct<T>::most_memory(m, n, k));
  }
  return most;
}

template <class T>
Outcome distributed_product(std::string_view routine, const ProductFactors<T>& factors, const FusedMatrix& c,
                            T beta, Computed& computed) {
  const index_t k = factors.left.columns();
  std::optional<LocalProduct<T>> product;
  Split split;
  const bool may_split = can_split<T>(c, k);
  Outcome preparation([&] {
    product.emplace(factors.alpha, factors.left, factors.conjugate_left, factors.right_transposed,
                    factors.conjugate_right);
    if (may_split) split = split_of(*product, c, k);
    if (!split.empty()) multiply_own_elements(c.slice(), beta);
  });
  // Others add to the result of this process, which must be ready; and all must know whether they do.
  if (may_split) {
    c.array().order_local_access();
    preparation.agree_and_sync(c.array().group(), routine);
  } else if (preparation.failed()) {
    return preparation;
  }
  computed.in_parts = !split.empty();
  // Every rank then computes all of c, so there are no tiles to share out.
  if (computed.in_parts && computed.tiles.part == Tiles::Part::alternate)
    computed.tiles.part = Tiles::Part::lower;
  return Outcome([&] {
    computed.in_parts ? compute_part_of_sums(*product, c, split, computed.tiles)
                      : multiply_own(*product, c, k, beta, computed.tiles);
  });
}

#define TESSERA_DEFINE(T)                                                                                    \
  template Outcome distributed_product<T>(std::string_view, const ProductFactors<T>&, const FusedMatrix&, T, \
                                          Computed&);                                                        \
  template index_t product_memory<T>(const LocalProduct<T>&, const FusedMatrix&, index_t);                   \
  template index_t own_memory<T>(const LocalProduct<T>&, const FusedMatrix&, index_t);                       \
  template index_t most_memory<T>(const FusedMatrix&, index_t);                                              \
  template void multiply_own_elements<T>(const tessera::detail::SliceCore&, T);                              \
  template void multiply_own<T>(LocalProduct<T>&, const FusedMatrix&, index_t, T, const Tiles&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
