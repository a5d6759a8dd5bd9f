// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <vector>

#include <tessera/runtime/strided.hpp>

#include "model.hpp"

namespace tessera::stress {

/// The size of a word, in bytes.
inline constexpr index_t word = 8;

/// Random numbers one after another; the same for the same seed.
class Draws {
 public:
  explicit Draws(index_t seed) : seed_(seed) {}
  index_t below(index_t end) { return random_below(seed_, next_++, end); }
  bool one_in(index_t n) { return below(n) == 0; }

 private:
  index_t seed_;
  std::size_t next_ = 0;
};

/// A random strided transfer of 8-byte words, and the pairs of words that it copies. Words are counted from the
/// begin of their side.
struct WordShape {
  Strided strided;                            // in bytes
  Numbers remote, local;                      // words in the order of the loops
  index_t remote_size = 0, local_size = 0;    // words from the first to behind the last
  index_t remote_first = 0, local_first = 0;  // where the first run begins
};
/// A random shape whose remote side fits in `most` words.
WordShape random_shape(Draws& draws, index_t most);

}  // namespace tessera::stress
