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

#include "agents/attention.hpp"
#include "agents/buffers.hpp"
#include "agents/messages.hpp"
#include "agents/operation_list.hpp"
#include "agents/part_stream.hpp"
#include "agents/tag_pool.hpp"
#include "agents/wire.hpp"
#include "base/remote_address.hpp"
#include "base/verb.hpp"
#include "completion/pending.hpp"

namespace tessera::detail {

class AgentHost;
class Bells;
struct Attachment;

/// The scalar that a put notifies; region 0: none.
struct Notify {
  std::uint64_t region = 0;
  index_t position = 0;
};

/// Sends requests to agents, for one thread at a time (under the network lock). It limits the messages and
/// bytes of this process that may wait at an agent, as an agent has limited room.
///
/// Small writes that nobody waits for are gathered in one message for each agent. It is sent with the next
/// request to that agent that is waited for, when it is full, or by send_gathered().
class AgentClient {
 public:
  AgentClient(AgentHost& host, Bells& bells, const AgentComms& comms);
  ~AgentClient();
  AgentClient(const AgentClient&) = delete;
  AgentClient& operator=(const AgentClient&) = delete;

  /// With `pending` these return at once, without it when local memory may be used. @onesided
  void put(const RemoteAddress& to, const Strided& shape, const std::byte* source, Pending* pending,
           const Notify& notify = {});
  void get(const RemoteAddress& from, const Strided& shape, std::byte* target, Pending* pending);
  void accumulate(const RemoteAddress& to, const Strided& shape, const Action& action, const std::byte* source,
                  Pending* pending);
  /// Sends a request and waits for its answer of 16 bytes.
  std::array<std::byte, 16> ask(const RemoteAddress& at, Message message, const Action& action,
                                const std::array<std::byte, 16>& value);
  /// Makes an agent in a process of its own map memory; returns whether it did. With Message::detach the agent
  /// gives the memory up.
  bool map(int agent, Message message, std::uint64_t region, const Attachment& what);
  /// Sends an operation list, and empties it.
  void run(int agent, OperationList& list, Pending& pending);
  /// Returns when all that this process has written through these agents, in these regions, is done.
  void flush(std::span<const RemoteAddress> targets);
  /// Waits until done() is true, and rings the agent if that takes long.
  void wait_for(int agent, const std::function<bool()>& done);
  /// Sends the gathered messages.
  void send_gathered();
  /// Whether there are gathered messages; may be called without the lock. @local
  bool has_gathered() const noexcept { return gathered_.load(std::memory_order_relaxed) > 0; }
  /// Waits for what agents still have to acknowledge. Otherwise their answers would come when nobody takes
  /// them.
  void settle();
  /// Tells an agent in another process that this process leaves.
  void leave(int agent);

 private:
  using Clock = std::chrono::steady_clock;
  struct Outgoing;
  struct AwaitedAnswer {
    MPI_Request request = MPI_REQUEST_NULL;
    TagPool::Held tag;
  };
  // Writes to a region through an agent, which may not be done.
  struct Written {
    bool is_unanswered = false;                     // some writes: a flush must ask for their answer
    std::vector<AwaitedAnswer> acknowledgements{};  // of the other writes
  };
  struct Peer {
    int agent = 0;
    Outgoing* open = nullptr;  // the message being gathered for it
    index_t bytes = 0;         // of messages that may still wait at the agent
    AwaitedAnswer acknowledgement;
    index_t acknowledged = 0;  // bytes of messages that `acknowledgement` covers
    Clock::time_point rung{}, sent{}, heard{};
    bool is_unrung = false;  // not rung for the last message, as its process probably runs the agent
    bool is_try = false;     // of these: because of `attention`
    Wire wire;
    Attention attention, exchange;                       // whether it takes requests; the data of an exchange
    std::unordered_map<std::uint64_t, Written> written;  // by region
  };
  struct Outgoing {
    MPI_Request request = MPI_REQUEST_NULL;
    std::byte* data = nullptr;
    index_t length = 0;
    Peer* peer = nullptr;  // while it is open
  };
  // Awaited: a call waits for the answer. Expected: the process at the target mostly waits for the request,
  // too. Overlapped: it begins a long transfer, and the program goes on.
  enum class When { now, awaited, expected, overlapped, quietly, with_the_next };
  // Shorter than an agent lingers, by the time of a message: the agent counts from the arrival of a message.
  static constexpr auto awake_after_answer = std::chrono::microseconds(25),
                        awake_after_request = std::chrono::microseconds(40);
  // A process that has sent a request here so recently mostly waits, and runs its agent meanwhile.
  static constexpr auto awake_after_question = std::chrono::microseconds(200);
  // So long after a long transfer of the other process, both are taken to move data.
  static constexpr auto both_move = std::chrono::milliseconds(50);
  // How long a wait takes before it rings (again); short if it has not rung because of that.
  static constexpr auto first_patience = std::chrono::microseconds(100),
                        short_patience = std::chrono::microseconds(40);
  static constexpr auto exchange_per_byte = std::chrono::nanoseconds(1);  // twice as long as it mostly takes
  static constexpr auto patience_per_byte = std::chrono::nanoseconds(2),
                        max_patience = std::chrono::nanoseconds(500'000);
  static constexpr index_t max_gathered = index_t{4} << 10;  // of a write that the caller does not wait for
  static constexpr std::size_t max_outgoing = 32;
  // What may wait at an agent; MPI takes some memory for each message, too.
  static constexpr index_t max_bytes = index_t{256} << 10, bytes_of_message = index_t{1} << 10;

  Peer& peer_of(int agent) {
    Peer& peer = peers_[agent];
    peer.agent = agent;
    return peer;
  }
  Header header(const RemoteAddress& at, Message message, const Strided& shape);
  void free_tags();
  static void forget_arrived(Written& written);
  /// Sends header and shape, and behind them the data that `write(std::byte*)` writes.
  template <class Write>
  void send(Peer& peer, const Header& header, const Strided& shape, When when, Write&& write);
  void send(Peer& peer, const Header& header, const Strided& shape, When when = When::awaited);
  /// Sends a request, and waits for its answer of 16 bytes.
  template <class Write>
  std::array<std::byte, 16> ask(int agent, const Header& request, const Strided& shape, When when,
                                Write&& write);
  /// Sends a put or accumulate. Its data follows the request, or is part of it.
  void write(int agent, Header& request, const Strided& shape, const std::byte* source, Pending* pending);
  void write_inlined(Peer& peer, Header& request, const Strided& shape, const std::byte* source,
                     bool waited_for);
  void take_exchanged(index_t bytes);
  bool avoids_questions(const Peer& peer, const Strided& shape, bool overlaps) const;
  void dispatch(Peer& peer, When when);
  void admit(Peer& peer);
  void acknowledge(Peer& peer);
  static bool takes_acknowledgement(Peer& peer);
  AwaitedAnswer expect(const Header& request, int agent);
  Outgoing& slot();
  void ring(Peer& peer, When when);
  template <class Done>
  void wait_for(Peer& peer, Done&& done, index_t bytes = 0);
  void finish(PartStream&& stream, const Header& request, index_t bytes, Peer& peer, Pending* pending);

  AgentHost& host_;
  Bells& bells_;
  const AgentComms& comms_;
  TagPool tags_;  // declared before peers_, which hold some of them
  std::unique_ptr<std::byte[]> slots_;
  std::array<Outgoing, max_outgoing> outgoing_;
  std::size_t next_ = 0;
  std::atomic<int> gathered_{0};         // messages that are open
  std::unordered_map<int, Peer> peers_;  // agents talked to
  Buffers buffers_, small_buffers_;
};

}  // namespace tessera::detail
