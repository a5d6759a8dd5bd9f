// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include <tessera/core/block_copy.hpp>

#include <algorithm>

#include <tessera/core/agreed.hpp>
#include <tessera/runtime/phase.hpp>

#include "base/at.hpp"
#include "base/box_chunks.hpp"

namespace tessera::detail {
namespace {

// What a rank has of one layout and another rank of another, in an order that both know.
std::vector<Box> common_boxes(const LayoutCore& from, int owner, const LayoutCore& to, int taker) {
  std::vector<Box> boxes;
  for (index_t s = 0; s < from.block_count(owner); ++s) {
    for (index_t t = 0; t < to.block_count(taker); ++t) {
      Box box = from.block(owner, s).box;
      const Box other = to.block(taker, t).box;
      bool is_empty = false;
      for (int d = 0; d < from.rank(); ++d) {
        box.lo[at(d)] = std::max(box.lo[at(d)], other.lo[at(d)]);
        box.hi[at(d)] = std::min(box.hi[at(d)], other.hi[at(d)]);
        is_empty = is_empty || box.lo[at(d)] >= box.hi[at(d)];
      }
      if (!is_empty) boxes.push_back(box);
    }
  }
  return boxes;
}

}  // namespace

BlockCopy::BlockCopy(const Group& group, const LayoutCore& from, const LayoutCore& to, const ElementType& type)
    : rank_(from.rank()), type_(type), messages_(group) {
  agreed(group, "GridTransfer", [&] { plan(group, from, to); });
}

void BlockCopy::plan(const Group& group, const LayoutCore& from, const LayoutCore& to) {
  const int me = group.rank();
  const auto share = [&](int rank, std::vector<Box> boxes) {
    Share one{rank, std::move(boxes)};
    for (const Box& box : one.boxes) one.bytes += volume(box, rank_) * type_.size;
    return one;
  };
  index_t outgoing = 0, incoming = 0;
  for (int r = 0; r < group.size(); ++r) {
    Share give = share(r, common_boxes(from, me, to, r));
    if (r == me) {
      kept_ = std::move(give);
      continue;
    }
    Share take = share(r, common_boxes(from, r, to, me));
    outgoing += give.bytes;
    incoming += take.bytes;
    if (!give.boxes.empty()) sent_.push_back(std::move(give));
    if (!take.boxes.empty()) received_.push_back(std::move(take));
  }
  outgoing_.resize(static_cast<std::size_t>(std::max(outgoing, kept_.bytes)));
  incoming_.resize(static_cast<std::size_t>(incoming));
}

void BlockCopy::pack(const SliceCore& from, const Share& share, std::byte* message) const {
  for (const Box& box : share.boxes) {
    const Dense dense(box, rank_);
    from.get(box, {message, dense.extents.data(), dense.strides.data()});
    message += dense.size * type_.size;
  }
}

void BlockCopy::unpack(const SliceCore& to, const Share& share, const std::byte* message) const {
  for (const Box& box : share.boxes) {
    const Dense dense(box, rank_);
    to.put(box, {message, dense.extents.data(), dense.strides.data()});
    message += dense.size * type_.size;
  }
}

void BlockCopy::operator()(const SliceCore& from, const SliceCore& to) {
  const Phase phase(from.array().group(), "copy");
  for (const SliceCore& slice : {from, to}) {
    slice.array().require_open();
    slice.array().end_epoch();
  }
  pack(from, kept_, outgoing_.data());
  unpack(to, kept_, outgoing_.data());
  std::byte* message = incoming_.data();
  for (const Share& one : received_) {
    messages_.receive(one.rank, Channel::block_copies, message, one.bytes);
    message += one.bytes;
  }
  message = outgoing_.data();
  for (const Share& one : sent_) {
    pack(from, one, message);
    messages_.send(one.rank, Channel::block_copies, message, one.bytes, Pace::received);
    from.array().segment().count(one.rank, Operation::put, one.bytes, Path::message);
    message += one.bytes;
  }
  messages_.wait();
  message = incoming_.data();
  for (const Share& one : received_) {
    unpack(to, one, message);
    message += one.bytes;
  }
  to.array().complete_and_order();
}

}  // namespace tessera::detail
