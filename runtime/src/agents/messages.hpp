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

// The messages between processes and agents. A message holds requests. Each request is a header, the loops of
// its shape, and its data if that is small. Larger data follows, or comes back, in messages of its own.
namespace tessera::detail {

/// The kind of a request.
enum class Message : std::uint8_t {
  transfer,      // put, get, accumulate
  element,       // update, compare_exchange: under its stripe
  scalar,        // the same, by an atomic instruction
  operations,    // many runs; see operation_list.hpp
  flush,         // answered when all earlier requests, in that region or (0) in all, are done
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
  bool acknowledge = false;  // answer with no bytes when it is done
  std::int32_t tag = 0;      // of the answer and of data messages
  std::int32_t grants = -1;  // of a write in parts that wait for grants: their tag
  std::uint64_t region = 0;  // 0: several
  index_t position = 0;      // bytes from the beginning of the target node's mapping
  index_t run = 0;
  index_t part = 0;      // bytes of the largest part; see part_limit
  index_t inlined = 0;   // bytes that follow in this message
  index_t outlined = 0;  // bytes of an operation list that follow in a message of their own
  index_t answer = 0;    // bytes that an operation list sends back
  alignas(16) std::array<std::byte, 16> value{};  // the factor; the operand; the expected and desired values
  // When the request is done, the agent adds one to this scalar: data before flag, in one message.
  std::uint64_t notify_region = 0;
  index_t notify_position = 0;
};
static_assert(sizeof(Header) % 16 == 0);

/// Whether a message is a transfer by that verb.
constexpr bool is_transfer(const Header& header, Verb verb) noexcept {
  return header.message == Message::transfer && header.verb == verb;
}

/// Bytes of padding after `used` bytes.
constexpr index_t padding(index_t used) noexcept { return (16 - used % 16) % 16; }

/// Most bytes of data in a request.
inline constexpr index_t max_inlined = mpi::eager_bytes;
/// Bytes of a request without its data.
constexpr index_t request_length(int levels) noexcept {
  return static_cast<index_t>(sizeof(Header)) + levels * 2 * static_cast<index_t>(sizeof(index_t));
}
/// Bytes of a message: room for the largest request and a flush behind it.
inline constexpr index_t message_bytes = request_length(max_rank) + max_inlined + request_length(0);
/// Bytes of a part that is packed on some side. MPI asks the receiver for each part, which takes as long as
/// sending some 100 KiB. So smaller parts would cost more time than they hide.
inline constexpr index_t part_bytes = index_t{1} << 20;
/// The first part is small, so that the network is busy soon.
inline constexpr index_t first_part_bytes = index_t{64} << 10;
/// Reads of up to max_unasked bytes, and some longer transfers, travel in parts that MPI sends without asking
/// the receiver. Writes of up to max_written_unasked bytes travel in requests.
inline constexpr index_t max_unasked = index_t{64} << 10;
inline constexpr index_t max_written_unasked = mpi::sends_much_at_once ? 3 * max_unasked : 2 * max_unasked;
/// Parts of one transfer that are under way at once. Of large ones, one keeps the network busy while the other
/// is packed. Small ones, which MPI sends without asking, keep it busy while an agent naps.
constexpr std::size_t parts_under_way(index_t limit) noexcept { return limit <= mpi::eager_bytes ? 16 : 2; }

/// A write in parts that MPI sends without asking waits for grants of the agent: each is the number of parts
/// that it waits for, so that MPI never has to keep them. It is mostly this.
inline constexpr std::int32_t parts_per_grant = 8;

/// The two communicators of the agents, over all processes. In `requests`, messages go to agents only. In
/// `data`, answers have even tags, and the data of requests has odd ones.
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

/// Reads header and loops; returns their length. The shape is as the target sees it, with its local side
/// packed.
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

/// The largest part of a transfer. Data that is contiguous on both sides is cut only at MPI's largest count:
/// for large messages, MPI itself asks the receiver (rendezvous). This takes the fewest copies. But question
/// and answer wait behind all data that goes the same way, and for processes that compute. So some transfers do
/// without (`unasked`), as AgentClient decides.
inline index_t part_limit(index_t bytes, bool contiguous, bool unasked) noexcept {
  if (bytes <= max_unasked || unasked) return mpi::eager_bytes;
  return contiguous ? mpi::max_bytes : part_bytes;
}

/// A part of a strided transfer: its shape, and where it begins on both sides.
struct Part {
  Strided shape;
  index_t remote = 0, local = 0;
};

/// Cuts a transfer into parts. Both ends cut alike, as the cuts depend on lengths and counts only.
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
  index_t limit() const noexcept { return limit_; }
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
  index_t along_ = 0;  // number of its turns
  index_t done_ = 0;
  std::array<index_t, max_rank> at_{};  // positions in the loops around it
};

}  // namespace tessera::detail
