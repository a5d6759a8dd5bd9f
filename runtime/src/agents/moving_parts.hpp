// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <mpi.h>

#include "agents/buffers.hpp"
#include "agents/messages.hpp"

namespace tessera::detail {

/// A part of a transfer that is under way, and the buffer that it goes through. No buffer: it goes straight
/// from or to where it belongs.
struct MovingPart {
  Part part;
  std::byte* buffer = nullptr;
  MPI_Request request = MPI_REQUEST_NULL;
};

/// The parts of one transfer that are under way at one end of it, oldest first.
class MovingParts {
 public:
  /// `most` at once.
  explicit MovingParts(std::size_t most = parts_under_way(part_bytes)) : most_(most) {}

  bool is_empty() const noexcept { return count_ == 0; }
  bool is_full() const noexcept { return count_ == most_; }
  std::size_t most() const noexcept { return most_; }
  /// How often a part was pushed or popped. @local
  std::size_t steps() const noexcept { return steps_; }
  MovingPart& oldest() noexcept { return ring_[first_]; }
  void push(const MovingPart& part) {
    // The ring grows as needed: a transfer of one part is most frequent.
    if (count_ == ring_.size()) {
      std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
      first_ = 0;
      ring_.emplace_back();
    }
    ring_[(first_ + count_++) % ring_.size()] = part;
    ++steps_;
  }
  /// Forgets the oldest part, and gives its buffer back. @local
  void pop(Buffers& buffers) {
    if (oldest().buffer != nullptr) buffers.give_back(oldest().buffer);
    first_ = (first_ + 1) % ring_.size();
    --count_;
    ++steps_;
  }
  /// The bytes of the largest part under way, or 0. @local
  index_t largest_bytes() const noexcept {
    index_t most = 0;
    for (std::size_t i = 0; i < count_; ++i)
      most = std::max(most, ring_[(first_ + i) % ring_.size()].part.shape.bytes());
    return most;
  }

 private:
  std::size_t most_;
  std::vector<MovingPart> ring_;
  std::size_t first_ = 0, count_ = 0, steps_ = 0;
};

}  // namespace tessera::detail
