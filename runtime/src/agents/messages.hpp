// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/runtime/strided.hpp>
#include <tessera/runtime/types.hpp>

#include "base/verb.hpp"
#include "mpi/mpi.hpp"

// What processes and agents say to each other. A message holds requests: each a header, the loops of its shape,
// and what is small enough to travel with it. Larger data follows in messages of its own, or comes back in
// them.
namespace tessera::detail {

/// What a request is about.
enum class Message : std::uint8_t {
  transfer,      // put, get, accumulate
  element,       // update, compare_exchange: under its stripe
  scalar,        // the same, by an atomic instruction
  program,       // many runs; see operation_list.hpp
  flush,         // answered when what came before it, in that region or (0) in all, is done
  attach,        // to an agent in a process of its own: map this region; followed by an Attachment
  attach_locks,  // the same for the node's lock table
  detach,
  leave,
};

struct Header {
  Message message = Message::flush;
  Verb verb = Verb::load;  // of a transfer, an element or a scalar
  ElementKind kind = ElementKind::bytes;
  Update update = Update::sum;
  std::uint8_t levels = 0;
  bool acknowledge = false;  // say when it is done, with no bytes
  std::int32_t tag = 0;      // of the answer and of data messages
  std::uint64_t region = 0;  // 0: several
  index_t position = 0;      // bytes from the beginning of the target node's mapping
  index_t run = 0;
  index_t part = 0;                               // bytes of the largest part; see part_limit
  index_t inlined = 0;                            // bytes that follow in this message
  index_t outlined = 0;                           // bytes of a program that follow in one of their own
  index_t answer = 0;                             // bytes that a program sends back
  alignas(16) std::array<std::byte, 16> value{};  // the factor; the operand; what is expected and desired
  // When it is done, one is added to a scalar: data before flag, in one message.
  std::uint64_t notify_region = 0;
  index_t notify_position = 0;
};
static_assert(sizeof(Header) % 16 == 0);

/// Whether a message is a transfer by that verb.
constexpr bool is_transfer(const Header& header, Verb verb) noexcept {
  return header.message == Message::transfer && header.verb == verb;
}

/// Bytes between what has so many and what follows it.
constexpr index_t padding(index_t used) noexcept { return (16 - used % 16) % 16; }

/// Bytes that travel with a request.
inline constexpr index_t most_inlined = mpi::eager_bytes;
/// Bytes of a request without them.
constexpr index_t request_length(int levels) noexcept {
  return static_cast<index_t>(sizeof(Header)) + levels * 2 * static_cast<index_t>(sizeof(index_t));
}
/// Bytes of a message: the largest request, and behind it one that asks whether it is done.
inline constexpr index_t message_bytes = request_length(max_rank) + most_inlined + request_length(0);
/// Bytes of a part that has to be packed on some side: MPI asks the receiver for each, which takes as long as
/// some 100 KiB, so that smaller ones cost more than they hide.
inline constexpr index_t part_bytes = index_t{1} << 20;
/// The first is small, so that the wire is busy soon.
inline constexpr index_t first_part_bytes = index_t{64} << 10;
/// What is read and not larger than this comes in parts that MPI sends without asking; what is written and not
/// larger than that goes in requests.
inline constexpr index_t most_unasked = index_t{64} << 10;
inline constexpr index_t most_written_unasked =
    mpi::eager_bytes < most_unasked / 2 ? 2 * most_unasked : 3 * most_unasked;
/// Parts of one transfer that are under way at once: one keeps the wire busy while the other is packed.
inline constexpr std::size_t most_parts = 2;

/// The two communicators of the agents, over all processes: requests go to agents only; answers have even tags,
/// the data of requests odd ones.
struct AgentComms {
  mpi::Comm requests, data;
  static constexpr int answer_tag(std::int32_t tag) noexcept { return 2 * tag; }
  static constexpr int data_tag(std::int32_t tag) noexcept { return 2 * tag + 1; }
  static constexpr std::int32_t tags = 1 << 14;  // MPI promises tags up to 32767
};

/// Writes header and loops of a request; returns their length.
inline index_t write_request(std::byte* to, const Header& header, const Strided& shape) noexcept {
  std::memcpy(to, &header, sizeof header);
  auto length = static_cast<index_t>(sizeof header);
  for (std::size_t l = 0; l < header.levels; ++l) {
    const index_t loop[2] = {shape.count[l], shape.remote_stride[l]};
    std::memcpy(to + length, loop, sizeof loop);
    length += static_cast<index_t>(sizeof loop);
  }
  return length;
}

/// The other way round: the shape as the target sees it, its local side packed.
inline index_t read_request(const std::byte* from, Header& header, Strided& shape) noexcept {
  std::memcpy(&header, from, sizeof header);
  auto length = static_cast<index_t>(sizeof header);
  shape.run = header.run;
  shape.levels = header.levels;
  index_t dense = header.run;
  for (std::size_t l = 0; l < header.levels; ++l) {
    index_t loop[2];
    std::memcpy(loop, from + length, sizeof loop);
    length += static_cast<index_t>(sizeof loop);
    shape.count[l] = loop[0];
    shape.remote_stride[l] = loop[1];
    shape.local_stride[l] = dense;
    dense *= loop[0];
  }
  return length;
}

/// How large the parts of a transfer are. What is contiguous on both sides is cut only where MPI's counts end,
/// as MPI itself has the receiver ask for what is large (rendezvous).
inline index_t part_limit(index_t bytes, bool contiguous) noexcept {
  if (bytes <= most_unasked) return mpi::eager_bytes;
  return contiguous ? mpi::max_bytes : part_bytes;
}

/// A part of a strided transfer: its shape, and where it begins on both sides.
struct Part {
  Strided shape;
  index_t remote = 0, local = 0;
};

/// Cuts a transfer into parts that both ends see alike, as the cuts depend on lengths and counts only.
class Parts {
 public:
  Parts() = default;
  Parts(const Strided& shape, index_t limit) noexcept : shape_(shape), limit_(limit) {
    if (shape.run > limit) {
      along_ = shape.run;
      return;
    }
    unit_ = shape.run;
    for (cut_ = 1; cut_ <= shape.levels; ++cut_) {
      const index_t all = unit_ * shape.count[static_cast<std::size_t>(cut_ - 1)];
      if (all > limit) break;
      unit_ = all;
    }
    along_ = cut_ <= shape.levels ? shape.count[static_cast<std::size_t>(cut_ - 1)] : 1;
  }

  bool is_over() const noexcept { return over_; }
  Part next() noexcept {
    Part part;
    const index_t limit = first_ && limit_ == part_bytes ? first_part_bytes : limit_;
    first_ = false;
    const index_t n = std::min(along_ - done_, std::max<index_t>(1, limit / unit_));
    const int inner = std::min(cut_, shape_.levels);
    part.shape.run = cut_ == 0 ? n : shape_.run;
    part.shape.levels = cut_ == 0 ? 0 : inner;
    for (std::size_t l = 0; l < static_cast<std::size_t>(part.shape.levels); ++l) {
      part.shape.count[l] = shape_.count[l];
      part.shape.remote_stride[l] = shape_.remote_stride[l];
      part.shape.local_stride[l] = shape_.local_stride[l];
    }
    if (cut_ == 0) {
      part.remote = part.local = done_;
    } else if (cut_ <= shape_.levels) {
      const auto l = static_cast<std::size_t>(cut_ - 1);
      part.shape.count[l] = n;
      part.remote = done_ * shape_.remote_stride[l];
      part.local = done_ * shape_.local_stride[l];
    }
    for (auto l = static_cast<std::size_t>(cut_); l < static_cast<std::size_t>(shape_.levels); ++l) {
      part.remote += at_[l] * shape_.remote_stride[l];
      part.local += at_[l] * shape_.local_stride[l];
    }
    done_ += n;
    if (done_ == along_) step();
    part.shape = part.shape.merged();
    return part;
  }

 private:
  void step() noexcept {
    done_ = 0;
    for (auto l = static_cast<std::size_t>(cut_); l < static_cast<std::size_t>(shape_.levels); ++l) {
      if (++at_[l] < shape_.count[l]) return;
      at_[l] = 0;
    }
    over_ = true;
  }

  Strided shape_;
  index_t limit_ = 0;
  bool first_ = true, over_ = false;
  int cut_ = 0;        // the loop that is cut, from 1; 0: the run
  index_t unit_ = 1;   // bytes of one turn of it
  index_t along_ = 0;  // its turns
  index_t done_ = 0;
  std::array<index_t, max_rank> at_{};  // of the loops around it
};

}  // namespace tessera::detail
