// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/core/slice_core.hpp>
#include <tessera/runtime/detail/member_messages.hpp>

namespace tessera::detail {

/// A copy between two arrays of equal extents and different layouts, which is made often. Elements travel in
/// messages, so a rank waits for those ranks only that have its elements.
class BlockCopy {
 public:
  /// Plans the copy. @collective @throws an error on every rank if one has no memory
  BlockCopy(const Group& group, const LayoutCore& from, const LayoutCore& to, const ElementType& type);
  /// Copies. Takes arrays of these layouts, with any ghost cells, without checks. When it returns, this rank's
  /// elements of `to` are there, and those of `from` may be changed. @collective
  void operator()(const SliceCore& from, const SliceCore& to);

 private:
  // Elements that this rank sends, receives or keeps: boxes one after the other.
  struct Share {
    int rank;
    std::vector<Box> boxes;
    index_t bytes = 0;
  };
  void plan(const Group& group, const LayoutCore& from, const LayoutCore& to);
  void pack(const SliceCore& from, const Share& share, std::byte* message) const;
  void unpack(const SliceCore& to, const Share& share, const std::byte* message) const;

  int rank_;
  ElementType type_;
  std::vector<Share> sent_, received_;
  Share kept_;
  std::vector<std::byte> outgoing_, incoming_;
  MemberMessages messages_;
};

}  // namespace tessera::detail
