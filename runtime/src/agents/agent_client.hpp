// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "agents/buffers.hpp"
#include "agents/messages.hpp"
#include "agents/operation_list.hpp"
#include "agents/part_stream.hpp"
#include "agents/tag_pool.hpp"
#include "base/remote_address.hpp"
#include "base/verb.hpp"
#include "completion/pending.hpp"

namespace tessera::detail {

class AgentHost;
class Bells;
struct Attachment;

/// The scalar that a put is to notify; none in region 0.
struct Notify {
  std::uint64_t region = 0;
  index_t position = 0;
};

/// Sends requests to agents, for one thread at a time (under the window lock). It keeps within what an agent
/// has room for: at most so many messages and bytes of one process wait there.
///
/// What is written and small, and nobody waits for, is gathered: it leaves with the next request to that agent
/// that somebody waits for, in one message, or when a message is full, or by send_gathered().
class AgentClient {
 public:
  AgentClient(AgentHost& host, Bells& bells, const AgentComms& comms);
  ~AgentClient();
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;

  /// With a pending transfer these return at once; else when local memory may be used. @onesided
  void put(const RemoteAddress& to, const Strided& shape, const std::byte* source, Pending* pending,
           const Notify& notify = {});
  void get(const RemoteAddress& from, const Strided& shape, std::byte* target, Pending* pending);
  void accumulate(const RemoteAddress& to, const Strided& shape, const Action& action, const std::byte* source,
                  Pending* pending);
  /// A request whose answer of 16 bytes is waited for.
  std::array<std::byte, 16> ask(const RemoteAddress& at, Message message, const Action& action,
                                const std::array<std::byte, 16>& value);
  /// Lets an agent in a process of its own map memory, or (by Message::detach) give it up; whether it could.
  bool map(int agent, Message message, std::uint64_t region, const Attachment& what);
  /// Sends a program, and empties it.
  void run(int agent, OperationList& program, Pending& pending);
  /// Returns when all that this process asked of the agents, in the regions, is done.
  void flush(std::span<const RemoteAddress> targets);
  /// Waits for something that an agent does, which is rung if it takes long.
  void wait_for(int agent, const std::function<bool()>& done);
  /// Sends what was gathered.
  void send_gathered();
  /// Whether anything is, for who looks without the lock. @local
  bool has_gathered() const noexcept { return gathered_.load(std::memory_order_relaxed) > 0; }
  /// Tells an agent in another process that this one leaves.
  void leave(int agent);

 private:
  using Clock = std::chrono::steady_clock;
  struct Outgoing;
  struct AwaitedAnswer {
    MPI_Request request = MPI_REQUEST_NULL;
    TagPool::Held tag;
  };
  // What was written to a region through an agent, and may not be done.
  struct Written {
    bool is_unanswered = false;                     // some of it, unless the agent is asked
    std::vector<AwaitedAnswer> acknowledgements{};  // of the rest
  };
  struct Peer {
    int agent = 0;
    Outgoing* open = nullptr;  // the message that is gathered for it
    int messages = 0;          // that may still wait at the agent
    index_t bytes = 0;         // of them
    AwaitedAnswer acknowledgement;
    int acknowledged = 0;  // what it covers
    index_t acknowledged_bytes = 0;
    Clock::time_point rung{}, sent{}, heard{};
    std::unordered_map<std::uint64_t, Written> written;  // by region
  };
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    std::byte* data = nullptr;
    index_t length = 0;
    Peer* peer = nullptr;  // while it is open
  };
  enum class When { now, quietly, with_the_next };
  // Less than an agent lingers by what a message takes, which it counts from its coming.
  static constexpr auto awake_after_answer = std::chrono::microseconds(25),
                        awake_after_request = std::chrono::microseconds(40);
  static constexpr auto first_patience = std::chrono::microseconds(100);
  static constexpr auto patience_per_byte = std::chrono::nanoseconds(2),
                        most_patience = std::chrono::nanoseconds(500'000);
  static constexpr index_t most_gathered = index_t{4} << 10;  // of one who does not wait
  static constexpr std::size_t most_outgoing = 32;
  static constexpr int most_messages = 64;
  static constexpr index_t most_bytes = index_t{256} << 10;

  Peer& peer_of(int agent) {
    Peer& peer = peers_[agent];
    peer.agent = agent;
    return peer;
  }
  Header header(const RemoteAddress& at, Message message, const Strided& shape);
  /// Sends header, shape and what write(std::byte*) puts behind them.
  template <class Write>
  void send(Peer& peer, const Header& header, const Strided& shape, When when, Write&& write);
  void send(Peer& peer, const Header& header, const Strided& shape);
  /// The data of a put or accumulate follows its request, or is part of it.
  void write(int agent, Header& request, const Strided& shape, const std::byte* source, Pending* pending);
  void write_inlined(Peer& peer, Header& request, const Strided& shape, const std::byte* source,
                     bool waited_for);
  void dispatch(Peer& peer, When when = When::now);
  void admit(Peer& peer);
  void acknowledge(Peer& peer);
  AwaitedAnswer expect(const Header& request, int agent);
  Outgoing& slot();
  void ring(Peer& peer);
  template <class Done>
  void wait_for(Peer& peer, Done&& done, index_t bytes = 0);
  void finish(PartStream&& stream, std::int32_t tag, index_t bytes, Peer& peer, Pending* pending);

  AgentHost& host_;
  Bells& bells_;
  const AgentComms& comms_;
  TagPool tags_;  // outlives those who hold some
  std::unique_ptr<std::byte[]> slots_;
  std::array<Outgoing, most_outgoing> outgoing_;
  std::size_t next_ = 0;
  std::atomic<int> gathered_{0};         // messages that are open
  std::unordered_map<int, Peer> peers_;  // agents talked to
  Buffers buffers_;
};

}  // namespace tessera::detail
