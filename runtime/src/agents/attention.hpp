// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>

namespace tessera::detail {

/// Guesses whether a process waits in Tessera, and so runs its agent itself: a ring would wake the agent's
/// thread for nothing, which takes a core from both processes. It learns from requests that were sent without a
/// ring. Another one guesses whether a process takes the data of exchanges soon; there, requests that carry the
/// data take the place of rings.
class Attention {
 public:
  /// Whether the next request should go without a ring: the last such request was answered, or it is time for
  /// another try. @local
  bool is_expected() noexcept { return answered_ > 0 || --rings_left_ < 0; }
  /// What became of a request without a ring: answered in time, or only after a late ring. @local
  void learn(bool was_answered) noexcept {
    if (was_answered) {
      answered_ = std::min(answered_ + 1, enough);
      if (answered_ == enough) pause_ = shortest_pause;
      return;
    }
    answered_ = 0;
    rings_left_ = pause_;
    pause_ = std::min(2 * pause_, longest_pause);
  }

 private:
  // Requests with a ring between two tries: a try that fails takes some 40 us.
  static constexpr int shortest_pause = 16, longest_pause = 1024;
  // Answers in a row that make failures forgotten. A single one may come from a thread that was awake by
  // chance.
  static constexpr int enough = 8;

  int answered_ = 0;  // in a row, up to `enough`
  int rings_left_ = 0, pause_ = shortest_pause;
};

}  // namespace tessera::detail
