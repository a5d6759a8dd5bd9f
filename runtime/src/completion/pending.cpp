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
  // A stage may wait for room, and that wait advances all transfers, this one too.
  if (done_ || advancing_) return done_;
  advancing_ = true;
  try {
    std::erase_if(stages_, [](const auto& stage) { return stage->advance(); });
  } catch (...) {
    // It can no longer complete: it counts as done, so that no later wait hangs.
    done_ = true;
    throw;
  }
  advancing_ = false;
  // Set last, as other threads read `done_` without the lock.
  if (stages_.empty()) done_ = true;
  return done_;
}

void Pending::abandon() noexcept {
  stages_.clear();
  done_ = true;
}

}  // namespace tessera::detail
