// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "signal.hpp"

#include <atomic>

#include "compute.hpp"
#include "session.hpp"

namespace tessera::benchmark {

Signal::Signal(const Group& world)
    : words_(world, sizeof(std::int64_t), "signal"), told_(static_cast<std::size_t>(world.size()), 0) {
  words_.store(world.rank(), 0, std::int64_t{0});
  words_.sync();
}

void Signal::tell(int rank) {
  words_.store(rank, 0, ++told_[static_cast<std::size_t>(rank)]);
  words_.flush(rank);
}

bool Signal::is_told() noexcept {
  auto* word = reinterpret_cast<std::int64_t*>(words_.address(group().rank()));
  if (std::atomic_ref(*word).load(std::memory_order_acquire) <= heard_) return false;
  ++heard_;
  return true;
}

Others computing(Signal& signal) {
  Others others = waiting(signal.group());
  others.work = [&signal](index_t) {
    while (!signal.is_told()) compute(500);
  };
  others.release = [&signal] {
    for (int rank = 1; rank < signal.group().size(); ++rank) signal.tell(rank);
  };
  return others;
}

}  // namespace tessera::benchmark
