// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tessera/core/block_list.hpp>
#include <tessera/core/layout_frame.hpp>
#include <tessera/runtime/detail/fingerprint.hpp>

namespace tessera::detail {

/// The kind of layout that is a list of blocks, each stored by itself. A value; all @local. Its members mean
/// the same as in LayoutCore.
class ListLayout : public LayoutFrame {
 public:
  /// @throws UsageError if an extent is negative, or the product overflows, and as BlockList
  ListLayout(int rank, const index_t* dims, const std::vector<OwnedBox>& blocks, int ranks);
  /// @throws UsageError as LayoutCore::on_ranks
  ListLayout on_ranks(const std::vector<int>& members, int ranks) const;

  using LayoutFrame::store;
  bool has_single_blocks() const noexcept;
  template <int known>
  int owner(const index_t* at) const noexcept {
    return list_->find(at).rank;
  }
  template <int known>
  int locate(const index_t* at, index_t& offset) const noexcept {
    return locate_in_block(at, offset);
  }
  LocalShape local(int rank) const noexcept;
  index_t block_count(int rank) const noexcept { return list_->block_count(rank); }
  Piece block(int rank, index_t b) const noexcept;
  template <int known, class F>
  void for_each_piece(const Box& patch, F&& f) const {
    list_->for_each_overlap(patch, [&](const BlockList::Block& block, const Box& part) {
      f(static_cast<const Piece&>(piece_of(block, part)));
    });
  }
  void add_to(Fingerprint& print) const noexcept;
  std::string description() const;
  friend bool operator==(const ListLayout& a, const ListLayout& b) noexcept {
    return a.has_same_frame(b) && (a.list_ == b.list_ || a.list_->is_equal(*b.list_));
  }

 private:
  int locate_in_block(const index_t* at, index_t& offset) const noexcept;
  Piece piece_of(const BlockList::Block& block, const Box& part) const noexcept;

  std::shared_ptr<const BlockList> list_;
};

}  // namespace tessera::detail
