// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/detail/cells_of.hpp>
#include <tessera/offset_view.hpp>

// The loops of GridTransfer, over the block of one rank.
namespace tessera::detail {

/// i / 2, rounded down.
constexpr index_t half_below(index_t i) noexcept { return i >= 0 ? i / 2 : (i - 1) / 2; }

/// How many ghost cells along one dimension a transfer needs on some rank: of the fine grid for a restriction,
/// of the coarse one for a prolongation. The blocks of the fine grid begin at `starts`. @local
constexpr index_t restriction_needs(const std::vector<index_t>& starts, index_t extent, index_t first,
                                    index_t count) {
  index_t most = 0;
  for (std::size_t b = 0; b < starts.size(); ++b) {
    const index_t lo = starts[b], hi = b + 1 < starts.size() ? starts[b + 1] : extent;
    const index_t coarse_lo = half_below(lo + 1), coarse_hi = half_below(hi + 1);
    if (coarse_lo >= coarse_hi) continue;
    most = std::max({most, lo - 2 * coarse_lo - first, 2 * (coarse_hi - 1) + first + count - hi});
  }
  return most;
}
/// Whether every block with elements has coarse ones, too: a block without has no ghost cells either. @local
constexpr bool have_coarse_elements(const std::vector<index_t>& starts, index_t extent) {
  for (std::size_t b = 0; b < starts.size(); ++b) {
    const index_t lo = starts[b], hi = b + 1 < starts.size() ? starts[b + 1] : extent;
    if (lo < hi && half_below(lo + 1) == half_below(hi + 1)) return false;
  }
  return true;
}
constexpr index_t prolongation_needs(const std::vector<index_t>& starts, index_t extent, index_t first,
                                     index_t count) {
  index_t most = 0;
  for (std::size_t b = 0; b < starts.size(); ++b) {
    const index_t lo = starts[b], hi = b + 1 < starts.size() ? starts[b + 1] : extent;
    if (lo >= hi) continue;
    const index_t coarse_lo = half_below(lo + 1), coarse_hi = half_below(hi + 1);
    most = std::max(
        {most, coarse_lo - half_below(lo - first - count + 2), half_below(hi - 1 - first) + 1 - coarse_hi});
  }
  return most;
}

/// A point of a stencil of several dimensions: where it is in memory, relative to the first, and its weight.
struct WeightedPlace {
  index_t offset;
  double weight;
};

/// All combinations of the points of each dimension.
template <std::size_t N>
std::vector<WeightedPlace> product_of(const std::array<std::vector<WeightedPlace>, N>& points) {
  std::vector<WeightedPlace> all{{0, 1}};
  for (const auto& along : points) {
    std::vector<WeightedPlace> more;
    for (const WeightedPlace& here : all) {
      for (const WeightedPlace& next : along)
        more.push_back({here.offset + next.offset, here.weight * next.weight});
    }
    all = std::move(more);
  }
  return all;
}

/// Elements at equal distances.
template <class T, class Step>
struct Row {
  T* first;
  Step step;
};
/// Steps that the compiler knows make loops faster.
using Adjacent = std::integral_constant<index_t, 1>;
using EverySecond = std::integral_constant<index_t, 2>;

/// to[i] = or += the sum of weight * from[i + offset] over as many places as there are numbers p.
template <class T, class From, class To, std::size_t... p>
void add_places(const Row<const T, From>& from, const WeightedPlace* places, const Row<T, To>& to,
                index_t count, bool adds, std::index_sequence<p...>) {
  const T weights[]{static_cast<T>(places[p].weight)...};
  const T* const sources[]{from.first + places[p].offset...};
  T* __restrict target = to.first;
  const index_t step = to.step, from_step = from.step;
  for (index_t i = 0; i < count; ++i) {
    const T before = adds ? target[i * step] : T{};
    target[i * step] = (before + ... + (weights[p] * sources[p][i * from_step]));
  }
}

/// The same for any number of places: a few at a time, in their order.
template <class T, class From, class To>
void sum_places(const Row<const T, From>& from, const std::vector<WeightedPlace>& places, const Row<T, To>& to,
                index_t count, bool adds) {
  for (index_t i = 0; i < count && places.empty() && !adds; ++i) to.first[i * to.step] = T{};
  const WeightedPlace* next = places.data();
  for (std::size_t left = places.size(); left > 0; adds = true) {
    const auto take = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
      add_places(from, next, to, count, adds, std::make_index_sequence<n>{});
      next += n, left -= n;
    };
    if (left >= 4) {
      take(std::integral_constant<std::size_t, 4>{});
    } else if (left >= 2) {
      take(std::integral_constant<std::size_t, 2>{});
    } else {
      take(std::integral_constant<std::size_t, 1>{});
    }
  }
}

/// Adds rows of a grid, which are `step` elements apart inside.
template <class T>
void sum_rows(const T* from, index_t step, const std::vector<WeightedPlace>& rows, std::vector<T>& sums) {
  const Row<T, Adjacent> to{sums.data(), {}};
  const auto count = static_cast<index_t>(sums.size());
  if (step == 1) return sum_places(Row<const T, Adjacent>{from, {}}, rows, to, count, false);
  sum_places(Row<const T, index_t>{from, step}, rows, to, count, false);
}

/// The first positions of the rows of a patch.
template <std::size_t N>
Patch<N> row_starts(Patch<N> patch) {
  patch.hi[N - 1] = patch.lo[N - 1] + 1;
  return patch;
}

// Both transfers first add rows of the source, and then elements of the row of sums: so they cost a few
// operations per element where the product of all dimensions has 3^N weights.
template <class T, std::size_t N>
void restrict_block(const Cells<const T, N>& fine, const Cells<T, N>& coarse, index_t first,
                    const std::vector<double>& weights) {
  if (coarse.block.empty()) return;
  std::array<std::vector<WeightedPlace>, N - 1> across;
  std::vector<WeightedPlace> along;
  const auto count = static_cast<index_t>(weights.size());
  for (index_t k = 0; k < count; ++k) {
    const double weight = weights[static_cast<std::size_t>(k)];
    for (std::size_t d = 0; d + 1 < N; ++d) across[d].push_back({(first + k) * fine.view.stride(d), weight});
    along.push_back({k, weight});
  }
  const auto rows = product_of(across);
  const index_t length = coarse.block.hi[N - 1] - coarse.block.lo[N - 1];
  const index_t to_step = coarse.view.stride(N - 1), from_step = fine.view.stride(N - 1);
  std::vector<T> sums(static_cast<std::size_t>(2 * (length - 1) + count));
  for_each_index_of(row_starts(coarse.block), [&](const Index<N>& at) {
    Index<N> there = at;
    for (std::size_t d = 0; d < N; ++d) there[d] *= 2;
    there[N - 1] += first;
    sum_rows<T>(fine.place_of(there), from_step, rows, sums);
    sum_places(Row<const T, EverySecond>{sums.data(), {}}, along, Row<T, index_t>{coarse.place_of(at), to_step},
               length, false);
  });
}

/// What fine elements of one parity take of the coarse grid along a dimension: element 2 c + parity takes
/// weight * coarse element c + offset / stride.
inline std::vector<WeightedPlace> places_of_parity(index_t parity, index_t first,
                                                   const std::vector<double>& weights, index_t stride) {
  std::vector<WeightedPlace> places;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const index_t distance = parity - first - static_cast<index_t>(k);
    if (distance % 2 == 0) places.push_back({distance / 2 * stride, weights[k]});
  }
  return places;
}

template <class T, std::size_t N>
void prolong_block(const Cells<const T, N>& coarse, const Cells<T, N>& fine, index_t first,
                   const std::vector<double>& weights, bool adds) {
  if (fine.block.empty()) return;
  const index_t lo = fine.block.lo[N - 1], hi = fine.block.hi[N - 1];
  // The coarse elements of a row that are needed.
  const index_t begin = half_below(lo - first - static_cast<index_t>(weights.size()) + 2);
  const index_t end = std::max(begin, half_below(hi - 1 - first) + 1);
  const index_t to_step = fine.view.stride(N - 1), from_step = coarse.view.stride(N - 1);
  std::vector<T> sums(static_cast<std::size_t>(end - begin));

  // Rows of one parity in each dimension add the same rows.
  std::array<std::vector<WeightedPlace>, (std::size_t{1} << (N - 1))> rows;
  for (std::size_t parities = 0; parities < rows.size(); ++parities) {
    std::array<std::vector<WeightedPlace>, N - 1> across;
    for (std::size_t d = 0; d + 1 < N; ++d)
      across[d] =
          places_of_parity(static_cast<index_t>(parities >> d & 1), first, weights, coarse.view.stride(d));
    rows[parities] = product_of(across);
  }
  std::array<std::vector<WeightedPlace>, 2> along;
  for (const index_t parity : {0, 1})
    along[static_cast<std::size_t>(parity)] = places_of_parity(parity, first, weights, 1);

  for_each_index_of(row_starts(fine.block), [&](const Index<N>& at) {
    Index<N> below = at;
    std::size_t parities = 0;
    for (std::size_t d = 0; d + 1 < N; ++d) {
      below[d] = half_below(at[d]);
      parities |= static_cast<std::size_t>(at[d] - 2 * below[d]) << d;
    }
    below[N - 1] = begin;
    sum_rows<T>(coarse.place_of(below), from_step, rows[parities], sums);
    for (const index_t parity : {0, 1}) {
      const index_t from = half_below(lo - parity + 1), until = half_below(hi - 1 - parity) + 1;
      T* to = fine.place_of(at) + (2 * from + parity - lo) * to_step;
      const Row<const T, Adjacent> source{sums.data() + (from - begin), {}};
      const auto& places = along[static_cast<std::size_t>(parity)];
      if (to_step == 1) {
        sum_places(source, places, Row<T, EverySecond>{to, {}}, until - from, adds);
      } else {
        sum_places(source, places, Row<T, index_t>{to, 2 * to_step}, until - from, adds);
      }
    }
  });
}

}  // namespace tessera::detail
