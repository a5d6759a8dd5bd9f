// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <utility>
#include <vector>

#include <tessera/runtime/group.hpp>

namespace tessera::detail {

/// What messages are about. Those of one channel match in the order of the calls.
enum class Channel : int { transform_input, transform_result, ghosts, block_copies };

/// What keeps a sender from running ahead of its receiver, which would have to keep all messages. The receiver
/// sends something back in the same call, or all members meet in it. Or else wait() returns only when the data
/// is being received.
enum class Pace { answered, received };

/// Messages between members of a group that make the same collective call, for data whose size both sides
/// know. The k-th message that a member sends to another on a channel is the k-th that the other receives from
/// it there (MPI standard 3.5). Move-only.
class MemberMessages {
 public:
  /// @local
  explicit MemberMessages(const Group& group);
  ~MemberMessages();
  MemberMessages(MemberMessages&& other) noexcept = default;
  MemberMessages& operator=(MemberMessages&&) = delete;

  /// Begins to receive, or to send. The memory must stay until wait() has returned. @local
  void receive(int from, Channel channel, void* data, index_t bytes);
  void send(int to, Channel channel, const void* data, index_t bytes, Pace pace);
  /// Returns when all that has been received is in place, and all that has been sent may be changed. It serves
  /// other processes meanwhile.
  void wait();
  /// Makes progress, and returns whether wait() would return at once. @local
  bool test();
  /// Whether data of this length mostly leaves this process before the other one takes it. @local
  static bool leaves_at_once(index_t bytes) noexcept;

 private:
  void take_clocks();

  GroupState* group_;
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
  std::vector<std::pair<int, Channel>> senders_;  // of what is awaited, if accesses are checked for conflicts
};

}  // namespace tessera::detail
