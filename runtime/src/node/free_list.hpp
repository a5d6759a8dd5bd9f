// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <map>

#include <tessera/runtime/types.hpp>

namespace tessera::detail {

/// The free parts of a range of bytes. First fit; a part that is given back joins its free neighbours. @local
class FreeList {
 public:
  explicit FreeList(index_t bytes) : available_(bytes) {
    if (bytes > 0) free_.emplace(0, bytes);
  }
  /// The offset of `size` free bytes, or -1.
  index_t take(index_t size);
  void give_back(index_t offset, index_t size);
  index_t available() const noexcept { return available_; }
  /// The largest free piece.
  index_t largest() const noexcept;

 private:
  std::map<index_t, index_t> free_;  // offset -> size, no two adjacent
  index_t available_;
};

}  // namespace tessera::detail
