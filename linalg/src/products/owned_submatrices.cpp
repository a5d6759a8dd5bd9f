// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "products/owned_submatrices.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "blas/blas.hpp"

namespace tessera::linalg::detail {
namespace {

using tessera::detail::LocalPiece;

// The intervals that pieces occupy along a dimension, each with the number of indices before it. collect()
// returns false if two overlap.
using Intervals = std::map<index_t, IndexRun>;  // by their first index: {before, count}

bool collect(const std::vector<LocalPiece>& pieces, std::size_t d, Intervals& intervals, IndexSet& all) {
  for (const LocalPiece& piece : pieces) {
    const index_t count = piece.box.hi[d] - piece.box.lo[d];
    const auto [place, is_new] = intervals.try_emplace(piece.box.lo[d], IndexRun{0, count});
    if (!is_new && place->second.count != count) return false;
  }
  index_t end = 0;
  for (auto& [begin, interval] : intervals) {
    if (begin < end) return false;
    end = begin + interval.count;
    interval.begin = all.size();
    all.add({begin, interval.count});
  }
  return true;
}

// Dimensions that are fused, and the strides of their elements.
struct Fusion {
  std::span<const IndexSet> sets;
  std::span<const index_t> strides;

  // The stride of the fused dimension, if the elements of all of them are equally far apart.
  std::optional<index_t> stride() const {
    std::vector<index_t> extents;
    for (const IndexSet& set : sets) extents.push_back(set.size());
    return fused_stride(extents, strides);
  }
  index_t closest() const { return strides.empty() ? 1 : *std::min_element(strides.begin(), strides.end()); }
};

// Fills in what follows from the pieces and their coordinates. `is_even` says whether the strides are the same
// everywhere.
void complete(OwnedSubmatrix& share, const FusedMatrix& matrix, bool is_even) {
  const std::size_t rows = matrix.row_dimensions(), all = matrix.dimensions();
  const std::span<const IndexSet> sets(share.coordinates);
  const std::span<const index_t> strides(share.pieces.front().strides.data(), all);
  const Fusion row{sets.first(rows), strides.first(rows)}, column{sets.subspan(rows), strides.subspan(rows)};
  share.rows = fused(row.sets, matrix.row_extents());
  share.columns = fused(column.sets, matrix.column_extents());
  const auto row_stride = row.stride(), column_stride = column.stride();
  share.is_even = is_even && row_stride && column_stride;
  share.row_stride = share.is_even ? *row_stride : row.closest();
  share.column_stride = share.is_even ? *column_stride : column.closest();
}

OwnedSubmatrix share_of(const LocalPiece& piece, const FusedMatrix& matrix, int rank) {
  OwnedSubmatrix share{rank, {}, {}, true, piece.data, 0, 0, {piece}, {}};
  for (std::size_t d = 0; d < matrix.dimensions(); ++d)
    share.coordinates.emplace_back(piece.box.lo[d], piece.box.hi[d] - piece.box.lo[d]);
  complete(share, matrix, true);
  return share;
}

}  // namespace

std::vector<OwnedSubmatrix> shares_of(const FusedMatrix& matrix, int rank) {
  std::vector<LocalPiece> pieces;
  matrix.slice().for_each_piece_of(rank, [&](const LocalPiece& piece) { pieces.push_back(piece); });
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return {share_of(pieces.front(), matrix, rank)};
  const std::size_t dimensions = matrix.dimensions();
  std::vector<Intervals> intervals(dimensions);
  OwnedSubmatrix all{rank, {}, {}, true, nullptr, 0, 0, {}, std::vector<IndexSet>(dimensions)};
  bool is_product = true;
  std::size_t count = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    is_product = is_product && collect(pieces, d, intervals[d], all.coordinates[d]);
    count *= intervals[d].size();
  }
  if (!is_product || count != pieces.size()) {
    std::vector<OwnedSubmatrix> shares;
    for (const LocalPiece& piece : pieces) shares.push_back(share_of(piece, matrix, rank));
    return shares;
  }
  const index_t size = matrix.slice().type().size;
  const auto& strides = pieces.front().strides;
  const auto first = std::min_element(pieces.begin(), pieces.end(), [&](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.box.lo.begin(), a.box.lo.begin() + matrix.slice().rank(),
                                        b.box.lo.begin(), b.box.lo.begin() + matrix.slice().rank());
  });
  all.data = first->data;
  bool is_even = true;
  for (const LocalPiece& piece : pieces) {
    index_t offset = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      offset += intervals[d].at(piece.box.lo[d]).begin * strides[d];
      is_even = is_even && piece.strides[d] == strides[d];
    }
    is_even = is_even && (piece.data == nullptr || piece.data == all.data + offset * size);
  }
  all.pieces = std::move(pieces);
  complete(all, matrix, is_even);
  return {std::move(all)};
}

bool is_panel(const OwnedSubmatrix& share) noexcept {
  return share.is_even && blas::order_of(share.row_stride, share.column_stride, share.rows.size(),
                                         share.columns.size()) != blas::Order::neither;
}

std::vector<OwnedSubmatrix> parts_of(const FusedMatrix& matrix, const OwnedSubmatrix& share, index_t most) {
  const index_t size = share.rows.size() * share.columns.size();
  const auto dimension = std::find_if(share.coordinates.begin(), share.coordinates.end(),
                                      [](const IndexSet& set) { return set.size() > 1; });
  if (size <= most || dimension == share.coordinates.end()) return {share};
  const auto d = static_cast<std::size_t>(dimension - share.coordinates.begin());
  const index_t count = std::min(dimension->size(), (size + most - 1) / most);
  std::vector<OwnedSubmatrix> parts;
  for (const IndexSet& some : dimension->split(count)) {
    OwnedSubmatrix part{share.rank, {}, {}, false, nullptr, 0, 0, {}, share.coordinates};
    part.coordinates[d] = some;
    for (const LocalPiece& piece : share.pieces) {
      for (const IndexRun& run : some.runs()) {
        LocalPiece cut = piece;
        cut.box.lo[d] = std::max(piece.box.lo[d], run.begin);
        cut.box.hi[d] = std::min(piece.box.hi[d], run.end());
        if (cut.box.lo[d] >= cut.box.hi[d]) continue;
        if (cut.data != nullptr)
          cut.data += (cut.box.lo[d] - piece.box.lo[d]) * piece.strides[d] * matrix.slice().type().size;
        part.pieces.push_back(cut);
      }
    }
    complete(part, matrix, false);
    for (OwnedSubmatrix& smaller : parts_of(matrix, part, most)) parts.push_back(std::move(smaller));
  }
  return parts;
}

}  // namespace tessera::linalg::detail
