// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/box.hpp>

namespace tessera::detail {

/// A patch and the rank that is to own it.
struct OwnedBox {
  int rank;
  Box box;
};

/// Any disjoint blocks that cover an array, each at some rank: a distribution that is no product of divided
/// dimensions. The owner of an element is found in a tree of bounding boxes, in time logarithmic in the number
/// of blocks. An immutable value. @local
class BlockList {
 public:
  struct Block {
    Box box;
    int rank;
    index_t offset;  // where its first element is in the storage of its rank, in elements
  };

  /// Empty blocks are left out. @throws UsageError, naming the problem, if a block leaves `dims`, its rank is
  /// outside `ranks`, two overlap, or an element belongs to no block.
  BlockList(int rank, const Coordinates& dims, int ranks, const std::vector<OwnedBox>& blocks);

  /// All blocks, in increasing order of their first positions. @local
  const std::vector<Block>& blocks() const noexcept { return blocks_; }
  /// The block of an element that is inside. @local
  const Block& find(const index_t* at) const noexcept;
  /// Calls f(block, common part) for the blocks that share elements with a box, in increasing order. @local
  template <class F>
  void for_each_overlap(const Box& box, F&& f) const;
  index_t block_count(int rank) const noexcept;
  const Block& block(int rank, index_t b) const noexcept;
  /// Whether both have the same blocks at the same ranks. @local
  bool is_equal(const BlockList& other) const noexcept;
  /// The number of elements of a rank. @local
  index_t size(int rank) const noexcept;

 private:
  // Leaves hold a range of order_; the children of node n are n + 1 and right.
  struct Node {
    Box bounds;
    int begin, end, right;  // right: 0 for a leaf
  };
  // The blocks of one rank that has any: a range of by_rank_.
  struct BlocksOfRank {
    int rank, begin, end;
    index_t size;
  };
  bool overlap(const Box& a, const Box& b, Box& common) const noexcept;
  index_t volume(const Box& box) const noexcept;
  void build(int begin, int end);
  void require_disjoint() const;
  void require_cover(const Coordinates& dims) const;
  void share_out();
  void collect(const Box& box, std::vector<int>& found) const;
  const BlocksOfRank* share(int rank) const noexcept;

  int rank_;
  std::vector<Block> blocks_;
  std::vector<int> order_, by_rank_;
  std::vector<Node> nodes_;
  std::vector<BlocksOfRank> shares_;
};

template <class F>
void BlockList::for_each_overlap(const Box& box, F&& f) const {
  std::vector<int> found;
  collect(box, found);
  for (int number : found) {
    const Block& block = blocks_[static_cast<std::size_t>(number)];
    Box common{};
    if (overlap(block.box, box, common)) f(block, static_cast<const Box&>(common));
  }
}

}  // namespace tessera::detail
