// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/local_product.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>

#include "blas/instantiate.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::Box;
using tessera::detail::Coordinates;

// Below these extents, BLAS loses more time than a copy of the factors costs.
constexpr index_t min_outer = 64, min_inner = 64;
// The most that is fetched at a time: bytes for the rooms of both factors, and inner indices that are enough
// for BLAS, or make so many elements.
constexpr index_t buffer_bytes = index_t{64} << 20, max_inner = 512, enough_elements = index_t{1} << 17;
// A part from other nodes is fetched in at least so many steps, if each has so many indices. Then less is left
// to multiply when the last step arrives.
constexpr index_t remote_steps = 4, min_remote = 128;

// Both lists, evenly interleaved, beginning with an element of `first`.
std::vector<IndexSet> mixed(std::vector<IndexSet> first, std::vector<IndexSet> second) {
  std::vector<IndexSet> all;
  for (std::size_t i = 0, j = 0; i < first.size() || j < second.size();) {
    const bool take_first = j == second.size() || i * second.size() <= j * first.size();
    all.push_back(std::move(take_first && i < first.size() ? first[i++] : second[j++]));
  }
  return all;
}

// Puts the elements before a part of the list, from 0 to below 1, behind the others.
template <class Element>
void begin_at(double part, std::vector<Element>& list) {
  const auto start = static_cast<std::ptrdiff_t>(part * static_cast<double>(list.size()));
  std::rotate(list.begin(), list.begin() + start, list.end());
}

}  // namespace

std::vector<TileRange> tile_ranges(const IndexSet& set, index_t size) {
  std::vector<TileRange> ranges;
  index_t offset = 0;
  for (const IndexRun& run : set.runs()) {
    for (index_t i = run.begin; i < run.end();) {
      const index_t number = i / size, count = std::min(run.end(), (number + 1) * size) - i;
      if (!ranges.empty() && ranges.back().number == number)
        ranges.back().count += count;
      else
        ranges.push_back({number, offset, count});
      offset += count;
      i += count;
    }
  }
  return ranges;
}

template <class T>
Factor<T>::Factor(const FusedMatrix& matrix, bool conjugated) : matrix_(matrix), conjugated_(conjugated) {
  if (is_source()) return;
  for (int rank = 0; rank < matrix.array().group().size(); ++rank) {
    for (OwnedSubmatrix& share : shares_of(matrix, rank)) {
      share.pieces.clear();
      shares_.push_back(std::move(share));
    }
  }
}

template <class T>
bool Factor<T>::is_remote() const noexcept {
  return is_source() || std::any_of(shares_.begin(), shares_.end(),
                                    [](const OwnedSubmatrix& share) { return share.data == nullptr; });
}

template <class T>
std::vector<IndexSet> Factor<T>::cut(const IndexSet& outer) const {
  std::vector<IndexSet> parts;
  index_t covered = 0;
  for (const OwnedSubmatrix& share : shares_) {
    IndexSet part = share.rows.intersection(outer);
    if (part.empty() || std::find(parts.begin(), parts.end(), part) != parts.end()) continue;
    const bool is_whole = part.size() == outer.size();
    if (!is_whole && (part.size() < min_outer || !outer.find(part) || !share.rows.find(part))) return {outer};
    covered += part.size();
    parts.push_back(std::move(part));
  }
  // The parts overlap, because they differ for different inner indices: a part in place for one is not for the
  // next.
  if (covered != outer.size()) return {outer};
  return parts;
}

template <class T>
std::vector<IndexSet> Factor<T>::inner_of(const IndexSet& outer) const {
  std::vector<IndexSet> parts;
  index_t covered = 0;
  for (const OwnedSubmatrix& share : shares_) {
    if (!share.rows.find(outer)) continue;
    covered += share.columns.size();
    parts.push_back(share.columns);
  }
  if (covered != matrix_.columns()) return {};
  return parts;
}

template <class T>
std::optional<blas::Panel<const T>> Factor<T>::in_place(const IndexSet& outer, const IndexSet& inner,
                                                        blas::Order result) const {
  for (const OwnedSubmatrix& share : shares_) {
    if (!share.is_even || share.data == nullptr) continue;
    const auto row = share.rows.find(outer), column = share.columns.find(inner);
    if (!row || !column) continue;
    const blas::Order order = blas::order_of(share.row_stride, share.column_stride, outer.size(), inner.size());
    if (!blas::can_read(order, conjugated_, result)) return {};
    const auto* data = reinterpret_cast<const T*>(share.data);
    return blas::Panel<const T>{data, share.row_stride, share.column_stride}.from(*row, *column);
  }
  return {};
}

template <class T>
bool Factor<T>::is_near(const IndexSet& outer, const IndexSet& inner) const {
  const auto has_part = [&](const OwnedSubmatrix& share) {
    return !share.rows.intersection(outer).empty() && !share.columns.intersection(inner).empty();
  };
  return !is_source() && std::none_of(shares_.begin(), shares_.end(), [&](const OwnedSubmatrix& share) {
    return share.data == nullptr && has_part(share);
  });
}

template <class T>
blas::Panel<const T> Factor<T>::fetch(const IndexSet& outer, const IndexSet& inner, blas::Order result, T* into,
                                      Fetches& fetches) const {
  // In the stored order, which is copied fastest, unless BLAS cannot read it.
  bool by_rows =
      is_source() ? matrix_.has_closest_in_rows() : !shares_.empty() && shares_.front().column_stride == 1;
  by_rows = by_rows || outer.size() > std::numeric_limits<int>::max();
  if (conjugated_) by_rows = result == blas::Order::by_columns;
  const std::array<index_t, 2> strides =
      by_rows ? std::array<index_t, 2>{inner.size(), 1} : std::array<index_t, 2>{1, outer.size()};
  matrix_.for_each_box(
      outer, inner, strides[0], strides[1],
      [&](const Box& box, index_t offset, const Coordinates& extents, const Coordinates& in_box) {
        matrix_.tensor().get_async(box, {into + offset, extents.data(), in_box.data()}, fetches);
      });
  return {into, strides[0], strides[1]};
}

template <class T>
LocalProduct<T>::LocalProduct(const ProductFactors<T>& factors)
    : alpha_(factors.alpha),
      left_(factors.left, factors.conjugate_left),
      right_(factors.right_transposed, factors.conjugate_right) {}

// A cut saves a copy of the factor, but makes BLAS write the result in strips. If few inner indices are summed,
// this costs more than the copy. A source would compute its elements anew for each part of the other factor.
template <class T>
std::vector<ProductBlock> LocalProduct<T>::blocks(const ProductBlock& part, const IndexSet& inner,
                                                  double first) const {
  const auto parts = [&](const Factor<T>& factor, const IndexSet& outer, const Factor<T>& other,
                         const IndexSet& other_outer) {
    return other.is_source() || inner.size() < other_outer.size() ? std::vector{outer} : factor.cut(outer);
  };
  const std::vector<IndexSet> columns = parts(right_, part.columns, left_, part.rows);
  std::vector<ProductBlock> blocks;
  for (const IndexSet& some_rows : parts(left_, part.rows, right_, part.columns)) {
    for (const IndexSet& some_columns : columns) blocks.push_back({some_rows, some_columns});
  }
  if (blocks.size() == 1 || (!left_.is_remote() && !right_.is_remote())) return blocks;
  begin_at(first, blocks);
  std::ranges::stable_partition(blocks, [&](const ProductBlock& block) {
    return left_.is_near(block.rows, inner) && right_.is_near(block.columns, inner);
  });
  return blocks;
}

index_t transfers_at_once(index_t room_bytes) noexcept {
  return std::clamp(buffer_bytes / std::max<index_t>(room_bytes, 1) - 1, fewest_transfers, most_transfers);
}

template <class T>
index_t longest_step(index_t rows, index_t columns, index_t inner) {
  const index_t width = (fewest_transfers + 1) * static_cast<index_t>(sizeof(T)) * (rows + columns);
  const index_t enough = std::max(max_inner, enough_elements / (rows + columns));
  return std::min(inner, std::clamp(buffer_bytes / width, min_inner, enough));
}

// The steps that need nothing from other nodes are spread between the others, to overlap with their fetches.
template <class T>
std::vector<IndexSet> LocalProduct<T>::steps(const ProductBlock& block, const IndexSet& inner,
                                             blas::Order result, double first) const {
  const auto& [rows, columns] = block;
  // Parts too small for BLAS are fetched together. More parts than this are not even compared.
  const auto max_parts = static_cast<std::size_t>(1 + inner.size() / min_inner);
  auto parts_of = [&](const Factor<T>& factor, const IndexSet& outer) {
    std::vector<IndexSet> parts;
    for (const IndexSet& owned : factor.inner_of(outer)) {
      IndexSet part = owned.intersection(inner);
      if (!part.empty()) parts.push_back(std::move(part));
    }
    if (parts.empty() || parts.size() > max_parts) parts = {inner};
    return parts;
  };
  std::vector<IndexSet> whole;
  const std::vector<IndexSet> rights = parts_of(right_, columns);
  for (const IndexSet& mine : parts_of(left_, rows)) {
    for (const IndexSet& theirs : rights) {
      IndexSet part = mine.intersection(theirs);
      if (!part.empty()) whole.push_back(std::move(part));
    }
  }
  if (whole.size() > max_parts) whole = {inner};
  const index_t most = longest_step<T>(rows.size(), columns.size(), inner.size());
  const bool is_remote = left_.is_remote() || right_.is_remote();
  std::vector<IndexSet> here, fetched;
  for (const IndexSet& part : whole) {
    const bool left_in_place = left_.in_place(rows, part, result).has_value(),
               right_in_place = right_.in_place(columns, part, blas::turned(result)).has_value();
    const bool is_here =
        (left_in_place || left_.is_near(rows, part)) && (right_in_place || right_.is_near(columns, part));
    index_t parts = (part.size() + most - 1) / most;
    if (!is_here) parts = std::max(parts, std::min(remote_steps, part.size() / min_remote));
    if (left_in_place && right_in_place && !is_remote) parts = 1;
    std::ranges::move(part.split(parts), std::back_inserter(is_here ? here : fetched));
  }
  begin_at(first, here);
  begin_at(first, fetched);
  return mixed(std::move(here), std::move(fetched));
}

template <class T>
void LocalProduct<T>::multiply(const ProductBlock& block, index_t inner, const blas::Panel<const T>& left,
                               const blas::Panel<const T>& right, T beta, const blas::Panel<T>& c,
                               const Tiles& tiles) const {
  const auto part = [&](index_t row, index_t m, index_t column, index_t n) {
    blas::gemm<T>(m, n, inner, alpha_, left.from(row, 0), left_.is_conjugated(),
                  right.from(column, 0).transposed(), right_.is_conjugated(), beta, c.from(row, column));
  };
  if (tiles.part == Tiles::Part::all) return part(0, block.rows.size(), 0, block.columns.size());
  const std::vector<TileRange> all_rows = tile_ranges(block.rows, tiles.size);
  for (const TileRange& column : tile_ranges(block.columns, tiles.size)) {
    for (auto row = all_rows.begin(); row != all_rows.end();) {
      const auto wanted = [&](const TileRange& range) { return tiles.wants(range.number, column.number); };
      row = std::find_if(row, all_rows.end(), wanted);
      const auto end = std::find_if_not(row, all_rows.end(), wanted);
      index_t count = 0;
      for (auto at = row; at != end; ++at) count += at->count;
      if (count > 0) part(row->offset, count, column.offset, column.count);
      row = end;
    }
  }
}

#define TESSERA_DEFINE(T)         \
  template class Factor<T>;       \
  template class LocalProduct<T>; \
  template index_t longest_step<T>(index_t, index_t, index_t);
TESSERA_FOR_EACH_SCALAR(TESSERA_DEFINE)
#undef TESSERA_DEFINE

}  // namespace tessera::linalg::detail
