// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/list_layout.hpp>

#include <algorithm>

#include "base/at.hpp"
#include "format.hpp"

namespace tessera::detail {

ListLayout::ListLayout(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks)
    : LayoutFrame(rank, ranks, StorageOrder::row_major) {
  std::copy_n(dims, rank, dims_.begin());
  require_size();
  list_ = std::make_shared<const BlockList>(rank, dims_, ranks, blocks);
}

ListLayout ListLayout::on_ranks(const std::vector<int>& members, int ranks) const {
  std::vector<OwnedBox> blocks;
  for (const auto& block : list_->blocks()) blocks.push_back({members[at(block.rank)], block.box});
  ListLayout copy = *this;
  copy.ranks_ = ranks;
  copy.list_ = std::make_shared<const BlockList>(rank_, dims_, ranks, blocks);
  return copy;
}

bool ListLayout::has_single_blocks() const noexcept {
  return std::all_of(list_->blocks().begin(), list_->blocks().end(),
                     [&](const BlockList::Block& block) { return list_->block_count(block.rank) == 1; });
}

Piece ListLayout::piece_of(const BlockList::Block& block, const Box& part) const noexcept {
  Piece piece{block.rank, part, block.offset, {}};
  index_t stride = 1;
  for (int i = 0; i < rank_; ++i) {
    const int d = by_speed(i);
    piece.strides[at(d)] = stride;
    piece.offset += (part.lo[at(d)] - block.box.lo[at(d)]) * stride;
    stride *= block.box.hi[at(d)] - block.box.lo[at(d)];
  }
  return piece;
}

int ListLayout::locate_in_block(const index_t* where, index_t& offset) const noexcept {
  Box one;
  std::copy_n(where, rank_, one.lo.begin());
  const Piece piece = piece_of(list_->find(where), one);
  offset = piece.offset;
  return piece.rank;
}

LocalShape ListLayout::local(int rank) const noexcept {
  LocalShape shape;
  shape.size = list_->size(rank);
  const index_t blocks = block_count(rank);
  shape.is_array = blocks <= 1;
  if (blocks != 1) return shape;
  const Piece whole = block(rank, 0);
  shape.strides = whole.strides;
  for (int d = 0; d < rank_; ++d) shape.extents[at(d)] = whole.box.hi[at(d)] - whole.box.lo[at(d)];
  return shape;
}

Piece ListLayout::block(int rank, index_t b) const noexcept {
  const BlockList::Block& block = list_->block(rank, b);
  return piece_of(block, block.box);
}

void ListLayout::add_to(Fingerprint& print) const noexcept {
  for (const auto& block : list_->blocks()) {
    print.add(block.rank);
    for (int d = 0; d < rank_; ++d) print.add(block.box.lo[at(d)]).add(block.box.hi[at(d)]);
  }
}

std::string ListLayout::description() const { return formatted("{} blocks by a list", list_->blocks().size()); }

}  // namespace tessera::detail
