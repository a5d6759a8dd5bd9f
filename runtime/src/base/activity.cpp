// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "base/activity.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include <tessera/runtime/detail/collective_call.hpp>

namespace tessera::detail {

#ifdef TESSERA_CHECKS
constinit std::atomic<int> call_watchers{1};  // members compare their calls
#else
constinit std::atomic<int> call_watchers{0};
#endif

namespace activity {
namespace {

std::atomic<int> asked{0};
std::mutex mutex;
Snapshot now;  // under the mutex

}  // namespace

void ask() {
  asked.fetch_add(1, std::memory_order_relaxed);
  call_watchers.fetch_add(1, std::memory_order_relaxed);
}
void forget() noexcept {
  call_watchers.fetch_sub(1, std::memory_order_relaxed);
  asked.fetch_sub(1, std::memory_order_relaxed);
}
bool is_asked() noexcept { return asked.load(std::memory_order_relaxed) > 0; }

void called(std::string_view call) {
  if (!is_asked()) return;
  const std::lock_guard lock(mutex);
  ++now.steps;
  ++now.calls;
  now.last_call = call;
}

Wait::Wait(const char* what, int from) : noted_(is_asked()), time_(what) {
  if (!noted_) return;
  const std::lock_guard lock(mutex);
  ++now.steps;
  now.waits.push_back({pthread_self(), what, from, this});
}

Wait::~Wait() {
  if (!noted_) return;
  const std::lock_guard lock(mutex);
  ++now.steps;
  std::erase_if(now.waits, [this](const WaitingThread& one) { return one.where == this; });
}

Snapshot look() {
  const std::lock_guard lock(mutex);
  return now;
}

}  // namespace activity
}  // namespace tessera::detail
