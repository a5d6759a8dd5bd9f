// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>

#include <tessera/core/array_core.hpp>

namespace tessera::detail {

/// Owns the core of an array. The core keeps its address when the array is moved, because slices, scopes,
/// epochs and updates point to it. A moved-from array has a core that is not open, so that every use of it is
/// reported. @local
class CoreOwner {
 public:
  explicit CoreOwner(ArrayCore core) : core_(new ArrayCore(std::move(core))) {}
  CoreOwner(CoreOwner&& other) noexcept : core_(std::exchange(other.core_, &ArrayCore::none(other->rank()))) {}
  CoreOwner& operator=(CoreOwner&& other) noexcept {
    CoreOwner old(std::move(other));
    std::swap(core_, old.core_);
    return *this;
  }
  ~CoreOwner() {
    if (core_ != &ArrayCore::none(core_->rank())) delete core_;
  }

  ArrayCore& operator*() noexcept { return *core_; }
  const ArrayCore& operator*() const noexcept { return *core_; }
  ArrayCore* operator->() noexcept { return core_; }
  const ArrayCore* operator->() const noexcept { return core_; }

 private:
  ArrayCore* core_;
};

}  // namespace tessera::detail
