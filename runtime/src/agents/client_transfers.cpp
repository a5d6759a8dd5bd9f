// SPDX-License-Identifier: BSD-3-Clause
// SPDX-FileCopyrightText: the Tessera developers
#include "agents/agent_client.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "agents/agent_host.hpp"

// A client's transfers of data, and the ways in which it travels.
namespace tessera::detail {

// Whether a transfer goes in parts that MPI sends without asking. They take a copy on either side, which
// contiguous data does without, and which shows if a call waits and the wire is fast. But if both processes
// move data, questions wait behind it. MPICH sends so little at once that on a fast wire such parts take twice
// as long as with questions.
bool AgentClient::avoids_questions(const Peer& peer, const Strided& shape, bool overlaps) const {
  if (shape.bytes() <= max_unasked) return true;
  const bool both = Clock::now() - host_.moved(peer.agent) < both_move;
  if (!overlaps) return both && peer.wire.is_slow();
  return (both || shape.levels > 0) && (mpi::sends_much_at_once || !peer.wire.is_fast());
}

void AgentClient::write(int agent, Header& request, const Strided& shape, const std::byte* source,
                        Pending* pending) {
  Peer& peer = peer_of(agent);
  const index_t bytes = shape.bytes();
  const bool notifies = request.notify_region != 0;
  if (notifies) peer.written[request.notify_region].is_unanswered = true;
  // In an exchange, both processes send, and messages for all parts take longer than to ask. But that needs the
  // other process to take the data soon, or a thread that takes it while the process computes.
  const bool is_exchange = notifies && pending == nullptr && shape.levels == 0 && bytes > max_unasked;
  const bool is_short = bytes <= max_written_unasked;
  if (is_short && !(is_exchange && has_thread(host_.mode()) && peer.exchange.is_expected()))
    return write_inlined(peer, request, shape, source, pending == nullptr);
  const bool is_unasked = avoids_questions(peer, shape, pending != nullptr);
  request.part = part_limit(bytes, request.verb == Verb::put && shape.levels == 0, is_unasked);
  if (is_unasked) request.grants = tags_.next();
  // An exchange does without an acknowledgement, as mostly no flush follows. A flush asks then. Until the agent
  // receives the last part, the tag must not be used again. So MPI says when it does.
  request.acknowledge = !is_exchange || is_unasked;
  Written& written = peer.written[request.region];
  if (request.acknowledge) {
    forget_arrived(written);
    written.acknowledgements.push_back(expect(request, agent));
  } else {
    written.is_unanswered = true;
  }
  PartStream stream(is_unasked ? small_buffers_ : buffers_, comms_, agent, request.tag, false,
                    Parts(shape, request.part), const_cast<std::byte*>(source), request.grants,
                    request.acknowledge ? Completes::locally : Completes::when_received);
  host_.wait_until([&] { return stream.reserve(shape); });
  const auto begin = Clock::now();
  send(peer, request, shape, pending != nullptr ? When::overlapped : notifies ? When::expected : When::awaited);
  finish(std::move(stream), request, bytes, peer, pending);
  if (!is_exchange) return;
  if (is_short) peer.exchange.learn(Clock::now() - begin < first_patience + bytes * exchange_per_byte);
  take_exchanged(bytes);
}

// The other process of an exchange waits until this one has taken its data. Left to the next wait here, that
// would take as long as this process computes. The first turns take the requests that have come.
void AgentClient::take_exchanged(index_t bytes) {
  const auto limit = Clock::now() + std::min(bytes * patience_per_byte, max_patience);
  int turns = 3;
  host_.wait_until([&] { return --turns < 0 && (!host_.is_notified_soon() || Clock::now() > limit); });
}

void AgentClient::put(const RemoteAddress& to, const Strided& shape, const std::byte* source, Pending* pending,
                      const Notify& notify) {
  const Strided merged = shape.merged();
  Header request = header(to, Message::transfer, merged);
  request.verb = Verb::put;
  request.notify_region = notify.region;
  request.notify_position = notify.position;
  write(to.agent, request, merged, source, pending);
}

void AgentClient::accumulate(const RemoteAddress& to, const Strided& shape, const Action& action,
                             const std::byte* source, Pending* pending) {
  const Strided merged = shape.merged();
  Header request = header(to, Message::transfer, merged);
  request.verb = Verb::accumulate;
  request.kind = action.kind;
  request.update = action.update;
  if (action.alpha != nullptr)
    std::memcpy(request.value.data(), action.alpha, static_cast<std::size_t>(size_of(action.kind)));
  write(to.agent, request, merged, source, pending);
}

void AgentClient::get(const RemoteAddress& from, const Strided& shape, std::byte* target, Pending* pending) {
  const Strided merged = shape.merged();
  Header request = header(from, Message::transfer, merged);
  request.verb = Verb::get;
  Peer& peer = peer_of(from.agent);
  request.part =
      part_limit(merged.bytes(), merged.levels == 0, avoids_questions(peer, merged, pending != nullptr));
  Buffers& buffers = request.part <= mpi::eager_bytes ? small_buffers_ : buffers_;
  PartStream stream(buffers, comms_, from.agent, request.tag, true, Parts(merged, request.part), target);
  host_.wait_until([&] { return stream.reserve(merged); });
  // Posts its receives before the answer comes, so that the data goes straight to its place.
  stream.advance();
  const bool overlaps = pending != nullptr && merged.bytes() > max_unasked;
  send(peer, request, merged, overlaps ? When::overlapped : pending != nullptr ? When::now : When::awaited);
  finish(std::move(stream), request, merged.bytes(), peer, pending);
}

}  // namespace tessera::detail
