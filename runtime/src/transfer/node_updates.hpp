// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include <tessera/runtime/types.hpp>

#include "kernels/elements.hpp"

namespace tessera::detail {

/// Updates of elements on this node, each carried out when some later ones are known. Meanwhile its element and
/// its lock come into the cache, so that the misses of several updates overlap.
class NodeUpdates {
 public:
  /// Copies the value. `result` gets the old value when the update is carried out; it may be null.
  void add(const Striped& stripes, std::byte* where, ElementKind kind, Update update, const void* value,
           void* result) noexcept {
    __builtin_prefetch(where, 1);
    const std::uint64_t stripe = stripes.of(where);
    stripes.locks.prefetch(stripe);
    if (last_ - first_ == waiting) carry_out_first();
    One& one = at(last_++);
    one = {stripes.locks, stripe, where, result, {}, kind, update};
    copy_element(one.value.data(), value, size_of(kind));
  }
  void carry_out() noexcept {
    while (first_ != last_) carry_out_first();
  }

 private:
  static constexpr unsigned waiting = 16;
  struct One {
    LockStripes locks;
    std::uint64_t stripe = 0;
    std::byte* where = nullptr;
    void* result = nullptr;
    std::array<std::byte, 16> value{};
    ElementKind kind = ElementKind::bytes;
    Update update = Update::sum;
  };
  One& at(unsigned i) noexcept { return ring_[i % waiting]; }
  // A call of memcpy for each length would take longer than the rest.
  static void copy_element(void* to, const void* from, index_t bytes) noexcept {
    if (bytes == 8) {
      std::memcpy(to, from, 8);
    } else {
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
  }
  void carry_out_first() noexcept {
    One& one = at(first_++);
    std::array<std::byte, 16> unwanted;
    one.locks.lock(one.stripe);
    fetch_update(one.kind, one.update, one.where, one.value.data(),
                 one.result != nullptr ? one.result : unwanted.data());
    one.locks.unlock(one.stripe);
  }

  std::array<One, waiting> ring_;
  unsigned first_ = 0, last_ = 0;  // counted without end
};

}  // namespace tessera::detail
