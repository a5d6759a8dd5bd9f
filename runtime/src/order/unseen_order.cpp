// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/unseen_order.hpp"

#include <atomic>
#include <mutex>

namespace tessera::detail::order {
namespace {

struct Notes {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> counts;
  std::atomic<void (*)(const std::string&, bool)> listener{nullptr};
};

Notes& notes() {
  static auto* one = new Notes;
  return *one;
}

}  // namespace

void note_unseen_order(const std::string& call, bool lasts) {
  {
    const std::scoped_lock lock(notes().mutex);
    ++notes().counts[call];
  }
  if (const auto listener = notes().listener.load()) listener(call, lasts);
}

void tell_of_unseen_order(void (*listener)(const std::string& call, bool lasts)) noexcept {
  notes().listener = listener;
}

std::map<std::string, std::uint64_t> unseen_order() {
  const std::scoped_lock lock(notes().mutex);
  return notes().counts;
}

}  // namespace tessera::detail::order
