// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <tessera/runtime/types.hpp>

#include "base/cache_line.hpp"

namespace tessera::detail {

/// The locks of a node: a table in memory that all its processes share. A place in a segment belongs to the
/// stripe of its 64 KiB block. Two blocks may share a lock, which is harmless as no thread ever holds two.
class LockStripes {
 public:
  static constexpr index_t block = index_t{1} << 16;
  static constexpr index_t count = 4096;
  static constexpr index_t bytes = count * cache_line;  // each lock has its own cache line

  LockStripes() = default;
  explicit LockStripes(std::byte* table) : table_(table) {}

  void lock(std::uint64_t stripe) const noexcept {
    const std::atomic_ref<std::uint32_t> state = word(stripe);
    while (state.exchange(1, std::memory_order_acquire) != 0) wait(state);
  }
  bool try_lock(std::uint64_t stripe) const noexcept {
    const std::atomic_ref<std::uint32_t> state = word(stripe);
    return state.load(std::memory_order_relaxed) == 0 && state.exchange(1, std::memory_order_acquire) == 0;
  }
  // Waiters poll instead of being woken. So unlocking is a plain store, which takes a tenth of the time of an
  // exchange that would find out whether there are waiters.
  void unlock(std::uint64_t stripe) const noexcept { word(stripe).store(0, std::memory_order_release); }
  /// For a lock that is taken soon.
  void prefetch(std::uint64_t stripe) const noexcept {
    __builtin_prefetch(table_ + static_cast<index_t>(stripe % count) * cache_line, 1);
  }

 private:
  std::atomic_ref<std::uint32_t> word(std::uint64_t stripe) const noexcept {
    return std::atomic_ref(
        *reinterpret_cast<std::uint32_t*>(table_ + static_cast<index_t>(stripe % count) * cache_line));
  }
  static void wait(std::atomic_ref<std::uint32_t> word) noexcept;
  std::byte* table_ = nullptr;
};

/// The stripes of the places in one mapping.
struct Striped {
  LockStripes locks;
  const std::byte* base = nullptr;  // of the mapping
  std::uint64_t salt = 0;           // spreads the mappings over the stripes; the same in every process
  std::uint64_t of(const std::byte* where) const noexcept {
    return static_cast<std::uint64_t>((where - base) / LockStripes::block) + salt;
  }
};

/// Holds at most one stripe: to hold another releases the last.
class StripeHolder {
 public:
  explicit StripeHolder(const LockStripes& locks) : locks_(locks) {}
  StripeHolder(const StripeHolder&) = delete;
  StripeHolder& operator=(const StripeHolder&) = delete;
  ~StripeHolder() { release(); }
  void release() noexcept {
    if (held_ != none) locks_.unlock(held_);
    held_ = none;
  }
  void hold(std::uint64_t stripe) noexcept {
    if (stripe == held_) return;
    release();
    locks_.lock(stripe);
    held_ = stripe;
  }

 private:
  static constexpr std::uint64_t none = ~std::uint64_t{0};
  const LockStripes& locks_;
  std::uint64_t held_ = none;
};

}  // namespace tessera::detail
