// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <mpi.h>

#include "agents/buffers.hpp"
#include "agents/messages.hpp"

namespace tessera::detail {

/// This process's side of a transfer with an agent that does not fit into its request: parts that go from or to
/// local memory, through a buffer where that is not contiguous.
class PartStream {
 public:
  PartStream(Buffers& buffers, const AgentComms& comms, int agent, std::int32_t tag, bool gets,
             const Parts& parts, std::byte* local)
      : buffers_(&buffers),
        comms_(&comms),
        agent_(agent),
        tag_(tag),
        gets_(gets),
        parts_(parts),
        local_(local) {}
  /// Keeps a buffer for it, if it is going to need one. False if there is none just now: then its request must
  /// not be sent, as who waits for buffers must not keep an agent's. @local
  bool reserve(const Strided& whole);
  /// Moves it on. Whether it is done: local memory is filled, or needed no more. @local
  bool advance();
  /// Whether somebody has to move it on: not if it waits for what MPI sends at once. @local
  bool needs_moving() const noexcept;

 private:
  struct StreamedPart {
    Part part;
    std::byte* buffer = nullptr;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  bool start_next();

  Buffers* buffers_;
  const AgentComms* comms_;
  int agent_;
  std::int32_t tag_;
  bool gets_;
  Parts parts_;
  std::byte* local_;
  std::byte* spare_ = nullptr;
  std::array<StreamedPart, most_parts> ring_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace tessera::detail
