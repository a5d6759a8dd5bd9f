// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/free_list.hpp"

#include <algorithm>
#include <iterator>

namespace tessera::detail {

index_t FreeList::take(index_t size) {
  if (size > available_) return -1;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < size) continue;
    const auto [offset, room] = *at;
    free_.erase(at);
    if (room > size) free_.emplace(offset + size, room - size);
    available_ -= size;
    return offset;
  }
  return -1;
}

void FreeList::give_back(index_t offset, index_t size) {
  available_ += size;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && next->first == offset + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  free_.emplace(offset, size);
}

index_t FreeList::largest() const noexcept {
  index_t largest = 0;
  for (const auto& [offset, size] : free_) largest = std::max(largest, size);
  return largest;
}

}  // namespace tessera::detail
