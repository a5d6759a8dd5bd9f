// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
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

template <class T>
T weighted_sum(const T* from, index_t place, const std::vector<WeightedPlace>& places) {
  T sum{};
  for (const WeightedPlace& next : places) sum += static_cast<T>(next.weight) * from[place + next.offset];
  return sum;
}

template <class T, std::size_t N>
void restrict_block(const Cells<const T, N>& fine, const Cells<T, N>& coarse, index_t first,
                    const std::vector<double>& weights) {
  if (coarse.block.empty()) return;
  std::array<std::vector<WeightedPlace>, N> along;
  const auto count = static_cast<index_t>(weights.size());
  for (std::size_t d = 0; d < N; ++d) {
    for (index_t k = 0; k < count; ++k)
      along[d].push_back({(first + k) * fine.view.stride(d), weights[static_cast<std::size_t>(k)]});
  }
  const auto places = product_of(along);
  Patch<N> rows = coarse.block;
  rows.hi[N - 1] = rows.lo[N - 1] + 1;
  const index_t length = coarse.block.hi[N - 1] - coarse.block.lo[N - 1];
  const index_t to_step = coarse.view.stride(N - 1), from_step = 2 * fine.view.stride(N - 1);
  for_each_index_of(rows, [&](const Index<N>& at) {
    Index<N> there = at;
    for (std::size_t d = 0; d < N; ++d) there[d] *= 2;
    index_t place = 0;
    for (std::size_t d = 0; d < N; ++d) place += (there[d] - fine.all.lo[d]) * fine.view.stride(d);
    T* to = coarse.place_of(at);
    for (index_t i = 0; i < length; ++i, place += from_step, to += to_step)
      *to = weighted_sum(fine.view.data_handle(), place, places);
  });
}

template <class T, std::size_t N>
void prolong_block(const Cells<const T, N>& coarse, const Cells<T, N>& fine, index_t first,
                   const std::vector<double>& weights, bool adds) {
  if (fine.block.empty()) return;
  const auto count = static_cast<index_t>(weights.size());
  // Fine elements of one parity in each dimension take the same places of the coarse grid.
  for (std::size_t parities = 0; parities < (std::size_t{1} << N); ++parities) {
    std::array<std::vector<WeightedPlace>, N> along;
    Patch<N> halves;  // j = 2 c + parity, for c in it
    for (std::size_t d = 0; d < N; ++d) {
      const auto parity = static_cast<index_t>(parities >> d & 1);
      halves.lo[d] = half_below(fine.block.lo[d] - parity + 1);
      halves.hi[d] = half_below(fine.block.hi[d] - 1 - parity) + 1;
      for (index_t k = 0; k < count; ++k) {
        if ((parity - first - k) % 2 != 0) continue;
        const index_t reach = (parity - first - k) / 2;  // i = c + reach
        along[d].push_back({reach * coarse.view.stride(d), weights[static_cast<std::size_t>(k)]});
      }
    }
    if (halves.empty()) continue;
    const auto places = product_of(along);
    Patch<N> rows = halves;
    rows.hi[N - 1] = rows.lo[N - 1] + 1;
    const index_t length = halves.hi[N - 1] - halves.lo[N - 1];
    const index_t to_step = 2 * fine.view.stride(N - 1), from_step = coarse.view.stride(N - 1);
    for_each_index_of(rows, [&](const Index<N>& c) {
      Index<N> j;
      index_t place = 0;
      for (std::size_t d = 0; d < N; ++d) {
        j[d] = 2 * c[d] + static_cast<index_t>(parities >> d & 1);
        place += (c[d] - coarse.all.lo[d]) * coarse.view.stride(d);
      }
      T* to = fine.place_of(j);
      for (index_t i = 0; i < length; ++i, place += from_step, to += to_step) {
        const T value = weighted_sum(coarse.view.data_handle(), place, places);
        *to = adds ? *to + value : value;
      }
    });
  }
}

}  // namespace tessera::detail
