// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/split_sums.hpp"

#include <algorithm>
#include <utility>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {
namespace {

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

}  // namespace

template <class T>
bool can_split(const FusedMatrix& c, index_t k) {
  const int ranks = c.array().group().size();
  const auto most = max_split_memory / static_cast<index_t>(sizeof(T));
  return ranks > 1 && k >= ranks && c.rows() * c.columns() <= most;
}

template <class T>
Split split_of(const LocalProduct<T>& product, const FusedMatrix& c) {
  const Group& group = c.array().group();
  const index_t m = c.rows(), n = c.columns(), k = product.inner();
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

#define TESSERA_DEFINE(T)                                  \
  template bool can_split<T>(const FusedMatrix&, index_t); \
  template Split split_of<T>(const LocalProduct<T>&, const FusedMatrix&);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
