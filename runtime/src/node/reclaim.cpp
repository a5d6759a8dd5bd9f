// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "node/reclaim.hpp"

#include <algorithm>

namespace tessera::detail {

void ReclaimList::add(std::shared_ptr<Collective> object) {
  object->news_ = news_;
  if (object->dropped_) *news_ = true;  // as for a group without this process, which never held it
  alive_.push_back(std::move(object));
}

void ReclaimList::quiesce_all() {
  for (const auto& object : alive_) object->quiesce();
}

index_t ReclaimList::settle() {
  if (!news_->exchange(false)) return settled_;
  try {
    for (const auto& object : alive_) {
      if (object->settled_ || !object->dropped_) continue;
      object->quiesce();
      object->settled_ = true;
      ++settled_;
    }
  } catch (...) {
    *news_ = true;  // the other objects wait for the next call
    throw;
  }
  return settled_;
}

std::vector<std::int64_t> ReclaimList::marks() const {
  std::vector<std::int64_t> words((alive_.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < alive_.size(); ++i) {
    if (alive_[i]->settled_) words[i / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << (i % 64));
  }
  return words;
}

void ReclaimList::release(const std::vector<std::int64_t>& agreed) noexcept {
  for (std::size_t i = alive_.size(); i-- > 0;) {
    if ((static_cast<std::uint64_t>(agreed[i / 64]) >> (i % 64)) & 1U) release_at(i);
  }
  std::erase(alive_, nullptr);
}

void ReclaimList::release(const Collective& object) noexcept {
  // Searches from the newest, which is closed most often.
  for (std::size_t i = alive_.size(); i-- > 0;) {
    if (alive_[i].get() != &object) continue;
    release_at(i);
    alive_.erase(alive_.begin() + static_cast<std::ptrdiff_t>(i));
    return;
  }
}

void ReclaimList::release_all() noexcept {
  for (; !alive_.empty(); alive_.pop_back()) release_at(alive_.size() - 1);
}

void ReclaimList::release_at(std::size_t position) noexcept {
  const std::shared_ptr<Collective> object = std::move(alive_[position]);
  if (object->settled_) --settled_;
  object->release();
}

}  // namespace tessera::detail
