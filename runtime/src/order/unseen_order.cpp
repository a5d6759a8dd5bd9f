// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "order/unseen_order.hpp"

#include <mutex>

namespace tessera::detail::order {
namespace {

struct Notes {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> counts;
};

Notes& notes() {
  static auto* one = new Notes;
  return *one;
}

}  // namespace

void note_unseen_order(const std::string& call) {
  const std::scoped_lock lock(notes().mutex);
  ++notes().counts[call];
}

std::map<std::string, std::uint64_t> unseen_order() {
  const std::scoped_lock lock(notes().mutex);
  return notes().counts;
}

}  // namespace tessera::detail::order
