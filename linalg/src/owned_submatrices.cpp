// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "owned_submatrices.hpp"

#include <algorithm>
#include <map>

namespace tessera::linalg::detail {
namespace {

using tessera::detail::LocalPiece;
using tessera::detail::SliceCore;

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

OwnedSubmatrix share_of(const LocalPiece& piece, int rank) {
  const auto &lo = piece.box.lo, &hi = piece.box.hi;
  return {rank,
          IndexSet(lo[0], hi[0] - lo[0]),
          IndexSet(lo[1], hi[1] - lo[1]),
          true,
          piece.data,
          piece.strides[0],
          piece.strides[1],
          {piece}};
}

}  // namespace

std::vector<OwnedSubmatrix> shares_of(const SliceCore& matrix, int rank) {
  std::vector<LocalPiece> pieces;
  matrix.for_each_piece_of(rank, [&](const LocalPiece& piece) { pieces.push_back(piece); });
  if (pieces.empty()) return {};
  OwnedSubmatrix all{rank, {}, {}, true, nullptr, pieces[0].strides[0], pieces[0].strides[1], {}};
  Intervals rows, columns;
  const bool is_product = collect(pieces, 0, rows, all.rows) && collect(pieces, 1, columns, all.columns) &&
                          rows.size() * columns.size() == pieces.size();
  if (!is_product) {
    std::vector<OwnedSubmatrix> shares;
    for (const LocalPiece& piece : pieces) shares.push_back(share_of(piece, rank));
    return shares;
  }
  const index_t size = matrix.type().size;
  const auto first = std::min_element(pieces.begin(), pieces.end(), [](const auto& a, const auto& b) {
    return std::pair(a.box.lo[0], a.box.lo[1]) < std::pair(b.box.lo[0], b.box.lo[1]);
  });
  all.data = first->data;
  for (const LocalPiece& piece : pieces) {
    const index_t offset =
        rows.at(piece.box.lo[0]).begin * all.row_stride + columns.at(piece.box.lo[1]).begin * all.column_stride;
    all.is_even = all.is_even && piece.strides[0] == all.row_stride && piece.strides[1] == all.column_stride &&
                  (piece.data == nullptr || piece.data == all.data + offset * size);
  }
  all.pieces = std::move(pieces);
  return {std::move(all)};
}

}  // namespace tessera::linalg::detail
