// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "completion/pending.hpp"

#include <utility>

namespace tessera::detail {

void Pending::add(std::unique_ptr<Stage> stage) {
  kept_ += stage->kept();
  stages_.push_back(std::move(stage));
}

bool Pending::needs_moving() const noexcept {
  return std::any_of(stages_.begin(), stages_.end(), [](const auto& stage) { return stage->needs_moving(); });
}

bool Pending::advance() {
  // A stage may wait for room, and the thread that waits moves everything on.
  if (done_ || advancing_) return done_;
  advancing_ = true;
  try {
    std::erase_if(stages_, [](const auto& stage) { return stage->advance(); });
  } catch (...) {
    // It will never get done: the next thread that waits for it is not to wait for ever.
    done_ = true;
    throw;
  }
  advancing_ = false;
  // Read without the lock: only now may anybody believe it.
  if (stages_.empty()) done_ = true;
  return done_;
}

void Pending::abandon() noexcept {
  stages_.clear();
  done_ = true;
}

}  // namespace tessera::detail
