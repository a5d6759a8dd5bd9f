// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/block_list.hpp>

#include <algorithm>
#include <numeric>

#include <tessera/runtime/error.hpp>

#include "base/at.hpp"
#include "base/patch_text.hpp"
#include "format.hpp"

namespace tessera::detail {
namespace {

constexpr int max_in_leaf = 4;

}  // namespace

BlockList::BlockList(int rank, const Coordinates& dims, int ranks, const std::vector<OwnedBox>& blocks)
    : rank_(rank) {
  blocks_.reserve(blocks.size());
  for (const OwnedBox& given : blocks) {
    bool empty = false;
    for (int d = 0; d < rank; ++d) {
      const index_t lo = given.box.lo[at(d)], hi = given.box.hi[at(d)];
      if (lo < 0 || hi > dims[at(d)] || lo > hi) {
        throw UsageError(formatted("block {} of a layout is not within its extents {} (dimension {})",
                                   patch_text(given.box, rank), extents_text(dims.data(), rank), d));
      }
      empty = empty || lo == hi;
    }
    if (given.rank < 0 || given.rank >= ranks) {
      throw UsageError(formatted("block {} of a layout is given to rank {}, but there are {} ranks",
                                 patch_text(given.box, rank), given.rank, ranks));
    }
    if (!empty) blocks_.push_back({given.box, given.rank, 0});
  }
  std::sort(blocks_.begin(), blocks_.end(), [rank](const Block& a, const Block& b) {
    return std::lexicographical_compare(a.box.lo.begin(), a.box.lo.begin() + rank, b.box.lo.begin(),
                                        b.box.lo.begin() + rank);
  });
  order_.resize(blocks_.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!blocks_.empty()) build(0, static_cast<int>(blocks_.size()));
  require_disjoint();
  require_cover(dims);
  share_out();
}

bool BlockList::overlap(const Box& a, const Box& b, Box& common) const noexcept {
  for (int d = 0; d < rank_; ++d) {
    common.lo[at(d)] = std::max(a.lo[at(d)], b.lo[at(d)]);
    common.hi[at(d)] = std::min(a.hi[at(d)], b.hi[at(d)]);
    if (common.lo[at(d)] >= common.hi[at(d)]) return false;
  }
  return true;
}

index_t BlockList::volume(const Box& box) const noexcept {
  index_t product = 1;
  for (int d = 0; d < rank_; ++d) product *= box.hi[at(d)] - box.lo[at(d)];
  return product;
}

// Builds the tree of some blocks: halves them along the widest dimension of their bounds.
void BlockList::build(int begin, int end) {
  const std::size_t here = nodes_.size();
  Box bounds = blocks_[at(order_[at(begin)])].box;
  for (int i = begin + 1; i < end; ++i) {
    const Box& box = blocks_[at(order_[at(i)])].box;
    for (int d = 0; d < rank_; ++d) {
      bounds.lo[at(d)] = std::min(bounds.lo[at(d)], box.lo[at(d)]);
      bounds.hi[at(d)] = std::max(bounds.hi[at(d)], box.hi[at(d)]);
    }
  }
  nodes_.push_back({bounds, begin, end, 0});
  if (end - begin <= max_in_leaf) return;
  int widest = 0;
  for (int d = 1; d < rank_; ++d) {
    if (bounds.hi[at(d)] - bounds.lo[at(d)] > bounds.hi[at(widest)] - bounds.lo[at(widest)]) widest = d;
  }
  const int middle = begin + (end - begin) / 2;
  std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end, [&](int a, int b) {
    return blocks_[at(a)].box.lo[at(widest)] < blocks_[at(b)].box.lo[at(widest)];
  });
  build(begin, middle);
  nodes_[here].right = static_cast<int>(nodes_.size());
  build(middle, end);
}

void BlockList::collect(const Box& box, std::vector<int>& found) const {
  auto walk = [&](auto&& self, std::size_t n) -> void {
    const Node& node = nodes_[n];
    Box common{};
    if (!overlap(node.bounds, box, common)) return;
    if (node.right == 0) {
      found.insert(found.end(), order_.begin() + node.begin, order_.begin() + node.end);
    } else {
      self(self, n + 1);
      self(self, at(node.right));
    }
  };
  if (!nodes_.empty()) walk(walk, 0);
  std::sort(found.begin(), found.end());
}

const BlockList::Block& BlockList::find(const index_t* where) const noexcept {
  auto holds = [&](const Box& box) {
    for (int d = 0; d < rank_; ++d) {
      if (where[d] < box.lo[at(d)] || where[d] >= box.hi[at(d)]) return false;
    }
    return true;
  };
  auto walk = [&](auto&& self, std::size_t n) -> const Block* {
    const Node& node = nodes_[n];
    if (!holds(node.bounds)) return nullptr;
    if (node.right != 0) {
      const Block* first = self(self, n + 1);
      return first != nullptr ? first : self(self, at(node.right));
    }
    for (int i = node.begin; i < node.end; ++i) {
      const Block& block = blocks_[at(order_[at(i)])];
      if (holds(block.box)) return &block;
    }
    return nullptr;
  };
  return *walk(walk, 0);
}

void BlockList::require_disjoint() const {
  for (const Block& block : blocks_) {
    for_each_overlap(block.box, [&](const Block& other, const Box& common) {
      if (&other == &block) return;
      throw UsageError(formatted("blocks {} and {} of a layout overlap in {}", patch_text(block.box, rank_),
                                 patch_text(other.box, rank_), patch_text(common, rank_)));
    });
  }
}

void BlockList::require_cover(const Coordinates& dims) const {
  Box part{{}, dims};
  auto covered = [&](const Box& box) {
    index_t sum = 0;
    for_each_overlap(box, [&](const Block&, const Box& common) { sum += volume(common); });
    return sum;
  };
  if (covered(part) == volume(part)) return;
  // Halve the part until no block has any of it, so that the message can name it.
  while (covered(part) > 0) {
    std::size_t widest = 0;
    for (int d = 1; d < rank_; ++d) {
      if (part.hi[at(d)] - part.lo[at(d)] > part.hi[widest] - part.lo[widest]) widest = at(d);
    }
    Box half = part;
    half.hi[widest] = part.lo[widest] + (part.hi[widest] - part.lo[widest]) / 2;
    if (covered(half) < volume(half)) {
      part = half;
    } else {
      part.lo[widest] = half.hi[widest];
    }
  }
  throw UsageError(formatted("no block of a layout of extents {} has {}", extents_text(dims.data(), rank_),
                             patch_text(part, rank_)));
}

// The blocks of each rank follow one another in its storage, in increasing order.
void BlockList::share_out() {
  by_rank_.resize(blocks_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  std::stable_sort(by_rank_.begin(), by_rank_.end(),
                   [&](int a, int b) { return blocks_[at(a)].rank < blocks_[at(b)].rank; });
  for (int i = 0; i < static_cast<int>(by_rank_.size()); ++i) {
    Block& block = blocks_[at(by_rank_[at(i)])];
    if (shares_.empty() || shares_.back().rank != block.rank) shares_.push_back({block.rank, i, i, 0});
    block.offset = shares_.back().size;
    shares_.back().size += volume(block.box);
    shares_.back().end = i + 1;
  }
}

const BlockList::BlocksOfRank* BlockList::share(int rank) const noexcept {
  const auto found = std::lower_bound(shares_.begin(), shares_.end(), rank,
                                      [](const BlocksOfRank& share, int value) { return share.rank < value; });
  return found == shares_.end() || found->rank != rank ? nullptr : &*found;
}

index_t BlockList::block_count(int rank) const noexcept {
  const BlocksOfRank* found = share(rank);
  return found == nullptr ? 0 : found->end - found->begin;
}

const BlockList::Block& BlockList::block(int rank, index_t b) const noexcept {
  return blocks_[at(by_rank_[at(share(rank)->begin + static_cast<int>(b))])];
}

bool BlockList::is_equal(const BlockList& other) const noexcept {
  return std::equal(blocks_.begin(), blocks_.end(), other.blocks_.begin(), other.blocks_.end(),
                    [&](const Block& a, const Block& b) {
                      return a.rank == b.rank &&
                             std::equal(a.box.lo.begin(), a.box.lo.begin() + rank_, b.box.lo.begin()) &&
                             std::equal(a.box.hi.begin(), a.box.hi.begin() + rank_, b.box.hi.begin());
                    });
}

index_t BlockList::size(int rank) const noexcept {
  const BlocksOfRank* found = share(rank);
  return found == nullptr ? 0 : found->size;
}

}  // namespace tessera::detail
