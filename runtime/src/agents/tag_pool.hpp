// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <bitset>
#include <cstdint>
#include <utility>

#include "agents/messages.hpp"

namespace tessera::detail {

/// The tags of this process's requests, given in turn. A tag that is held is not given again: a late message
/// must not be taken for the answer to another request.
class TagPool {
 public:
  class Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept : tags_(std::exchange(other.tags_, nullptr)), tag_(other.tag_) {}
    Held& operator=(Held&& other) noexcept {
      std::swap(tags_, other.tags_);
      std::swap(tag_, other.tag_);
      return *this;
    }
    ~Held() {
      if (tags_ == nullptr) return;
      tags_->held_.reset(static_cast<std::size_t>(tag_));
      --tags_->count_;
    }

   private:
    friend class TagPool;
    Held(TagPool& tags, std::int32_t tag) noexcept : tags_(&tags), tag_(tag) {}
    TagPool* tags_ = nullptr;
    std::int32_t tag_ = 0;
  };

  std::int32_t next() noexcept {
    do last_ = (last_ + 1) % AgentComms::tags;
    while (held_.test(static_cast<std::size_t>(last_)));
    return last_;
  }
  /// Holds a tag that is not held until the returned object is destroyed. @local
  Held hold(std::int32_t tag) noexcept {
    held_.set(static_cast<std::size_t>(tag));
    ++count_;
    return {*this, tag};
  }
  /// Whether most tags are held, so that some must be freed before next() is called very often. @local
  bool are_scarce() const noexcept { return count_ > AgentComms::tags / 2; }

 private:
  std::bitset<static_cast<std::size_t>(AgentComms::tags)> held_;
  std::int32_t last_ = 0, count_ = 0;
};

}  // namespace tessera::detail
