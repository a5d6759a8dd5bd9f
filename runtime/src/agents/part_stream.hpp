// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "agents/buffers.hpp"
#include "agents/messages.hpp"
#include "agents/moving_parts.hpp"

namespace tessera::detail {

/// When MPI completes the sending of a part: when the memory may be used again, or only when the agent receives
/// it.
enum class Completes { locally, when_received };

/// This process's side of a transfer with an agent whose data does not fit into the request. Its parts go from
/// or to local memory, through a buffer if the memory is not contiguous.
class PartStream {
 public:
  /// `grants`: the tag of grants, if parts wait for them.
  PartStream(Buffers& buffers, const AgentComms& comms, int agent, std::int32_t tag, bool gets,
             const Parts& parts, std::byte* local, std::int32_t grants = -1,
             Completes completes = Completes::locally)
      : buffers_(&buffers),
        comms_(&comms),
        agent_(agent),
        tag_(tag),
        gets_(gets),
        parts_(parts),
        local_(local),
        completes_(completes),
        grants_tag_(grants),
        grant_(grants < 0 ? nullptr : std::make_unique<std::int32_t>()),
        moving_(parts_under_way(parts.limit())) {}
  /// Reserves a buffer, if the transfer will need one, until its last part has it. Returns false if none is
  /// free. Then the request must not be sent: a transfer that waits for a buffer here must not hold buffers of
  /// an agent. @local
  bool reserve(const Strided& whole);
  /// Makes progress. Returns whether it is done: local memory is filled, or no longer needed. @local
  bool advance();
  /// Whether MPI has got all parts. @local
  bool is_all_begun() const noexcept { return parts_.is_over(); }
  /// Whether it only progresses when polled. It does not if it only waits for data that MPI sends at once.
  /// @local
  bool needs_moving() const noexcept;

 private:
  bool start_next();
  bool is_granted();

  Buffers* buffers_;
  const AgentComms* comms_;
  int agent_;
  std::int32_t tag_;
  bool gets_;
  Parts parts_;
  std::byte* local_;
  std::byte* spare_ = nullptr;
  Completes completes_;
  std::int32_t grants_tag_;
  std::unique_ptr<std::int32_t> grant_;  // where MPI writes the next one
  MPI_Request grant_request_ = MPI_REQUEST_NULL;
  std::int32_t allowed_ = 0;  // parts that may start before it
  MovingParts moving_;
};

}  // namespace tessera::detail
