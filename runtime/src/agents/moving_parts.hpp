// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

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
  bool is_empty() const noexcept { return count_ == 0; }
  bool is_full() const noexcept { return count_ == max_parts; }
  std::size_t count() const noexcept { return count_; }
  MovingPart& oldest() noexcept { return ring_[first_]; }
  void push(const MovingPart& part) noexcept { ring_[(first_ + count_++) % max_parts] = part; }
  /// Forgets the oldest part, and gives its buffer back. @local
  void pop(Buffers& buffers) {
    if (oldest().buffer != nullptr) buffers.give_back(oldest().buffer);
    first_ = (first_ + 1) % max_parts;
    --count_;
  }
  /// The bytes of the largest part under way, or 0. @local
  index_t largest_bytes() const noexcept {
    index_t most = 0;
    for (std::size_t i = 0; i < count_; ++i)
      most = std::max(most, ring_[(first_ + i) % max_parts].part.shape.bytes());
    return most;
  }

 private:
  std::array<MovingPart, max_parts> ring_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace tessera::detail
