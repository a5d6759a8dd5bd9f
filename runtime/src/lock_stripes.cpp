// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "lock_stripes.hpp"

#include <atomic>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tessera::detail {
namespace {

// Not the private futex of std::atomic::wait: the waiters are other processes.
void futex(std::uint32_t& word, int operation, std::uint32_t value) noexcept {
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

constexpr std::uint32_t free_ = 0, taken = 1, contended = 2;
constexpr int spins = 200;

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

std::uint32_t& LockStripes::word(std::uint64_t stripe) const noexcept {
  return *reinterpret_cast<std::uint32_t*>(table_ + static_cast<index_t>(stripe % count) * line);
}

void LockStripes::lock(std::uint64_t stripe) noexcept {
  std::uint32_t& w = word(stripe);
  std::atomic_ref<std::uint32_t> state(w);
  for (int i = 0; i < spins; ++i) {
    std::uint32_t expected = free_;
    if (state.load(std::memory_order_relaxed) == free_ &&
        state.compare_exchange_weak(expected, taken, std::memory_order_acquire)) {
      return;
    }
    pause();
  }
  while (state.exchange(contended, std::memory_order_acquire) != free_) futex(w, FUTEX_WAIT, contended);
}

void LockStripes::unlock(std::uint64_t stripe) noexcept {
  std::uint32_t& w = word(stripe);
  if (std::atomic_ref<std::uint32_t>(w).exchange(free_, std::memory_order_release) == contended)
    futex(w, FUTEX_WAKE, 1);
}

}  // namespace tessera::detail
